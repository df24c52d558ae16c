/**
 * What siteledger reads from a sample of a delivery, of a list page or of the answer to a new subscription, with
 * today's configuration; and if that isn't everything, what to add to the two files of places and names. Pure, and it
 * uses the worker's own readers, so what is shown is what would happen.
 */
import { hash } from "node:crypto"
import { Effect, Exit } from "effect"
import type { Envelope } from "../../config/WireFiles.ts"
import { unpack } from "../../src/Domain/Body.ts"
import type { QuarantineReason } from "../../src/Domain/Event.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Limits from "../../src/Domain/Limits.ts"
import { byType, wires } from "./ConstructionEvents.ts"
import { secretIn } from "./ConstructionOrphan.ts"
import { changesOf } from "./ConstructionChanges.ts"
import { readPage } from "./ConstructionPages.ts"
import { projectsShape } from "./ConstructionShapes.ts"
import { at, find, join, type Lookup, lookupIn, type Place, placesIn } from "./ConstructionPlaces.ts"
import { optionsOf, read, type Wire } from "./ConstructionReader.ts"
import * as Suggest from "./ConstructionSuggestion.ts"

export interface SampleField {
  readonly name: string
  readonly value: string | null
  /** Dotted, from the top level; null if it isn't a field of the sample. */
  readonly path: string | null
}

export interface Described {
  readonly kind: "delivery" | "list" | "creation"
  readonly isReadable: boolean
  /** As one sentence. */
  readonly summary: string
  readonly fields: ReadonlyArray<SampleField>
  /** Fields without a column, which are kept in `_extra`. */
  readonly rest: ReadonlyArray<string>
}

export interface Sample extends Described {
  /** What to add, and how the sample would then be read; null if there is nothing to suggest. */
  readonly suggested: (Suggest.Suggestion & { readonly after: Described }) | null
}

interface Given {
  readonly bytes: Uint8Array
  readonly text: string
  readonly body: unknown
  readonly nowMs: number
}

/** `nowMs` decides whether an event's time is in the future. */
export const describe = (bytes: Uint8Array, wire: Wire, nowMs: number): Sample => {
  const plain = unpack(bytes, wire.webhookMaxBytes)
  const text = plain === "too-large" ? "" : new TextDecoder().decode(plain)
  const given: Given = { bytes, text, body: Json.parse(text), nowMs }
  const kind = kindOf(given, wire)
  const now = as[kind](given, wire)
  const suggestion = suggestionFor(kind, given, wire)
  if (suggestion === undefined) return { ...now, suggested: null }
  const after = as[kind](given, extended(wire, suggestion))
  const isBetter = after.isReadable ? !now.isReadable || hasMore(after, now) : !now.isReadable && hasMore(after, now)
  return { ...now, suggested: isBetter ? { ...suggestion, after } : null }
}

const hasMore = (after: Described, now: Described): boolean => after.fields.length > now.fields.length

const kindOf = (given: Given, wire: Wire): Described["kind"] => {
  if (delivery(given, wire).isReadable) return "delivery"
  if (list(given, wire).isReadable || Suggest.ofList(given.body) !== undefined) return "list"
  return Suggest.ofCreation(given.body) === undefined ? "delivery" : "creation"
}

const suggestionFor = (
  kind: Described["kind"],
  { body }: Given,
  { envelope, fieldAliases }: Wire
): Suggest.Suggestion | undefined => {
  const lookup = lookupIn(placesIn(body, envelope.delivery), fieldAliases)
  const suggestion = {
    delivery: () => Suggest.ofDelivery(body, (name) => lookup([name]) !== undefined, envelope.delivery),
    list: () => Suggest.ofList(body),
    creation: () => Suggest.ofCreation(body)
  }[kind]()
  const isEmpty = Object.keys({ ...suggestion?.aliases, ...suggestion?.envelope }).length === 0
  return isEmpty ? undefined : suggestion
}

/** As if the files also said this. */
const extended = (wire: Wire, { aliases, envelope }: Suggest.Suggestion): Wire => {
  const { creation, delivery, list } = wire.envelope
  const both = (name: keyof Envelope["list"]) => [...(envelope.list?.[name] ?? []), ...list[name]]
  return {
    ...wire,
    fieldAliases: {
      ...wire.fieldAliases,
      ...Object.fromEntries(
        Object.entries(aliases).map(([name, more]) => [name, [...(wire.fieldAliases[name] ?? []), ...more]])
      )
    },
    envelope: {
      delivery: [...(envelope.delivery ?? []), ...delivery],
      list: { data: both("data"), total: both("total"), page: both("page"), per_page: both("per_page") },
      creation: [...(envelope.creation ?? []), ...creation]
    }
  }
}

