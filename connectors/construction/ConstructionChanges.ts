/**
 * The records of a page as changes of entities, by the page's shape. A record without a usable key, or that an engine
 * can't hold, is refused individually. A page is an observation: its version is the start of the request by the
 * service's clock, minus a margin for lagging replicas. Pure.
 */
import { hash } from "node:crypto"
import type { Change } from "../../src/Domain/Change.ts"
import { mark } from "../../src/Domain/ErasedRecord.ts"
import * as Limits from "../../src/Domain/Limits.ts"
import * as Version from "../../src/Domain/Version.ts"
import type * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { joined } from "../../src/Domain/Key.ts"
import { Listed, type Sheet, sheet } from "../../src/Domain/Listed.ts"
import { keyColumn } from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import type { BadRecord, Page } from "../../src/Walk/Source.ts"
import * as Fields from "./ConstructionFields.ts"
import type { RawPage } from "./ConstructionPages.ts"
import { find, type Found, isWithin } from "./ConstructionPlaces.ts"
import { Cut, type Form } from "./ConstructionRecords.ts"
import { type ListShape, projectsShape } from "./ConstructionShapes.ts"

const documented = projectsShape()

/** What a request says about all its records. */
export interface Given {
  /** The parameters that name the parent. */
  readonly parameters?: Readonly<Record<string, string>>
  /** For a value that isn't itself kept. */
  readonly hashOf?: (text: string) => string
  /** Undefined if none of this list's records was erased. */
  readonly erased?: ErasedOf | undefined
}

/** Records of a list that were erased. */
export interface ErasedOf {
  readonly has: (id: string) => boolean
  /** What is left of a record. */
  readonly left: (record: unknown) => unknown
}

type Raw = Pick<RawPage, "observedMicros" | "receivedAt" | "records" | "sha256">

/** The page with its records as changes. */
export const changesOf = <P extends Raw>(
  raw: P,
  shape = documented,
  { erased, hashOf = noHash, parameters = {} }: Given = {}
): Omit<P, "records" | "sha256"> & Pick<Page, "bad" | "changes" | "records"> => {
  const { records, sha256, ...page } = raw
  const version = Version.make(page.observedMicros, 0, sha256)
  const changes: Array<Change> = []
  const bad: Array<BadRecord> = []
  const sheets = new Map<Form, Headed | undefined>()
  for (const each of records) {
    if (each instanceof Cut && !sheets.has(each.form)) {
      sheets.set(each.form, headed(shape, each.form, version, page.receivedAt))
    }
    const listed = each instanceof Cut ? listedOf(sheets.get(each.form), each) : undefined
    if (listed !== undefined && erased?.has(listed.id) !== true) {
      changes.push(listed)
      continue
    }
    const record = each instanceof Cut ? each.value : each
    const change = changeOf({ shape, erased, hashOf, parameters, version, seenAt: page.receivedAt }, record)
    if (change === undefined) bad.push({ reason: "no-key", ...kept(shape, record) })
    else if (!Limits.canHold(change)) {
      const left = erased?.has(change.id) === true ? erased.left(record) : record
      bad.push({ reason: "not-storable", id: change.id, ...kept(shape, left) })
    } else changes.push(change)
  }
  return { ...page, changes, bad, records: records.length }
}

/** A sheet, and where the id is. */
interface Headed {
  readonly sheet: Sheet
  readonly key: number
}

/** Undefined if each record must be read individually: a field has several names, or may be nested. */
const headed = (
  { columns, dropped, hashed, isClosed, isWhole, key: [key, ...others], parameters, resource }: ListShape,
  { names }: Form,
  version: Version.Version,
  seenAt: Instant.Instant
): Headed | undefined => {
  if (key === undefined || !("names" in key) || others.length + parameters.length + dropped.length > 0) return undefined
  if (hashed.size > 0 || keyColumn(resource) !== "id") return undefined
  if (resource.key !== "BIGINT" || resource.stages.length > 0) return undefined
  const places = new Map<string, number>()
  const taken = new Set<string>()
  for (const [column, spelled] of [["id", key.names] as const, ...columns]) {
    const present = names.filter((name) => spelled.some((each) => each === name || isWithin(each, name)))
    const [name] = present
    if (name === undefined && isWhole) return undefined
    if (name === undefined) continue
    if (present.length > 1 || !spelled.includes(name) || name === "type") return undefined
    if (column !== "id" && resource.columns[column]?.type !== "VARCHAR") return undefined
    places.set(column, names.indexOf(name) + 1)
    taken.add(name)
  }
  const place = places.get("id")
  if (place === undefined) return undefined
  places.delete("id")
  const rest = names.flatMap((name, place) => (isClosed || taken.has(name) ? [] : [[name, place + 1] as const]))
  return {
    sheet: sheet(
      { entity: resource.name, keyColumn: "id", version, seenAt, columns: places },
      Object.fromEntries(rest)
    ),
    key: place
  }
}

