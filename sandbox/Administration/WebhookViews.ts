/**
 * The subscriptions (interface document §2.3; "Admin → API → Webhooks", §1): the list, and single ones with their
 * actions. A secret is shown once, when it is made.
 */
import { eventTypes } from "../Lifecycles.ts"
import type { SubscriptionState } from "../Subscriptions.ts"
import { type Administered, excerpt, type Listed, subscriptions } from "./Administered.ts"
import * as DeliveryViews from "./DeliveryViews.ts"
import { html, type Html, type Shown } from "./Html.ts"
import { act, figures, type Page, pill, root, table, type Tone } from "./Page.ts"
import * as Wording from "./Wording.ts"

const tones: Readonly<Record<SubscriptionState, Tone>> = { active: "good", paused: "idle", deleted: "idle" }

const subscribedTypes = (events: ReadonlyArray<string>): Shown =>
  eventTypes.every((type) => events.includes(type))
    ? `all ${eventTypes.length}`
    : html`<span title="${events.join(", ")}">${Wording.counted(events.length, "type", "types")}</span>`

const overviewRows = (world: Administered, now: number) =>
  subscriptions(world).map(({ createdAtMillis, events, id, state, url }) => {
    const { delivered, failed, waiting } = world.deliveries.countsOf(id - 1)
    const linked = (state: string, many: number) =>
      html`<a href="${root}/deliveries?state=${state}&subscription=${id}">${Wording.count(many)}</a>`
    return {
      key: String(id),
      stage: state,
      cells: [
        id,
        html`<a href="${root}/subscriptions/${id}"><bdi class="url">${url}</bdi></a>`,
        pill(tones[state], state),
        subscribedTypes(events),
        linked("waiting", waiting),
        linked("delivered", delivered),
        linked("failed", failed),
        Wording.instant(createdAtMillis, now)
      ]
    }
  })

export const list = (world: Administered, now: number): Html =>
  table({
    caption: "Webhooks",
    columns: [
      { name: "Id", kind: "number" },
      { name: "URL" },
      { name: "State" },
      { name: "Events" },
      { name: "Waiting", kind: "number" },
      { name: "Delivered", kind: "number" },
      { name: "Failed", kind: "number" },
      { name: "Created" }
    ],
    rows: overviewRows(world, now),
    empty: "No webhooks yet. A worker creates its own when it starts; under Webhooks you can create one by hand."
  })

/** What was typed, and what is wrong with it. */
export interface Draft {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly complaint: string | undefined
}

export const emptyDraft: Draft = { url: "", events: eventTypes, complaint: undefined }

const groups = [...new Set(eventTypes.map((type) => type.split(".")[0] ?? ""))]

const checkboxes = (chosen: ReadonlyArray<string>) =>
  groups.map(
    (group) =>
      html`<div class="group">
        ${eventTypes
          .filter((type) => type.startsWith(`${group}.`))
          .map(
            (type) =>
              html`<label class="check">
                <input type="checkbox" name="events" value="${type}" ${chosen.includes(type) && html`checked`} />
                <code>${type}</code></label
              >`
          )}
      </div>`
  )

const creation = ({ complaint, events, url }: Draft) =>
  html`<section aria-labelledby="new" class="panel" data-keep data-key="creation">
    <h2 id="new">New webhook</h2>
    <form method="post" action="${root}/subscriptions" class="creation">
      ${complaint !== undefined && html`<p class="complaint" id="complaint" role="alert">Not created: ${complaint}.</p>`}
      <label for="url">URL</label>
      <input
        id="url"
        name="url"
        type="url"
        required
        value="${url}"
        placeholder="http://127.0.0.1:8080/webhooks"
        autocomplete="off"
        spellcheck="false"
        ${complaint !== undefined && html`aria-invalid="true" aria-describedby="complaint"`}
      />
      <fieldset>
        <legend>Event types</legend>
        <div class="groups">${checkboxes(events)}</div>
        <p class="row">
          <button type="button" class="small" data-check="all" hidden>All</button>
          <button type="button" class="small" data-check="none" hidden>None</button>
        </p>
      </fieldset>
      <p class="row"><button class="primary">Create webhook</button></p>
      <p class="note">It gets a <code>webhook.ping</code> at once. The next page shows its secret, once.</p>
    </form>
  </section>`

export const page = (world: Administered, now: number, draft: Draft): Page => ({
  section: "webhooks",
  title: "Webhooks",
  trail: [["API"]],
  body: html`${list(world, now)} ${creation(draft)}`
})

/** For a notice. */
export const secretOnce = (secret: string, reason: string): Html =>
  html`<p>${reason} This is its secret, shown only once:</p>
    <p class="secret">
      <code id="secret">${secret}</code>
      <button type="button" class="small" data-copy="secret" hidden>Copy</button>
    </p>`

/** An action that can't be undone takes two steps. */
const asked = (summary: string, explained: Shown, action: Html) =>
  html`<details class="asked" data-key="${summary}">
    <summary>${summary}</summary>
    <div>
      <p>${explained}</p>
      ${action}
    </div>
  </details>`

const loss = (waiting: number): string =>
  waiting === 0 ? "" : `${Wording.counted(waiting, "waiting delivery", "waiting deliveries")} will be dropped. `

const actions = ({ id, state }: Listed, waiting: number) => {
  const at = `${root}/subscriptions/${id}`
  return html`<div class="actions" data-hold>
    ${act(`${at}/test`, "Fire a test event", "primary")}
    ${state === "paused" ? act(`${at}/resume`, "Resume") : act(`${at}/pause`, "Pause")}
    ${asked(
      "New secret",
      "Every delivery from then on is signed with the new secret, waiting ones included. The old one is no longer used.",
      act(`${at}/secret`, "Make a new secret")
    )}
    ${asked(
      "Delete",
      `Nothing more will be delivered. ${loss(waiting)}This can't be undone.`,
      act(`${at}/delete`, "Delete this webhook", "danger")
    )}
  </div>`
}

const latestShown = 10

export const one = (world: Administered, webhook: Listed, now: number): Page => {
  const { createdAtMillis, events, id, state, url } = webhook
  const { delivered, failed, waiting } = world.deliveries.countsOf(id - 1)
  const latest = excerpt(world, { subscription: id }, latestShown).deliveries
  return {
    section: "webhooks",
    title: `Webhook ${id}`,
    trail: [["API"], ["Webhooks", `${root}/subscriptions`]],
    body: html`
      <dl class="facts">
        <dt>URL</dt>
        <dd><bdi class="url">${url}</bdi></dd>
        <dt>State</dt>
        <dd>${pill(tones[state], state)} ${state === "paused" && "Deliveries wait until it is resumed."}</dd>
        <dt>Event types</dt>
        <dd class="types">${events.map((type) => html`<code>${type}</code> `)}</dd>
        <dt>Created</dt>
        <dd>${Wording.instant(createdAtMillis, now)}</dd>
      </dl>
      ${actions(webhook, waiting)}
      ${figures([
        ["Waiting", Wording.count(waiting)],
        ["Delivered", Wording.count(delivered)],
        ["Failed", Wording.count(failed), undefined, failed > 0 && "bad"]
      ])}
      <h2>Latest deliveries</h2>
      ${DeliveryViews.list(world, latest, now, { caption: "Latest deliveries", empty: "None yet.", without: "Webhook" })}
      <p><a href="${root}/deliveries?subscription=${id}">All deliveries of this webhook</a></p>
    `
  }
}
