/**
 * The administration for scripts: the content of its pages as JSON, under `/admin/api`. All of it is assumed: the
 * interface document mentions these actions in the administration UI but shows no API for them (§4.4). Names follow
 * the service's own API; instants are ISO 8601. Only the actions that make a secret return it.
 */
import { Effect } from "effect"
import type { Delivery } from "../Deliveries.ts"
import { loopbackRedirect } from "../OAuth/Clients.ts"
import {
  type Administered,
  contents,
  deliveryId,
  deliveryNumber,
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

export const delivery = (world: Administered, record: Delivery) => {
  const { deliveries } = world
  const { attempts, due, id, state, subscription } = record
  const sent = contents(world, record)
  const at = (millis: number) => Wording.iso(deliveries.startedAtMillis + millis)
  return {
    id: deliveryId(world, id),
    subscription: subscription + 1,
    state,
    event_id: sent.id,
    event_type: sent.type,
    /** Counts the current schedule only. `attempts` has the latest attempts, including those of earlier schedules. */
    attempts_made: attempts,
    attempts: deliveries.attempts(id).map((attempt) => ({
      at: at(attempt.at),
      answer: attempt.outcome,
      took_ms: attempt.tookMillis
    })),
    next_due: state === "waiting" ? at(due) : null
  }
}

/** `before`: where the next page, with older deliveries, begins; null if there is none. */
export const deliveries = (world: Administered, filter: Filter, size: number) => {
  const { before, deliveries } = excerpt(world, filter, size)
  return { data: deliveries.map((each) => delivery(world, each)), before: before ?? null }
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

export const clients = ({ clients }: Administered) => ({
  data: [...clients.values()].map(({ grantTypes, id, name, plan, redirectUris, scopes, secret }) => ({
    client_id: id,
    client_secret: secret ?? null,
    client_name: name,
    grant_types: grantTypes,
    redirect_uris: [loopbackRedirect, ...redirectUris],
    scope: scopes.join(" "),
    requests_per_minute: Number.isFinite(plan) ? plan : null
  }))
})

type Query = Readonly<Record<string, string | undefined>>
export type View = (world: Administered, query: Query, id: string) => Effect.Effect<unknown, Refused>

const standardSize = 25
const mostSize = 500

/** What is wrong with the query; undefined: nothing. */
const wrongIn = (query: Query, filter: Filter, size: number): string | undefined => {
  const isUnknown = query["state"] !== undefined && filter.state === undefined
  if (isUnknown) return `state must be one of ${deliveryStates.join(", ")}`
  if (Number.isNaN(filter.before) || Number.isNaN(filter.subscription)) return "before and subscription must be numbers"
  return size >= 1 && size <= mostSize ? undefined : `limit must be from 1 to ${mostSize}`
}

const deliveriesView: View = (world, query) => {
  const filter = filterOf(query)
  const size = query["limit"] === undefined ? standardSize : numbered(query["limit"])
  const wrong = wrongIn(query, filter, size)
  return wrong === undefined
    ? Effect.sync(() => deliveries(world, filter, size))
    : Effect.fail(new Refused({ status: 400, message: wrong }))
}

const deliveryView: View = (world, _query, id) => {
  const found = world.deliveries.find(deliveryNumber(world, id))
  return found === undefined
    ? Effect.fail(new Refused({ status: 404, message: "there is no such delivery" }))
    : Effect.sync(() => delivery(world, found))
}

/** The views, by path. */
export const views: ReadonlyArray<readonly [path: `/${string}`, view: View]> = [
  [
    "/subscriptions",
    (world) => Effect.sync(() => ({ data: subscriptions(world).map((each) => subscription(world, each)) }))
  ],
  ["/deliveries", deliveriesView],
  ["/deliveries/:id", deliveryView],
  ["/faults", (world) => Effect.sync(() => faults(world))],
  ["/clients", (world) => Effect.sync(() => clients(world))]
]
