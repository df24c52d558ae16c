/**
 * The deliveries of an event, given the faults that are on when it happens: usually one, sometimes late, sometimes with
 * copies under another type or id. Pure: the seed and the event's number decide, so the same run makes the same
 * deliveries.
 */
import type { Delivery, Disguise } from "./Deliveries/Book.ts"
import type { Events } from "./Events.ts"
import { type Faults, hits } from "./Faults.ts"
import * as Identity from "./Identity.ts"
import { eventTypes } from "./Lifecycles.ts"
import * as Seed from "./Seed.ts"

export interface Planned {
  /** Real time after the event. */
  readonly delayMillis: number
  readonly copy: boolean
  readonly disguise: Disguise
}

export interface PlanOptions {
  readonly seed: number
  readonly microsPerStep: number
  readonly timeScale: number
}

/** Up to this many later events overtake a held-back delivery. */
const heldSteps = 8
const dayAndHourMillis = 25 * 3_600_000

/** Undefined: it isn't held back. */
const heldMillis = (options: PlanOptions, purpose: number, share: number, event: number): number | undefined => {
  const chance = Seed.share(options.seed, purpose, event)
  return chance < share ? ((1 + (chance / share) * (heldSteps - 1)) * options.microsPerStep) / 1000 : undefined
}

/** In the order in which to add them: deliveries that are due at the same instant are sent in this order. */
export const plan = (faults: Faults, options: PlanOptions, event: number): ReadonlyArray<Planned> => {
  const { seed, timeScale } = options
  const late = heldMillis(options, Seed.Purpose.held, faults.value("reorder"), event) ?? 0
  const delayMillis = hits(faults, seed, "hold-back", event) ? dayAndHourMillis / timeScale : late
  const again = heldMillis(options, Seed.Purpose.copied, faults.value("duplicate"), event)

  const planned: Array<Planned> = []
  const add = (delayMillis: number, copy: boolean, disguise: Disguise) => planned.push({ delayMillis, copy, disguise })
  if (hits(faults, seed, "relabel-before", event)) add(delayMillis, true, "other-type")
  add(delayMillis, false, hits(faults, seed, "reused-id", event) ? "used-id" : "none")
  if (hits(faults, seed, "relabel-after", event)) add(delayMillis, true, "other-type")
  if (hits(faults, seed, "other-id", event)) add(delayMillis, true, "other-id")
  if (again !== undefined) add(again, true, "none")
  return planned
}

export interface Contents {
  readonly type: string
  readonly id: string
  /** The body. */
  readonly text: string
}

export interface Recipient {
  readonly seed: number
  readonly identity: string
  readonly events: Events
  readonly event: number
  readonly subscription: { readonly events: ReadonlyArray<string>; readonly createdAtStep: number } | undefined
}

/** Another type that the subscription lists, or any other if it lists none. */
const otherType = (type: string, { event, seed, subscription }: Recipient): string => {
  const listed = (subscription?.events ?? []).filter((each) => each !== type)
  const others = listed.length > 0 ? listed : eventTypes.filter((each) => each !== type)
  return others[Seed.hash(seed, Seed.Purpose.otherType, event) % others.length] ?? type
}

/** The id of the last earlier event that the subscription received; its own if there is none. */
const usedId = (own: string, { event, events, subscription }: Recipient): string => {
  for (let before = event - 1; before >= (subscription?.createdAtStep ?? event); before--) {
    if (subscription?.events.includes(events.at(before).type) === true) return events.id(before)
  }
  return own
}

/** The same on every attempt. The body is always the event's own. */
export const disguised = (honest: Contents, disguise: Disguise, recipient: Recipient): Contents => {
  if (disguise === "other-type") return { ...honest, type: otherType(honest.type, recipient) }
  if (disguise === "other-id")
    return { ...honest, id: Identity.uuid(recipient.identity, "other event", recipient.event) }
  return disguise === "used-id" ? { ...honest, id: usedId(honest.id, recipient) } : honest
}

/** Depends on the delivery and on its number of attempts. */
export const isWronglySigned = (faults: Faults, seed: number, delivery: Delivery): boolean =>
  hits(faults, seed, "wrong-signature", delivery.id * 8 + delivery.attempts)
