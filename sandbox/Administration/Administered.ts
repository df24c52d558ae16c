/**
 * The parts of a running sandbox that the administration works on, and the read-only views that its pages and its JSON
 * side share. Subscriptions are numbered from 1 for people.
 */
import type { Catalogue } from "../Catalogue.ts"
import type { Delivery, Deliveries, DeliveryState } from "../Deliveries.ts"
import type { Events } from "../Events.ts"
import type { Faults } from "../Faults.ts"
import * as Identity from "../Identity.ts"
import type { Clients } from "../OAuth/Clients.ts"
import type { ResolvedOptions } from "../Options.ts"
import type { Projects } from "../Projects.ts"
import type { Simulation } from "../Simulation.ts"
import type { Subscription, Subscriptions } from "../Subscriptions.ts"

export interface Administered {
  readonly options: ResolvedOptions
  readonly events: Events
  readonly projects: Projects
  readonly subscriptions: Subscriptions
  readonly deliveries: Deliveries
  readonly simulation: Simulation
  readonly faults: Faults
  readonly clients: Clients
  readonly catalogue: Catalogue | undefined
  /** Requests counted against the clients' plans in the last 60 seconds. */
  readonly usedLastMinute: (nowMillis: number) => number
}

/** A number as a person may have typed it. NaN: not a whole number. */
export const numbered = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

/** `3f9a1c-17`: no other service has a delivery of this id. */
export const deliveryId = ({ options }: Pick<Administered, "options">, number: number): string =>
  `${Identity.deliveryTag(options.identity)}-${number}`

/** NaN: not the id of a delivery of this service. */
export const deliveryNumber = (world: Administered, id: string): number => {
  const number = numbered(id.slice(id.lastIndexOf("-") + 1))
  return deliveryId(world, number) === id ? number : Number.NaN
}

export interface Listed extends Subscription {
  readonly id: number
}

export const subscriptions = ({ subscriptions }: Administered): ReadonlyArray<Listed> =>
  subscriptions
    .all()
    .map((subscription, number) => ({ ...subscription, id: number + 1 }))
    .filter(({ state }) => state !== "deleted")

export const subscription = (world: Administered, id: number): Listed | undefined =>
  subscriptions(world).find((each) => each.id === id)

export const deliveryStates: ReadonlyArray<DeliveryState> = ["waiting", "delivered", "failed"]

/** The type, id and body of a delivery as they go over the wire. */
export const contents = ({ subscriptions }: Administered, { disguise, event, subscription }: Delivery) =>
  subscriptions.contents(subscription, event, disguise) ?? { type: "unknown", id: "unknown", text: "" }

export interface Filter {
  /** Default: all. */
  readonly state?: DeliveryState | undefined
  /** From 1. */
  readonly subscription?: number | undefined
  readonly type?: string | undefined
  /** Only deliveries older than this one. */
  readonly before?: number | undefined
}

const given = (text: string | undefined): string | undefined => (text === "" ? undefined : text)

const numberGiven = (text: string | undefined): number | undefined =>
  given(text) === undefined ? undefined : numbered(text ?? "")

/** An unknown state selects all of them. */
export const filterOf = ({
  before,
  state,
  subscription,
  type
}: Readonly<Record<string, string | undefined>>): Filter => ({
  state: deliveryStates.find((each) => each === state),
  subscription: numberGiven(subscription),
  type: given(type),
  before: numberGiven(before)
})

export interface Excerpt {
  /** Newest first. */
  readonly deliveries: ReadonlyArray<Delivery>
  /** Where the next page, with older deliveries, begins; undefined: there is none. */
  readonly before: number | undefined
}

/**
 * How many deliveries a search by type looks at for one page. A rare type makes a short page; the next page has older
 * ones.
 */
const mostLookedAt = 5_000

/** The newest deliveries that pass the filter, at most `size`. */
export const excerpt = (world: Administered, filter: Filter, size: number): Excerpt => {
  const { before = Infinity, state, subscription, type } = filter
  const found = (state === undefined ? deliveryStates : [state])
    .flatMap((state) => world.deliveries.list(state))
    .filter((each) => each.id < before && (subscription === undefined || each.subscription === subscription - 1))
  // Sorted as plain numbers: there may be half a million, in no order.
  const ids = Float64Array.from(found, ({ id }) => id).toSorted()
  const looked = type === undefined ? size : mostLookedAt
  const oldest = ids[Math.max(0, ids.length - looked)] ?? 0
  const newest = found.filter(({ id }) => id >= oldest).toSorted((a, b) => b.id - a.id)
  const ofType = type === undefined ? newest : newest.filter((each) => contents(world, each).type === type)
  const deliveries = ofType.slice(0, size)
  const last = ofType.length > size ? deliveries.at(-1) : newest.at(-1)
  return { deliveries, before: last !== undefined && last.id > (ids[0] ?? 0) ? last.id : undefined }
}
