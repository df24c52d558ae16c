/**
 * Reads a signed body as an event of the service: its type as the body proves it, its entity, time and fields. Headers
 * prove nothing: a type header that disagrees only raises an alarm, and one that names a ping is believed only if the body
 * proves no type.
 *
 * What can't be read is quarantined with a reason, never guessed. Pure.
 */
import type { ServiceSettings } from "../../config/Settings.ts"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import { unpack } from "../../src/Domain/Body.ts"
import { aheadMicros, type Event, type QuarantineReason, type Reading } from "../../src/Domain/Event.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import { type EventType, eventTypes, isKnownType, ping, stageColumn, stageOf, wires } from "./ConstructionEvents.ts"
import * as Fields from "./ConstructionFields.ts"
import {
  type Aliases,
  type Body,
  type Found,
  type Lookup,
  lookupIn,
  type Place,
  placesIn
} from "./ConstructionPlaces.ts"
import { declaredType, isPing, isRelabelled, labelOf, typeOf } from "./ConstructionTypes.ts"

export interface ReaderOptions {
  /** Our wire name → the service's other names for it. */
  readonly aliases: Aliases
  /** Where contents may be, besides the top level. */
  readonly contentsAt: ReadonlyArray<string>
  /** Lets the type header choose among several proven types. */
  readonly trustTypeHeader: boolean
  /** The limit for a body, also when unpacked. */
  readonly maximumBytes: number
}

const byteOrderMark = "\ufeff"
/** Keeps the byte order mark, because analysts see the body as it came. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** What determines how a delivery is read. */
export type Wire = Pick<ServiceSettings["Service"], "envelope" | "fieldAliases" | "trustTypeHeader" | "webhookMaxBytes">

export const optionsOf = (settings: Wire): ReaderOptions => ({
  aliases: settings.fieldAliases,
  contentsAt: settings.envelope.delivery,
  trustTypeHeader: settings.trustTypeHeader,
  maximumBytes: settings.webhookMaxBytes
})

export const read = (options: ReaderOptions, event: Event, nowMicros: number): Reading => {
  const { body, text } = parseBody(event.body, options.maximumBytes)
  if (typeof body === "string") return isPing(event) ? pinged(text, null) : quarantined(text, labelOf(event), body)
  const places = placesIn(body, options.contentsAt)
  const lookup = lookupIn(places, options.aliases)
  const typed = typeOf(options.trustTypeHeader, event, declaredType(places, lookup), lookup)
  const time = lookup(["event_timestamp"])
  const micros = Instant.readMicros(time?.value)
  const timestamp = micros === undefined ? null : Instant.fromMicros(micros)
  if (typed === ping) return { ...pinged(text, timestamp), relabelled: isRelabelled(event, ping) }
  if (typeof typed === "string") return { ...quarantined(text, labelOf(event), typed), eventTimestamp: timestamp }
  const { isByLabel, row: type } = typed
  const resource = Resource.byName(type.entity)
  const key = lookup([wires[type.entity].key])
  const id = Value.readKey(resource, key?.value)
  const declared = lookup(["event_type"])
  const head = [key, time, typeof declared?.value === "string" ? declared : undefined]
  const fields = fieldsOf(type, places, lookup, options.aliases, head)
  const reading = {
    text,
    type: type.type,
    isByLabel,
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

interface Parsed {
  readonly text: string | null
  readonly body: Body | QuarantineReason
}

const parseBody = (bytes: Uint8Array, maximumBytes: number): Parsed => {
  const plain = unpack(bytes, maximumBytes)
  if (plain === "too-large") return { text: null, body: plain }
  let text: string
  try {
    text = decoder.decode(plain)
  } catch {
    return { text: null, body: "not-utf8" }
  }
  const value = Json.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  if (value === undefined) return { text, body: "not-json" }
  return { text, body: Json.isObject(value) ? value : "not-an-object" }
}

const envelope = new Set(["event_type", "event", "event_timestamp"])

/** By event type: the columns that it may fill, with the wire's names for them. */
const columnsOf = new Map(
  eventTypes.map((type) => [
    type,
    Object.entries({ ...wires[type.entity].fields, ...type.fields }).map(([name, names]) => ({
      name,
      names,
      type: Resource.byName(type.entity).columns[name]?.type ?? "JSON"
    }))
  ])
)

const fieldsOf = (
  type: EventType,
  places: ReadonlyArray<Place>,
  lookup: Lookup,
  aliases: Aliases,
  head: ReadonlyArray<Found | undefined>
) => {
  const fields = Fields.empty()
  const taken = head.filter((field) => field !== undefined)
  let badAmount = false
  let misfitCount = 0
  for (const { name: column, names, type: columnType } of columnsOf.get(type) ?? []) {
    const found = lookup(names.length === 0 ? (aliases[column] ?? []) : names)
    if (found === undefined) continue
    taken.push(found)
    const value = found.value
    const plain = column === "project_id" && Json.isObject(value) ? value["id"] : value
    const fits = Fields.set(fields, column, columnType, plain)
    const isMisfit = !fits && !Resource.isMoney(columnType)
    badAmount ||= !fits && !isMisfit
    misfitCount += isMisfit ? 1 : 0
    // An object that contains the id is kept whole: under its own name, or with the column of that name. So is a time.
    const isWhole = plain === value ? !Fields.isPart(columnType, value) : found.name !== column
    if (isMisfit || !isWhole) Fields.keepMisfit(fields, column, value)
    else if (plain !== value) Fields.keepUnknown(fields, found.name, value)
  }
  Fields.keepRest(fields, places, taken, isEnvelope)
  return { ...fields, misfitCount, badAmount }
}

const isEnvelope = (name: string, value: unknown): boolean =>
  (envelope.has(name) && !Json.isObject(value)) || (name === "type" && isKnownType(value))

const quarantined = (text: string | null, type: string | null, reason: QuarantineReason): Reading => ({
  text,
  type,
  isByLabel: false,
  relabelled: false,
  eventTimestamp: null,
  entity: null,
  entityId: null,
  reason,
  change: undefined,
  misfits: 0
})

const pinged = (text: string | null, eventTimestamp: string | null): Reading => ({
  text,
  type: ping,
  isByLabel: false,
  relabelled: false,
  eventTimestamp,
  entity: null,
  entityId: null,
  reason: null,
  change: undefined,
  misfits: 0
})
