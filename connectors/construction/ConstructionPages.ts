/**
 * A page of a list (interface document §2.2, §4.1): its records as the service sent them, and their changes.
 *
 * A page that isn't as documented (HTML, truncated, another shape) is refused as a whole; a record without a usable key, or
 * that an engine can't hold, alone. A page is an observation: its version is the start of the request by the service's
 * clock, minus a margin for lagging replicas.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { documented } from "../../config/WireFiles.ts"
import type { Change } from "../../src/Domain/Change.ts"
import * as Limits from "../../src/Domain/Limits.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { Listed, type Sheet, sheet } from "../../src/Domain/Listed.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import type { BadRecord, Page } from "../../src/Walk/Source.ts"
import { type Answer, NotAsPromised } from "./ConstructionClient.ts"
import { wires } from "./ConstructionEvents.ts"
import * as Fields from "./ConstructionFields.ts"
import { type Aliases, find, isWithin, spellings } from "./ConstructionPlaces.ts"
import { Cut, cut, firstAt, type Form, type Forms } from "./ConstructionRecords.ts"

/** A page as it came. */
export interface RawPage extends Omit<Page, "changes" | "bad" | "records"> {
  readonly records: ReadonlyArray<unknown>
  /** Hex, of the whole body: settles ties between versions. */
  readonly sha256: string
}

/** By how much a page may be older than its request: clock skew and replica lag. */
const marginMs = 5_000

const notAsPromised = (what: string) => Effect.fail(new NotAsPromised({ message: `GET /projects answered ${what}.` }))

/** More than any service has, and what the Store's columns hold. */
const mostCounted = 2 ** 31 - 1

const isCount = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= mostCounted

const notJson = (text: string): string => {
  if (text.trim() === "") return "without a body"
  if (/^\s*</.test(text)) return "with HTML, perhaps the login or error page of a proxy"
  return "with something that isn't JSON or is truncated"
}

/** Reads the records and the three counts, numbers as they were written. With `forms`, most records are a Cut. */
export const readPage = (
  answer: Answer,
  list = documented.list,
  forms?: Forms
): Effect.Effect<RawPage, NotAsPromised> => {
  const pieces = forms && cut(answer.body?.windows() ?? [answer.text], list.data, forms)
  const body = pieces === undefined ? Json.parse(answer.text) : pieces.body
  if (body === undefined) return notAsPromised(notJson(answer.text))
  const records = pieces?.records ?? firstAt(body, list.data)
  const [total, page, perPage] = [list.total, list.page, list.per_page].map((paths) => firstAt(body, paths))
  if (!Array.isArray(records) || [total, page, perPage].includes(undefined)) {
    return notAsPromised("without `data` and `pagination` (SITELEDGER_ENVELOPE says where else they are)")
  }
  if (!isCount(total, 0) || !isCount(page, 0) || !isCount(perPage, 1)) {
    return notAsPromised("with a `pagination` that isn't made of integers up to 2,147,483,647")
  }
  return Effect.succeed({
    records: records as ReadonlyArray<unknown>,
    total,
    page,
    perPage,
    observedMicros: Math.max(0, (observedMs(answer) - marginMs) * 1000),
    receivedAt: Instant.fromMillis(answer.endedMs),
    sha256: answer.body?.sha256 ?? hash("sha256", answer.text)
  })
}

/** The start of the request by the service's clock; by ours if it sends no Date. */
const observedMs = ({ startedMs, endedMs, serviceMs }: Answer): number =>
  serviceMs === undefined ? startedMs : serviceMs - (endedMs - startedMs)

/** The names under which a project's fields are looked for. */
export interface ProjectNames {
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<readonly [column: string, names: ReadonlyArray<string>]>
}

export const projectNames = (aliases: Aliases): ProjectNames => ({
  key: spellings(wires.projects.key, aliases),
  columns: Object.entries(wires.projects.fields).map(([column, names]) => [
    column,
    names.flatMap((name) => spellings(name, aliases))
  ])
})

const documentedNames = projectNames({})

