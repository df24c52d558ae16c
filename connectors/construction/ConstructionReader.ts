/**
 * Reads a signed body as an event of the service: its type as the body proves it, its entity, time and fields. Headers
 * prove nothing: a type header that disagrees only raises an alarm, and one that names a ping is believed only if the body
 * proves no type.
 *
 * The contents may be at the top level, under `data` or under `payload` (the interface document doesn't show the envelope,
 * §6). What can't be read is quarantined with a reason, never guessed.
 */
import { Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import { type Event, EventReader, type QuarantineReason, type Reading } from "../../src/Domain/Event.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import {
  byType,
  documentAliases,
  type EventType,
  eventTypes,
  ping,
  stageColumn,
  stageOf,
  wires
} from "./ConstructionEvents.ts"
import * as Fields from "./ConstructionFields.ts"

export interface ReaderOptions {
  /** Our wire name → the service's other names for it. */
  readonly aliases: Readonly<Record<string, ReadonlyArray<string>>>
  /** Lets the type header choose among several proven types. */
  readonly trustTypeHeader: boolean
}

type Body = Readonly<Record<string, unknown>>
type Lookup = (names: ReadonlyArray<string>) => { readonly name: string; readonly value: unknown } | undefined

/** An event time further ahead than this would freeze its fields. */
const aheadMicros = 24 * 60 * 60 * 1_000_000

const decoder = new TextDecoder("utf-8", { fatal: true })

export const layer = Layer.effect(
  EventReader,
  Effect.map(ServiceSettings, ({ fieldAliases, trustTypeHeader }) =>
    EventReader.of({
      read: (event, nowMicros) => read({ aliases: fieldAliases, trustTypeHeader }, event, nowMicros)
    })
  )
)

export const read = (options: ReaderOptions, event: Event, nowMicros: number): Reading => {
  const body = parseBody(event.body)
  if (typeof body === "string") return isPing(event) ? pinged(null) : quarantined(labelOf(event), body)
  const places = Fields.contentsIn(body)
  const lookup = lookupIn(places, options.aliases)
  const type = typeOf(options, event, declaredType(places, lookup), lookup)
  const micros = Instant.readMicros(lookup(["event_timestamp"])?.value)
  const timestamp = micros === undefined ? null : Instant.fromMicros(micros)
  if (type === ping) return { ...pinged(timestamp), relabelled: isRelabelled(event, ping) }
  if (typeof type === "string") return { ...quarantined(labelOf(event), type), eventTimestamp: timestamp }
  const resource = Resource.byName(type.entity)
  const key = lookup([wires[type.entity].key])
  const id = Resource.readKey(resource, key?.value)
  const fields = fieldsOf(type, resource, places, lookup, key?.name)
  const reading = {
    type: type.type,
    relabelled: isRelabelled(event, type.type),
    eventTimestamp: timestamp,
    entity: type.entity,
    entityId: id ?? null,
    misfits: fields.misfitCount
  }
  if (id === undefined) return { ...reading, reason: "no-key", change: undefined }
  if (micros === undefined || timestamp === null) return { ...reading, reason: "no-event-time", change: undefined }
  if (micros > nowMicros + aheadMicros) return { ...reading, reason: "event-time-ahead", change: undefined }
  if (fields.badAmount) return { ...reading, reason: "amount-does-not-fit", change: undefined }
  const change: Change = {
    entity: type.entity,
    id,
    version: Version.make(micros, stageOf(type), event.bodySha256),
    source: "event",
    seenAt: event.receivedAt,
    values: { ...fields.values, [stageColumn(type)]: timestamp },
    misfits: fields.misfits,
    extra: fields.extra
  }
  return { ...reading, reason: null, change }
}

const parseBody = (bytes: Uint8Array): Body | QuarantineReason => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return "not-utf8"
  }
  const value = Json.parse(text)
  if (value === undefined) return "not-json"
  return Json.isObject(value) ? value : "not-an-object"
}

const lookupIn =
  (places: ReadonlyArray<Body>, aliases: ReaderOptions["aliases"]): Lookup =>
  (names) => {
    let empty: { readonly name: string; readonly value: null } | undefined
    for (const name of names.flatMap((each) => [each, ...(aliases[each] ?? []), ...(documentAliases[each] ?? [])])) {
      for (const place of places) {
        const value = Object.hasOwn(place, name) ? place[name] : undefined
        // `type` may be the event's type here, with a permit's own type further down.
        if (value === undefined || (name === "type" && isKnownType(value))) continue
        // A null counts only if no other spelling or place has a value.
        if (value !== null) return { name, value }
        empty ??= { name, value }
      }
    }
    return empty
  }

const isKnownType = (value: unknown): value is string =>
  typeof value === "string" && (byType.has(value) || value === ping)

