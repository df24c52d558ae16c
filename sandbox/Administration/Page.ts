/**
 * The frame of every administration page (landmarks, navigation, notices, footer) and the parts that pages share.
 * `main` is refreshed in place every second (`Script.ts`): rows have keys, so they move rather than change. Forms and
 * notices are marked `data-keep` (also with a key) and are left alone.
 */
import { html, type Html, type Shown } from "./Html.ts"

export const root = "/admin"

export type Section = "overview" | "webhooks" | "deliveries" | "records" | "faults" | "clients" | "none"

export interface Page {
  readonly section: Section
  readonly title: string
  /** Between "Admin" and the title: name and address. */
  readonly trail?: ReadonlyArray<readonly [name: string, href?: string]>
  readonly body: Shown
}

/** Shown once, at the top of the next page. */
export interface Notice {
  readonly tone: "good" | "bad"
  readonly text: Shown
}

const sections: ReadonlyArray<readonly [section: Section, name: string, href: string]> = [
  ["overview", "Overview", root],
  ["webhooks", "Webhooks", `${root}/subscriptions`],
  ["deliveries", "Deliveries", `${root}/deliveries`],
  ["records", "Records", `${root}/records`],
  ["faults", "Faults", `${root}/faults`],
  ["clients", "Clients", `${root}/clients`]
]

const navigation = (current: Section, faultsOn: number) =>
  html`<nav aria-label="Administration">
    <ul>
      ${sections.map(
        ([section, name, href]) =>
          html`<li>
            <a href="${href}" ${section === current && html`aria-current="page"`}>${name}</a>
            ${
              section === "faults" &&
              html`<span class="badge" id="faults-on" ${faultsOn === 0 && html`hidden`}>${faultsOn} on</span>`
            }
          </li>`
      )}
    </ul>
  </nav>`

const trailOf = ({ title, trail = [] }: Page) =>
  html`<p class="trail">
    ${[["Admin", root] as const, ...trail].map(([name, href]) =>
      href === undefined ? html`<span>${name}</span> / ` : html`<a href="${href}">${name}</a> / `
    )}<span aria-current="page">${title}</span>
  </p>`

const noticeOf = ({ text, tone }: Notice) =>
  html`<div class="notice ${tone}" role="${tone === "good" ? "status" : "alert"}">${text}</div>`

export const render = (page: Page, faultsOn: number, notice: Notice | undefined): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · Sandbox administration</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${root}/administration.css" />
        <script src="${root}/administration.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <div class="bar">
            <p class="brand"><span class="mark" aria-hidden="true"></span>Construction service <b>sandbox</b></p>
            <button type="button" id="refreshing" class="quiet" hidden>Live</button>
          </div>
          ${navigation(page.section, faultsOn)}
        </header>
        <main id="main" tabindex="-1">
          <div data-keep data-key="notices">${notice !== undefined && noticeOf(notice)}</div>
          ${trailOf(page)}
          <h1>${page.title}</h1>
          ${page.body}
        </main>
        <footer>
          <p>
            A stand-in for the service, for development and tests. It serves this machine only, so it needs no login.
            Times are in UTC.
          </p>
        </footer>
      </body>
    </html>`.text

export type Tone = "good" | "wait" | "bad" | "idle"

/** A state. The colour never says more than the word. */
export const pill = (tone: Tone, word: string): Html => html`<span class="pill ${tone}">${word}</span>`

export interface Column {
  readonly name: string
  /** Numbers and amounts are aligned right; `short` makes a narrow column. */
  readonly kind?: "number" | "amount" | "short" | "action" | undefined
}

export interface Row {
  readonly key: string
  /** When the stage changes, the row lights up. */
  readonly stage?: string
  readonly cells: ReadonlyArray<Shown>
}

export interface Table {
  /** For screen readers; everyone else reads the heading. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<Row>
  /** Shown where there are no rows. */
  readonly empty: Shown
  readonly className?: string
}

/** Roles are explicit: narrow pages lay rows out as blocks, and the table would lose its semantics. */
export const table = ({ caption, className = "", columns, empty, rows }: Table): Html =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<table class="${className}" role="table">
        <caption>
          ${caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${columns.map(
              ({ kind, name }) =>
                html`<th role="columnheader" scope="col" class="${kind}" data-column="${name}">
                  ${kind === "action" ? html`<span class="hidden">${name}</span>` : name}
                </th>`
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${rows.map(
            ({ cells, key, stage }) =>
              html`<tr role="row" data-key="${key}" ${stage !== undefined && html`data-stage="${stage}"`}>
                ${cells.map((cell, at) => {
                  const { kind, name } = columns[at] ?? { name: "" }
                  return html`<td role="cell" class="${kind}" data-label="${name}">${cell}</td>`
                })}
              </tr>`
          )}
        </tbody>
      </table>`

/** A form with one button. */
export const act = (action: string, label: Shown, className = "", hidden = ""): Html =>
  html`<form method="post" action="${action}">
    <button class="${className}">${label}${hidden !== "" && html`<span class="hidden"> ${hidden}</span>`}</button>
  </form>`

export const figures = (
  shown: ReadonlyArray<readonly [name: string, value: Shown, note?: Shown, tone?: Tone | false]>
): Html =>
  html`<dl class="figures">
    ${shown.map(
      ([name, value, note, tone]) =>
        html`<div>
          <dt>${name}</dt>
          <dd class="${tone}">${value}</dd>
          ${note !== undefined && html`<dd class="note">${note}</dd>`}
        </div>`
    )}
  </dl>`
