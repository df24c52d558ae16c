/**
 * Deliveries (interface document §2.4, §3.2): by state, newest first, with their attempts, their bodies and their
 * replay.
 */
import type { Attempt, Delivery, Outcome } from "../Deliveries.ts"
import { type Disguise, isSuccess, retrySeconds } from "../Deliveries/Book.ts"
import { eventTypes } from "../Lifecycles.ts"
import {
  type Administered,
  contents,
  deliveryId,
  excerpt,
  type Filter,
  subscription,
  subscriptions
} from "./Administered.ts"
import { html, type Html, type Shown } from "./Html.ts"
import { act, type Column, type Page, pill, root, table, type Tone } from "./Page.ts"
import * as Wording from "./Wording.ts"

export const pageSize = 25

const nothing = html`<span class="none">–</span>`

const tones: Readonly<Record<Delivery["state"], Tone>> = { waiting: "wait", delivered: "good", failed: "bad" }

export const statePill = ({ state }: Delivery): Html => pill(tones[state], state)

const outcomeText = (outcome: Outcome): Html =>
  html`<span class="outcome ${isSuccess(outcome) ? "good" : "bad"}">${outcome}</span>`

const lastAnswer = (attempt: Attempt | undefined): Shown =>
  attempt === undefined
    ? nothing
    : html`${outcomeText(attempt.outcome)} <span class="took">${Wording.span(attempt.tookMillis)}</span>`

/** When the next attempt is due, or why there won't be one. */
const nextAttempt = (world: Administered, { due, state, subscription: number }: Delivery, now: number): Shown => {
  if (state !== "waiting") return nothing
  if (subscription(world, number + 1)?.state === "paused") return "when resumed"
  return Wording.until(world.deliveries.startedAtMillis + due, now)
}

const addressOf = (world: Administered, number: number, className = "url"): Shown => {
  const found = subscription(world, number + 1)
  return found === undefined
    ? html`<span class="none">deleted</span>`
    : html`<a href="${root}/subscriptions/${found.id}"><bdi class="${className}">${found.id} · ${found.url}</bdi></a>`
}

const replayOf = (world: Administered, { id, state, subscription: number }: Delivery): Shown =>
  state === "failed" &&
  subscription(world, number + 1) !== undefined &&
  act(`${root}/deliveries/${deliveryId(world, id)}/replay`, "Replay", "small", `delivery ${id}`)

interface Cell extends Column {
  readonly of: (world: Administered, delivery: Delivery, now: number) => Shown
}

const cells: ReadonlyArray<Cell> = [
  {
    name: "Delivery",
    kind: "number",
    of: (world, { id }) => html`<a href="${root}/deliveries/${deliveryId(world, id)}">${id}</a>`
  },
  { name: "State", of: (_, delivery) => statePill(delivery) },
  {
    name: "Event type",
    of: (world, delivery) => html`<code>${contents(world, delivery).type}</code>`
  },
  { name: "Webhook", of: (world, { subscription }) => addressOf(world, subscription, "url short") },
  { name: "Attempts", kind: "number", of: (_, { attempts }) => Wording.count(attempts) },
  { name: "Last answer", of: ({ deliveries }, { id }) => lastAnswer(deliveries.attempts(id).at(-1)) },
  {
    name: "At",
    of: ({ deliveries }, { id }, now) => {
      const last = deliveries.attempts(id).at(-1)
      return last === undefined ? nothing : Wording.instant(deliveries.startedAtMillis + last.at, now)
    }
  },
  { name: "Next", of: nextAttempt },
  { name: "Action", kind: "action", of: replayOf }
]

interface Listing {
  readonly caption: string
  readonly empty: string
  /** Name of a column to leave out because it would be the same in every row. */
  readonly without?: string
}

export const list = (
  world: Administered,
  shown: ReadonlyArray<Delivery>,
  now: number,
  { caption, empty, without }: Listing
): Html => {
  const columns = cells.filter(({ name }) => name !== without)
  const rows = shown.map((delivery) => ({
    key: String(delivery.id),
    cells: columns.map((column) => column.of(world, delivery, now))
  }))
  return html`<div data-hold>${table({ caption, columns, rows, empty, className: "deliveries" })}</div>`
}

const address = (filter: Filter): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? `${root}/deliveries` : `${root}/deliveries?${given.toString()}`
}

const tabs = (world: Administered, filter: Filter) => {
  const counts = world.deliveries.counts()
  const all = { ...filter, before: undefined }
  const tab = (name: string, state: Filter["state"], many: number) =>
    html`<li>
      <a href="${address({ ...all, state })}" ${filter.state === state && html`aria-current="true"`}
        >${name} <span class="many">${Wording.count(many)}</span></a
      >
    </li>`
  return html`<nav aria-label="States">
    <ul class="tabs">
      ${tab("All", undefined, counts.waiting + counts.delivered + counts.failed)}
      ${tab("Waiting", "waiting", counts.waiting)} ${tab("Delivered", "delivered", counts.delivered)}
      ${tab("Failed", "failed", counts.failed)}
    </ul>
  </nav>`
}