/** The page with its projects as changes. */
export const projectsOf = ({ records, sha256, ...page }: RawPage, names = documentedNames): Page => {
  const version = Version.make(page.observedMicros, 0, sha256)
  const changes: Array<Change> = []
  const bad: Array<BadRecord> = []
  const sheets = new Map<Form, Headed | undefined>()
  for (const each of records) {
    if (each instanceof Cut && !sheets.has(each.form)) {
      sheets.set(each.form, headed(names, each.form, version, page.receivedAt))
    }
    const listed = each instanceof Cut ? listedOf(sheets.get(each.form), each) : undefined
    if (listed !== undefined) {
      changes.push(listed)
      continue
    }
    const record = each instanceof Cut ? each.value : each
    const change = projectOf(names, record, version, page.receivedAt)
    if (change === undefined) bad.push({ reason: "no-key", ...kept(record) })
    else if (!Limits.canHold(change)) bad.push({ reason: "not-storable", id: change.id, ...kept(record) })
    else changes.push(change)
  }
  return { ...page, changes, bad, records: records.length }
}

/** A sheet, and where the id is. */
interface Headed {
  readonly sheet: Sheet
  readonly key: number
}

/** Undefined if each record has to be looked at: a field has several names, or may be further inside. */
const headed = (
  { columns, key }: ProjectNames,
  { names }: Form,
  version: Version.Version,
  seenAt: Instant.Instant
): Headed | undefined => {
  const places = new Map<string, number>()
  const taken = new Set<string>()
  for (const [column, spelled] of [["id", key] as const, ...columns]) {
    const present = names.filter((name) => spelled.some((each) => each === name || isWithin(each, name)))
    const [name] = present
    if (name === undefined) continue
    if (present.length > 1 || !spelled.includes(name) || name === "type") return undefined
    if (column !== "id" && projects.columns[column]?.type !== "VARCHAR") return undefined
    places.set(column, names.indexOf(name) + 1)
    taken.add(name)
  }
  const at = places.get("id")
  if (at === undefined || projects.stages.length > 0) return undefined
  places.delete("id")
  const rest = names.flatMap((name, place) => (taken.has(name) ? [] : [[name, place + 1] as const]))
  return {
    sheet: sheet({ entity: "projects", keyColumn: "id", version, seenAt, columns: places }, Object.fromEntries(rest)),
    key: at
  }
}

/** Undefined if its id or a value has to be looked at. */
const listedOf = (head: Headed | undefined, { texts }: Cut): Listed | undefined => {
  if (head === undefined) return undefined
  const id = /^("?)([1-9]\d{0,14})\1$/.exec(texts[head.key] ?? "")?.[2]
  if (id === undefined) return undefined
  for (const place of head.sheet.columns.values()) if (/^[[{]/.test(texts[place] ?? "")) return undefined
  return new Listed(head.sheet, id, texts)
}

const kept = (record: unknown): Pick<BadRecord, "record" | "sha256"> => {
  const text = Json.stringify(record)
  return { record: text, sha256: hash("sha256", text) }
}

const projects = Resource.byName("projects")

/** Undefined without an integer id. */
const projectOf = (
  { columns, key }: ProjectNames,
  record: unknown,
  version: Version.Version,
  seenAt: Instant.Instant
): Change | undefined => {
  if (!Json.isObject(record)) return undefined
  const places = [{ path: "", fields: record }]
  const found = find(places, key)
  const id = Value.readKey(projects, found?.value)
  if (found === undefined || id === undefined) return undefined
  const fields = Fields.empty()
  const taken = [found]
  for (const [column, names] of columns) {
    const field = find(places, names)
    if (field === undefined) continue
    taken.push(field)
    if (!Fields.set(fields, column, projects.columns[column]?.type ?? "JSON", field.value)) {
      Fields.keepMisfit(fields, column, field.value)
    }
  }
  Fields.keepRest(fields, places, taken, noEnvelope)
  const { extra, misfits, values } = fields
  return { entity: "projects", id, version, source: "page", seenAt, values, misfits, extra }
}

const noEnvelope = (): boolean => false
