/**
 * Records moving through their lives: how many are at each stage, and which changed last. Also the overview, which
 * shows the IPCs next to the sandbox's figures.
 */
import { type Administered, subscriptions } from "./Administered.ts"
import { html, type Html, type Shown } from "./Html.ts"
import { type Column, figures, type Page, pill, root, type Row, table, type Tone } from "./Page.ts"
import { type Changed, type Counts, type Kind, kinds, latest } from "./Records.ts"
import * as WebhookViews from "./WebhookViews.ts"
import * as Wording from "./Wording.ts"

/** Idle at the first stage, good at the last. */
const toneOf = ({ stages }: Kind, stage: string): Tone => {
  if (stage === stages.at(-1)) return "good"
  return stage === stages[0] ? "idle" : "wait"
}

/** Draws how far the record has come; the status next to it says the same in words. */
const track = (kind: Kind, status: string) => {
  const reached = kind.stages.indexOf(status)
  return html`<span class="track" aria-hidden="true"
    >${kind.stages.map((_, at) => html`<i class="${at <= reached && toneOf(kind, status)}"></i>`)}</span
  >`
}

const cell = (json: string | undefined, kind: Column["kind"]): Shown => {
  if (json === undefined) return html`<span class="none">–</span>`
  if (kind === "amount") return Wording.amount(json)
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? value.join(", ") : String(value)
}

const row = (kind: Kind, { changedAt, contents, id, status }: Changed): Row => ({
  key: id,
  stage: `${status} ${changedAt}`,
  cells: [
    html`<b>${id}</b>`,
    html`<span class="status"
      >${kind.stages.length > 1 && track(kind, status)}${pill(toneOf(kind, status), status)}</span
    >`,
    ...kind.contents.map(([name, , shownAs]) => cell(contents.get(name), shownAs)),
    html`<time datetime="${changedAt}">${changedAt.slice(11, 19)}</time>`
  ]
})

const moving = ({ events, simulation }: Administered, kind: Kind, most: number): Html =>
  table({
    caption: `${kind.name}, last changed first`,
    className: `moving ${kind.entity}`,
    columns: [
      { name: kind.singular },
      { name: "Status" },
      ...kind.contents.map(([, name, kind]) => ({ name, kind })),
      { name: "Changed" }
    ],
    rows: latest(events, simulation.steps(), kind.entity, most).map((changed) => row(kind, changed)),
    empty: "None yet. By default, events begin with the first subscription."
  })

/** The stages as a line of boxes with their counts. */
const flow = (kind: Kind, counts: Counts): Html =>
  html`<ol class="flow" aria-label="${kind.name} by status">
    ${kind.stages.map(
      (stage) =>
        html`<li class="${toneOf(kind, stage)}">
          <span class="stage">${stage}</span> <b>${Wording.count(counts(kind.entity, stage))}</b>
        </li>`
    )}
  </ol>`

const [ipcs] = kinds
const ofOverview = 8
const ofRecords = 25

export const overview = (world: Administered, counts: Counts, now: number): Page => {
  const { deliveries, faults, options, simulation, usedLastMinute } = world
  const { delivered, dropped, failed, waiting } = deliveries.counts()
  const active = subscriptions(world).filter(({ state }) => state === "active").length
  const faultsOn = faults.all().filter(({ value }) => value !== 0).length
  const plan = Number.isFinite(options.plan) ? `of ${Wording.count(options.plan)}` : "no limit"
  return {
    section: "overview",
    title: "Overview",
    body: html`
      ${figures([
        ["Events", Wording.count(simulation.steps()), `${options.eventsPerSecond} a second`],
        ["Webhooks", Wording.count(subscriptions(world).length), `${active} active`],
        ["Delivered", Wording.count(delivered), dropped > 0 && `${Wording.count(dropped)} dropped`],
        ["Waiting", Wording.count(waiting)],
        ["Failed", Wording.count(failed), undefined, failed > 0 && "bad"],
        ["API requests", Wording.count(usedLastMinute(now)), `${plan}, last 60 s`],
        ["Faults", Wording.count(faultsOn), "on", faultsOn > 0 && "wait"]
      ])}
      ${
        ipcs !== undefined &&
        html`<h2>IPCs in progress</h2>
          ${flow(ipcs, counts)} ${moving(world, ipcs, ofOverview)}
          <p><a href="${root}/records">All kinds of records</a></p>`
      }
      <h2>Webhooks</h2>
      ${WebhookViews.list(world, now)}
    `
  }
}

const projectsTable = ({ projects, simulation }: Administered) => {
  const steps = simulation.steps()
  const total = projects.total(steps)
  const newest = Array.from({ length: Math.min(ofRecords, total) }, (_, at) => projects.at(steps, total - 1 - at))
  return html`<p class="note">${Wording.counted(total, "project", "projects")}; the newest:</p>
    ${table({
      caption: "Projects, newest first",
      columns: [{ name: "Project" }, { name: "Name" }, { name: "Status" }],
      rows: newest.map(({ id, name, status }) => ({
        key: String(id),
        stage: status,
        cells: [html`<b>${id}</b>`, html`<bdi>${name}</bdi>`, pill(status === "awarded" ? "idle" : "wait", status)]
      })),
      empty: "None."
    })}`
}

export const records = (world: Administered, counts: Counts, asked: string): Page => {
  const kind = kinds.find(({ entity }) => entity === asked)
  const tab = (name: string, entity: string, current: boolean) =>
    html`<li><a href="${root}/records?kind=${entity}" ${current && html`aria-current="true"`}>${name}</a></li>`
  return {
    section: "records",
    title: "Records",
    body: html`
      <nav aria-label="Kinds of records">
        <ul class="tabs">
          ${kinds.map(({ entity, name }) => tab(name, entity, entity === asked))}
          ${tab("Projects", "projects", kind === undefined)}
        </ul>
      </nav>
      ${kind === undefined ? projectsTable(world) : html`${flow(kind, counts)} ${moving(world, kind, ofRecords)}`}
    `
  }
}
