/**
 * The administration for scripts: what its pages show, as JSON, under `/admin/api`. Assumed as a whole: the
 * interface document says that these actions exist in the administration UI and shows no API for them (§4.4).
 * Names are written as in the service's own API; instants in ISO 8601; secrets are told by what makes them only.
 */
import { Effect } from "effect"
import type { Delivery } from "../Deliveries.ts"
import {
  type Administered,
  contents,
  deliveryStates,
  excerpt,
  type Filter,
  filterOf,
  type Listed,
  numbered,
  subscriptions
} from "./Administered.ts"
import { Refused } from "./Refused.ts"
import * as Wording from "./Wording.ts"

export const subscription = (world: Administered, { createdAtMillis, events, id, state, url }: Listed) => ({
  id,
  url,
  events,
  state,
  created_at: Wording.iso(createdAtMillis),
  deliveries: world.deliveries.countsOf(id - 1)
})

export const delivery = (world: Administered, one: Delivery) => {
  const { deliveries } = world
  const { attempts, due, id, state, subscription } = one
  const said = contents(world, one)
  const at = (millis: number) => Wording.iso(deliveries.startedAtMillis + millis)
  return {
    id,
    subscription: subscription + 1,
    state,
    event_id: said.id,
    event_type: said.type,
    /** Of the present schedule; the latest ones, also of former schedules, are below. */
    attempts_made: attempts,
    attempts: deliveries.attempts(id).map((attempt) => ({
      at: at(attempt.at),
      answer: attempt.outcome,
      took_ms: attempt.tookMillis
    })),
    next_due: state === "waiting" ? at(due) : null
  }
}

/** `before`: to be asked for with, for older ones; null where there are none. */
export const deliveries = (world: Administered, filter: Filter, size: number) => {
  const { before, deliveries } = excerpt(world, filter, size)
  return { data: deliveries.map((one) => delivery(world, one)), before: before ?? null }
}

export const faults = ({ faults }: Administered) => ({
  data: faults.all().map(({ least, meaning, most, name, title, unit, value }) => ({
    name,
    title,
    meaning,
    unit,
    least,
    most,
    value
  }))
})

type Query = Readonly<Record<string, string | undefined>>
type Look = (world: Administered, query: Query, id: string) => Effect.Effect<unknown, Refused>

const standardSize = 25
const mostSize = 500

/** What can't be answered as it was meant; undefined: nothing. */
const wrongIn = (query: Query, filter: Filter, size: number): string | undefined => {
  const isLost = query["state"] !== undefined && filter.state === undefined
  if (isLost) return `state must be one of ${deliveryStates.join(", ")}`
  if (Number.isNaN(filter.before) || Number.isNaN(filter.subscription)) return "before and subscription are numbers"
  return size >= 1 && size <= mostSize ? undefined : `limit must be from 1 to ${mostSize}`
}

const deliveriesLook: Look = (world, query) => {
  const filter = filterOf(query)
  const size = query["limit"] === undefined ? standardSize : numbered(query["limit"])
  const wrong = wrongIn(query, filter, size)
  return wrong === undefined
    ? Effect.sync(() => deliveries(world, filter, size))
    : Effect.fail(new Refused({ status: 400, message: wrong }))
}

const deliveryLook: Look = (world, _query, id) => {
  const found = world.deliveries.find(numbered(id))
  return found === undefined
    ? Effect.fail(new Refused({ status: 404, message: "there is no such delivery" }))
    : Effect.sync(() => delivery(world, found))
}

/** What can be asked for, by path. */
export const looks: ReadonlyArray<readonly [path: `/${string}`, look: Look]> = [
  [
    "/subscriptions",
    (world) => Effect.sync(() => ({ data: subscriptions(world).map((each) => subscription(world, each)) }))
  ],
  ["/deliveries", deliveriesLook],
  ["/deliveries/:id", deliveryLook],
  ["/faults", (world) => Effect.sync(() => faults(world))]
]