const choices = (filter: Filter, world: Administered) => {
  const option = (value: string, text: string, chosen: boolean) =>
    html`<option value="${value}" ${chosen && html`selected`}>${text}</option>`
  return html`<form class="choices" action="${root}/deliveries" data-keep data-key="choices">
    ${filter.state !== undefined && html`<input type="hidden" name="state" value="${filter.state}" />`}
    <label
      >Webhook
      <select name="subscription">
        ${option("", "All", filter.subscription === undefined)}
        ${subscriptions(world).map(({ id, url }) => option(String(id), `${id} · ${url}`, id === filter.subscription))}
      </select></label
    >
    <label
      >Event type
      <select name="type">
        ${option("", "All", filter.type === undefined)}
        ${[...eventTypes, "webhook.ping", "webhook.test"].map((type) => option(type, type, type === filter.type))}
      </select></label
    >
    <button>Filter</button>
  </form>`
}

const replayAll = (filter: Filter, failed: number) =>
  filter.state === "failed" &&
  failed > 0 &&
  act(
    `${root}/deliveries/replay${filter.subscription === undefined ? "" : `?subscription=${filter.subscription}`}`,
    filter.subscription === undefined ? "Replay all failed" : "Replay all failed for this webhook"
  )

export const page = (world: Administered, filter: Filter, now: number): Page => {
  const { before, deliveries } = excerpt(world, filter, pageSize)
  const { dropped, failed } = world.deliveries.counts()
  return {
    section: "deliveries",
    title: "Deliveries",
    trail: [["API"], ["Webhooks", `${root}/subscriptions`]],
    body: html`
      ${tabs(world, filter)}
      <div class="tools">${choices(filter, world)} ${replayAll(filter, failed)}</div>
      ${list(world, deliveries, now, { caption: "Deliveries, newest first", empty: "No matching deliveries." })}
      <nav class="pager" aria-label="Pages">
        ${filter.before !== undefined && html`<a href="${address({ ...filter, before: undefined })}">Newest</a>`}
        ${before !== undefined && html`<a href="${address({ ...filter, before })}">Older</a>`}
      </nav>
      ${
        dropped > 0 &&
        html`<p class="note">
          ${Wording.counted(dropped, "delivery was", "deliveries were")} dropped when webhooks were deleted.
        </p>`
      }
    `
  }
}

const disguises: Readonly<Record<Disguise, string>> = {
  none: "",
  "other-type": "sent under another type",
  "other-id": "sent under another event id",
  "used-id": "sent under the id of the previous event"
}

const attemptsTable = (world: Administered, delivery: Delivery, now: number) => {
  const attempts = world.deliveries.attempts(delivery.id)
  return table({
    caption: "Attempts, newest first",
    className: "attempts",
    columns: [{ name: "Attempt at" }, { name: "Answer" }, { name: "Took", kind: "number" }],
    rows: attempts
      .map(({ at, outcome, tookMillis }) => ({
        key: String(at),
        cells: [
          Wording.instant(world.deliveries.startedAtMillis + at, now),
          outcomeText(outcome),
          Wording.span(tookMillis)
        ]
      }))
      .toReversed(),
    empty:
      delivery.attempts === 0 ? "Not attempted yet." : "Too long ago: only the latest deliveries keep their attempts."
  })
}

export const one = (world: Administered, delivery: Delivery, now: number): Page => {
  const { id, text, type } = contents(world, delivery)
  return {
    section: "deliveries",
    title: `Delivery ${delivery.id}`,
    trail: [["API"], ["Deliveries", `${root}/deliveries`]],
    body: html`
      <dl class="facts">
        <dt>State</dt>
        <dd>${statePill(delivery)}</dd>
        <dt>Event type</dt>
        <dd><code>${type}</code></dd>
        <dt>Event id</dt>
        <dd><code>${id}</code></dd>
        <dt>Webhook</dt>
        <dd>${addressOf(world, delivery.subscription)}</dd>
        ${
          delivery.disguise !== "none" &&
          html`<dt>Fault</dt>
            <dd>${disguises[delivery.disguise]}</dd>`
        }
        <dt>Attempts</dt>
        <dd>${Wording.count(delivery.attempts)} of ${retrySeconds.length + 1}</dd>
        <dt>Next attempt</dt>
        <dd>${nextAttempt(world, delivery, now)}</dd>
      </dl>
      ${replayOf(world, delivery)}
      <h2>Attempts</h2>
      ${attemptsTable(world, delivery, now)}
      <h2 id="body-heading">Body</h2>
      <pre tabindex="0" role="region" aria-labelledby="body-heading">${text}</pre>
    `
  }
}