const delivery = ({ body, bytes, nowMs }: Given, wire: Wire): Described => {
  const event = {
    sequence: 0,
    bodySha256: hash("sha256", bytes),
    body: bytes,
    eventId: "",
    headerType: null,
    issuedAt: null,
    receivedAt: Instant.fromMillis(nowMs),
    deliveries: 1,
    replayed: false
  }
  const reading = read(optionsOf(wire), event, nowMs * 1000)
  const isHeld = reading.change === undefined || Limits.canHold(reading.change)
  const reason = reading.reason ?? (isHeld ? null : "not-storable")
  const places = placesIn(body, wire.envelope.delivery)
  const lookup = lookupIn(places, wire.fieldAliases)
  const type = byType.get(reading.type ?? "")
  const names: Readonly<Record<string, ReadonlyArray<string>>> =
    type === undefined ? {} : { ...wires[type.entity].fields, ...type.fields }
  const field = (name: string, value: string | null, looked: ReadonlyArray<string>): SampleField => ({
    name,
    value,
    path: lookup(looked)?.path ?? null
  })
  return {
    kind: "delivery",
    isReadable: reason === null,
    summary:
      reason === null
        ? `A delivery, ${reading.type ?? ""}.`
        : `A delivery that would wait in quarantine: ${sentences[reason]} (${reason}).`,
    fields: [
      { name: "event type", value: reading.type, path: typePath(reading.type, places, lookup) },
      field("event_timestamp", reading.eventTimestamp, ["event_timestamp"]),
      ...(type === undefined ? [] : [field(wires[type.entity].key, reading.entityId, [wires[type.entity].key])]),
      ...Object.entries(reading.change?.values ?? {}).flatMap(([column, value]) =>
        names[column] === undefined ? [] : [field(column, value, names[column])]
      )
    ].filter(({ value }) => value !== null),
    rest: Object.keys(reading.change?.extra ?? {})
  }
}

/** Null if only its fields prove it. */
const typePath = (type: string | null, places: ReadonlyArray<Place>, lookup: Lookup): string | null => {
  const declared = lookup(["event_type", "event"])?.path
  const place = places.find(({ fields }) => type !== null && fields["type"] === type)
  return declared ?? (place === undefined ? null : join(place.path, "type"))
}

const sentences: Readonly<Record<QuarantineReason | "not-storable", string>> = {
  "too-large": "it is larger than SITELEDGER_WEBHOOK_MAX_BYTES",
  "not-utf8": "it isn't UTF-8",
  "not-json": "it isn't JSON",
  "not-an-object": "it isn't a JSON object",
  "unknown-type": "its event type isn't one that siteledger knows",
  "type-not-provable": "its fields prove no event type",
  "no-key": "it doesn't say which record it is about",
  "no-event-time": "it has no readable event_timestamp",
  "event-time-ahead": "it happened more than a day from now",
  "amount-does-not-fit": "an amount has too many digits, or is no number",
  "not-storable": "it holds a NUL, or an id of more than 2,000 bytes"
}

const list = ({ body, text, nowMs }: Given, wire: Wire): Described => {
  const answer = { text, startedMs: nowMs, endedMs: nowMs, serviceMs: undefined }
  const shape = projectsShape(wire.fieldAliases, wire.envelope.list)
  const page = Effect.runSyncExit(readPage(answer, shape))
  const failed = (summary: string): Described => ({ kind: "list", isReadable: false, summary, fields: [], rest: [] })
  if (Exit.isFailure(page)) return failed("A list page whose records and counts aren't found.")
  const { bad, changes } = changesOf(page.value, shape)
  const [first] = changes
  const nameless = bad.filter(({ reason }) => reason === "no-key").length
  if (nameless > 0 || first === undefined) {
    return failed(`A list page: ${nameless} of ${page.value.records.length} records have no integer id.`)
  }
  const data = wire.envelope.list.data.find((path) => at(body, path) !== undefined) ?? ""
  const places = placesIn(page.value.records[0], [])
  const pathOf = (all: ReadonlyArray<string>): string => `${data}[].${find(places, all)?.path ?? ""}`
  return {
    kind: "list",
    isReadable: true,
    summary: `A list page with ${changes.length} of ${page.value.total} projects. The first one:`,
    fields: [
      { name: "id", value: first.id, path: pathOf(shape.key.flatMap((part) => ("names" in part ? part.names : []))) },
      ...shape.columns.flatMap(([column, all]) =>
        column in first.values ? [{ name: column, value: first.values[column] ?? null, path: pathOf(all) }] : []
      )
    ],
    rest: Object.keys(first.extra)
  }
}

const creation = ({ body, text }: Given, wire: Wire): Described => {
  const isFound = secretIn(text, wire) !== undefined
  const path = lookupIn(placesIn(body, wire.envelope.creation), wire.fieldAliases)(["secret"])?.path ?? null
  return {
    kind: "creation",
    isReadable: isFound,
    summary: isFound
      ? "The answer to a new subscription, with its secret."
      : "The answer to a new subscription, in which no secret is found.",
    fields: isFound ? [{ name: "secret", value: "(not shown)", path }] : [],
    rest: []
  }
}

const as = { delivery, list, creation }
