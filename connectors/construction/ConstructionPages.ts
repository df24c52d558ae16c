/**
 * A page of a list (interface document §2.2, §4.1): its records as the service sent them, and their changes.
 *
 * A page that isn't as documented (HTML, truncated, another shape) is refused as a whole; a record without a usable key
 * alone. A page is an observation: its version is the start of the request by the service's clock, minus a margin for
 * lagging replicas.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import type { BadRecord, Page } from "../../src/Walk/Source.ts"
import { type Answer, NotAsPromised } from "./ConstructionClient.ts"
import { wires } from "./ConstructionEvents.ts"
import * as Fields from "./ConstructionFields.ts"

/** A page as it came. */
export interface RawPage extends Omit<Page, "changes" | "bad" | "records"> {
  readonly records: ReadonlyArray<unknown>
  /** Hex, of the whole body: settles ties between versions. */
  readonly sha256: string
}

/** By how much a page may be older than its request: clock skew and replica lag. */
const marginMs = 5_000

const notAsPromised = (what: string) => Effect.fail(new NotAsPromised({ message: `GET /projects answered ${what}.` }))

const isCount = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least

const notJson = (text: string): string => {
  if (text.trim() === "") return "without a body"
  if (/^\s*</.test(text)) return "with HTML, perhaps the login or error page of a proxy"
  return "with something that isn't JSON or is truncated"
}

/** Reads `{data, pagination}`, numbers as they were written. */
export const readPage = (answer: Answer): Effect.Effect<RawPage, NotAsPromised> => {
  const body = Json.parse(answer.text)
  if (body === undefined) return notAsPromised(notJson(answer.text))
  const pagination = Json.isObject(body) ? body["pagination"] : undefined
  const records = Json.isObject(body) ? body["data"] : undefined
  if (!Json.isObject(pagination) || !Array.isArray(records)) return notAsPromised("without `data` and `pagination`")
  const { total, page, per_page: perPage } = pagination
  if (!isCount(total, 0) || !isCount(page, 0) || !isCount(perPage, 1)) {
    return notAsPromised("with a `pagination` that isn't made of integers")
  }
  return Effect.succeed({
    records: records as ReadonlyArray<unknown>,
    total,
    page,
    perPage,
    observedMicros: Math.max(0, (observedMs(answer) - marginMs) * 1000),
    receivedAt: Instant.fromMillis(answer.endedMs),
    sha256: hash("sha256", answer.text)
  })
}

/** The start of the request by the service's clock; by ours if it sends no Date. */
const observedMs = ({ startedMs, endedMs, serviceMs }: Answer): number =>
  serviceMs === undefined ? startedMs : serviceMs - (endedMs - startedMs)

/** The page with its projects as changes. */
export const projectsOf = ({ records, sha256, ...page }: RawPage): Page => {
  const version = Version.make(page.observedMicros, 0, sha256)
  const changes: Array<Change> = []
  const bad: Array<BadRecord> = []
  for (const record of records) {
    const change = projectOf(record, version, page.receivedAt)
    if (change === undefined) bad.push(badRecord(Json.stringify(record)))
    else changes.push(change)
  }
  return { ...page, changes, bad, records: records.length }
}

const badRecord = (record: string): BadRecord => ({ record, sha256: hash("sha256", record) })

const columnOf: ReadonlyMap<string, string> = new Map(
  Object.entries(wires.projects.fields).flatMap(([column, names]) => names.map((name) => [name, column] as const))
)

/** Undefined without an integer id. */
const projectOf = (record: unknown, version: Version.Version, seenAt: Instant.Instant): Change | undefined => {
  const resource = Resource.byName("projects")
  const id = Json.isObject(record) ? Resource.readKey(resource, record[wires.projects.key]) : undefined
  if (id === undefined || !Json.isObject(record)) return undefined
  const fields = Fields.empty()
  for (const name of Object.keys(record)) {
    if (name === wires.projects.key) continue
    const value = record[name]
    const column = columnOf.get(name)
    if (column === undefined) Fields.keepUnknown(fields, name, value)
    else if (!Fields.set(fields, column, resource.columns[column]?.type ?? "JSON", value)) {
      Fields.keepMisfit(fields, column, value)
    }
  }
  const { extra, misfits, values } = fields
  return { entity: "projects", id, version, source: "page", seenAt, values, misfits, extra }
}