/** Undefined if its id or a value must be read individually. */
const listedOf = (head: Headed | undefined, { texts }: Cut): Listed | undefined => {
  if (head === undefined) return undefined
  const id = /^("?)([1-9]\d{0,14})\1$/.exec(texts[head.key] ?? "")?.[2]
  if (id === undefined) return undefined
  for (const place of head.sheet.columns.values()) if (/^[[{]/.test(texts[place] ?? "")) return undefined
  return new Listed(head.sheet, id, texts)
}

/** Without what must not be kept. */
const kept = (
  { columns, dropped, isClosed, key, secret }: ListShape,
  record: unknown
): Pick<BadRecord, "record" | "sha256"> => {
  const known = [
    ...columns.flatMap(([, names]) => names),
    ...key.flatMap((part) => ("names" in part ? part.names : []))
  ]
  const wanted = isClosed ? Fields.only(record, known) : record
  const text = Json.stringify(Fields.without(wanted, [...dropped, ...secret]))
  return { record: text, sha256: hash("sha256", text) }
}

interface Reading {
  readonly shape: ListShape
  readonly erased: ErasedOf | undefined
  readonly hashOf: (text: string) => string
  readonly parameters: Readonly<Record<string, string>>
  readonly version: Version.Version
  readonly seenAt: Instant.Instant
}

const wholeOf = (record: unknown) => (Json.isObject(record) ? [{ path: "", fields: record }] : [])

type Parts = ReadonlyArray<Found | undefined>

/** Where a record has the parts of its key. */
const partsIn = ({ key }: ListShape, record: unknown): Parts =>
  key.map((part) => ("names" in part ? find(wholeOf(record), part.names) : undefined))

/** Whether a record by itself contains its key. */
export const saysId = ({ key }: ListShape): boolean => key.every((part) => "names" in part && !part.isHashed)

/** The record's key, as far as the record itself contains it; undefined without a usable key. */
export const idIn = (shape: ListShape, given: unknown): string | undefined => {
  const record = Fields.without(given, shape.dropped)
  return saysId(shape) ? keyOf({ hashOf: noHash, parameters: {}, shape }, partsIn(shape, record)) : undefined
}

/** Undefined without a usable key. */
const changeOf = (reading: Reading, given: unknown): Change | undefined => {
  const { erased, hashOf, parameters, seenAt, shape, version } = reading
  const came = Fields.without(given, shape.dropped)
  const parts = partsIn(shape, came)
  const id = keyOf(reading, parts)
  if (id === undefined) return undefined
  const record = erased?.has(id) === true ? erased.left(came) : came
  if (!Json.isObject(record)) return undefined
  const { columns, resource } = shape
  const whole = wholeOf(record)
  // A secret may be nested in what is kept.
  const open = Fields.without(record, shape.secret)
  const places = Json.isObject(open) ? [{ path: "", fields: open }] : whole
  const fields = Fields.empty()
  // A part of a key has its own column, unless it is the key.
  const taken = keyColumn(resource) === "id" ? parts.flatMap((part) => part ?? []) : []
  for (const [column, parameter] of shape.parameters) {
    Fields.set(fields, column, resource.columns[column]?.type ?? "VARCHAR", parameters[parameter] ?? null)
  }
  for (const [column, names] of columns) {
    const within = shape.hashedWithin.get(column)
    const field = find(shape.hashed.has(column) || within !== undefined ? whole : places, names)
    if (field === undefined) {
      if (shape.isWhole) fields.values[column] = null
      continue
    }
    taken.push(field)
    if (shape.hashed.has(column)) {
      const isGone = field.value === null || field.value === mark
      fields.values[column] = isGone ? (field.value as string | null) : hashOf(Json.stringify(field.value))
      continue
    }
    const value =
      within === undefined
        ? field.value
        : Fields.replaced(field.value, within, (inner) => hashOf(Json.stringify(inner)))
    const type = resource.columns[column]?.type ?? "JSON"
    if (!Fields.set(fields, column, type, value) || Fields.isPart(type, value)) Fields.keepMisfit(fields, column, value)
  }
  if (!shape.isClosed) Fields.keepRest(fields, places, taken, noEnvelope)
  const { extra, misfits, values } = fields
  return { entity: resource.name, id, version, source: "page", seenAt, values, misfits, extra }
}

const keyOf = (
  { hashOf, parameters, shape }: Pick<Reading, "hashOf" | "parameters" | "shape">,
  found: Parts
): string | undefined => {
  const { key, resource } = shape
  const parts = key.flatMap((part, place) => {
    if ("parameter" in part) return parameters[part.parameter] ?? []
    const given = found[place]?.value
    const value = Value.readKey(resource, given)
    if (value === undefined) return []
    return part.isHashed ? hashOf(Json.stringify(given)) : value
  })
  if (parts.length < key.length || parts.length === 0) return undefined
  return joined(resource, parts)
}

const noHash = (): string => {
  throw new Error("a list with hashed columns needs a key")
}

const noEnvelope = (): boolean => false