/** The types in the headers of this body's deliveries, in the order of arrival. */
const labels = ({ headerType, otherTypes = [] }: Event): ReadonlyArray<string> =>
  headerType === null ? otherTypes : [headerType, ...otherTypes]

const labelOf = (event: Event): string | null =>
  labels(event).find((label) => label !== ping) ?? labels(event)[0] ?? null

const isRelabelled = (event: Event, type: string): boolean => labels(event).some((label) => label !== type)

/** Only if no header disagrees: the first sender of a body must not be able to bury it as a ping. */
const isPing = (event: Event): boolean => labelOf(event) === ping

/** The proven type, or why there is none. */
const typeOf = (
  options: ReaderOptions,
  event: Event,
  declared: string | undefined,
  lookup: Lookup
): EventType | typeof ping | QuarantineReason => {
  const has = (name: string): boolean => lookup([name])?.value != null
  const isProven = (type: EventType): boolean => type.proof.some((group) => group.every(has))
  const declaredRow = declared === undefined ? undefined : byType.get(declared)
  if (declaredRow !== undefined && isProven(declaredRow)) return declaredRow
  if (declared === ping) return ping
  if (declared !== undefined && declaredRow === undefined) return "unknown-type"
  const proven = eventTypes.filter(isProven)
  const keyed = proven.filter((type) => has(wires[type.entity].key))
  const candidates = keyed.length > 0 ? keyed : proven
  const [only, ...others] = candidates
  if (only === undefined) return isPing(event) && declared === undefined ? ping : "type-not-provable"
  if (others.length === 0) return only
  const named = labels(event).flatMap((label) => candidates.filter((type) => type.type === label))
  const furthest = named.find((type) => isFurthestOfOneEntity(type, candidates))
  // The first label wins, so a later forgery changes nothing that was applied.
  return (options.trustTypeHeader ? named[0] : furthest) ?? "type-not-provable"
}

const isFurthestOfOneEntity = (type: EventType, candidates: ReadonlyArray<EventType>): boolean =>
  candidates.every((other) => other.entity === type.entity && stageOf(other) <= stageOf(type))

/** `event_type` or `event`, or `type` if its value is a known event type. */
const declaredType = (places: ReadonlyArray<Body>, lookup: Lookup): string | undefined => {
  for (const name of ["event_type", "event"]) {
    const value = lookup([name])?.value
    if (typeof value === "string") return value
  }
  return places.map((place) => place["type"]).find(isKnownType)
}

const envelope = new Set(["event_type", "event", "event_timestamp"])

const fieldsOf = (
  type: EventType,
  resource: Resource.Resource,
  places: ReadonlyArray<Body>,
  lookup: Lookup,
  keyName = wires[type.entity].key
) => {
  const fields = Fields.empty()
  const used = new Set<string>([keyName])
  let badAmount = false
  let misfitCount = 0
  for (const [column, names] of Object.entries({ ...wires[type.entity].fields, ...type.fields })) {
    const columnType = resource.columns[column]?.type ?? "JSON"
    const found = lookup(names)
    if (found === undefined) continue
    used.add(found.name)
    const value = found.value
    const plain = column === "project_id" && Json.isObject(value) ? value["id"] : value
    const fits = Fields.set(fields, column, columnType, plain)
    const isMisfit = !fits && !Resource.isMoney(columnType)
    badAmount ||= !fits && !isMisfit
    misfitCount += isMisfit ? 1 : 0
    // An object that holds the id is kept whole: under its own name, or with the column that bears this name.
    if (isMisfit || (plain !== value && found.name === column)) Fields.keepMisfit(fields, column, value)
    else if (plain !== value) Fields.keepUnknown(fields, found.name, value)
  }
  keepUnknown(fields, places, used)
  return { ...fields, misfitCount, badAmount }
}

/** What has no column, the outermost first. */
const keepUnknown = (fields: Fields.Collected, places: ReadonlyArray<Body>, used: ReadonlySet<string>): void => {
  const containers = new Set<unknown>(places)
  for (const place of places) {
    for (const name of Object.keys(place)) {
      const value = place[name]
      const isEnvelope = envelope.has(name) && !Json.isObject(value)
      if (used.has(name) || isEnvelope || containers.has(value) || Object.hasOwn(fields.extra, name)) continue
      if (name === "type" && isKnownType(value)) continue
      Fields.keepUnknown(fields, name, value)
    }
  }
}

const quarantined = (type: string | null, reason: QuarantineReason): Reading => ({
  type,
  relabelled: false,
  eventTimestamp: null,
  entity: null,
  entityId: null,
  reason,
  change: undefined,
  misfits: 0
})

const pinged = (eventTimestamp: string | null): Reading => ({
  type: ping,
  relabelled: false,
  eventTimestamp,
  entity: null,
  entityId: null,
  reason: null,
  change: undefined,
  misfits: 0
})
