/**
 * The type of an event, as its signed body proves it: declared and with its distinctive fields, or the only type whose
 * distinctive fields are present. Unsigned headers prove nothing; they only choose among types that the body proves,
 * and a ping is believed from a header only if the body proves no type.
 */
import type { Event, QuarantineReason } from "../../src/Domain/Event.ts"
import { byType, type EventType, eventTypes, isKnownType, ping, stageOf, wires } from "./ConstructionEvents.ts"
import type { Lookup, Place } from "./ConstructionPlaces.ts"

/** The types in the headers of this body's deliveries, in the order of arrival. */
const labels = ({ headerType, otherTypes = [] }: Event): ReadonlyArray<string> =>
  headerType === null ? otherTypes : [headerType, ...otherTypes]

export const labelOf = (event: Event): string | null =>
  labels(event).find((label) => label !== ping) ?? labels(event)[0] ?? null

export const isRelabelled = (event: Event, type: string): boolean => labels(event).some((label) => label !== type)

/** Only if no header disagrees: the first sender of a body must not be able to hide it as a ping. */
export const isPing = (event: Event): boolean => labelOf(event) === ping

export interface Typed {
  readonly row: EventType
  /** The header of a later delivery chose it, because that of the first could not. */
  readonly isByLabel: boolean
}

const proven = (row: EventType): Typed => ({ row, isByLabel: false })

/** The types that a body may have, before any header is considered; "unknown-type" if it declares another one. */
export const candidatesOf = (
  declared: string | undefined,
  lookup: Lookup
): ReadonlyArray<EventType> | typeof ping | "unknown-type" => {
  const has = (name: string): boolean => lookup([name])?.value != null
  const isProven = (type: EventType): boolean => type.proof.some((group) => group.every(has))
  const declaredRow = declared === undefined ? undefined : byType.get(declared)
  if (declaredRow !== undefined && isProven(declaredRow)) return [declaredRow]
  if (declared === ping) return ping
  if (declared !== undefined && declaredRow === undefined) return "unknown-type"
  const shown = eventTypes.filter(isProven)
  const keyed = shown.filter((type) => has(wires[type.entity].key))
  return keyed.length > 0 ? keyed : shown
}

/** The proven type, or why there is none. */
export const typeOf = (
  trustsHeader: boolean,
  event: Event,
  declared: string | undefined,
  lookup: Lookup
): Typed | typeof ping | QuarantineReason => {
  const candidates = candidatesOf(declared, lookup)
  if (typeof candidates === "string") return candidates
  const [only, ...others] = candidates
  if (only === undefined) return isPing(event) && declared === undefined ? ping : "type-not-provable"
  if (others.length === 0) return proven(only)
  const named = labels(event).flatMap((label) => candidates.filter((type) => type.type === label))
  if (trustsHeader) return named[0] === undefined ? "type-not-provable" : proven(named[0])
  // The first label wins, so a later forgery changes nothing that was applied.
  const row = named.find((type) => isFurthestOfOneEntity(type, candidates))
  return row === undefined ? "type-not-provable" : { row, isByLabel: row.type !== event.headerType }
}

const isFurthestOfOneEntity = (type: EventType, candidates: ReadonlyArray<EventType>): boolean =>
  candidates.every((other) => other.entity === type.entity && stageOf(other) <= stageOf(type))

/** `event_type` or `event`, or `type` if its value is a known event type. */
export const declaredType = (places: ReadonlyArray<Place>, lookup: Lookup): string | undefined => {
  for (const name of ["event_type", "event"]) {
    const value = lookup([name])?.value
    if (typeof value === "string") return value
  }
  return places.map(({ fields }) => fields["type"]).find(isKnownType)
}
