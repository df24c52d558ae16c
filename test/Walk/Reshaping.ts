/**
 * A service's list whose records and fields come, change and go while its pages are read: between two pages, pages
 * become smaller, and the service has outages. Random, from a seed.
 */
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import { resourceOf } from "../../src/Discovery/Resources.ts"
import * as Fit from "../../src/Domain/Fit.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import type { Row } from "../../src/Domain/Merge.ts"
import type { Resource } from "../../src/Domain/Resource.ts"
import { type PagedList, SourceError } from "../../src/Walk/Source.ts"
import { listOf } from "../connectors/ReviewedLists.ts"
import type { Random } from "../Seeded.ts"

const list = listOf({ table: "things" })

export const things = resourceOf(list)

/** JSON texts by what a service may call one type of field. */
const values: ReadonlyArray<ReadonlyArray<string>> = [
  ["1", "22", "null"],
  ["1", "12.50", "0.1"],
  ['"a"', '"b"', "null"],
  ["true", "false"],
  ['"2026-11-20"', '"2026-11-21"'],
  ['"2026-11-20T03:00:00Z"', '"2026-11-20T03:00:00.5+01:00"'],
  ['{"a":[1.50]}', "[]"],
  ["12345678901234567890.123456", '"1"'],
  ["null"]
]
const names = ["amount", "dueOn", "Due On", "note", "__proto__", "open", "ref", "select", "_extra"]

export class Reshaping {
  readonly #random: Random
  /** By field, what it holds. */
  readonly #fields = new Map<string, ReadonlyArray<string>>()
  #ids: Array<number> = Array.from({ length: 12 }, (_, n) => n + 1)
  #next = 13
  #revision = 0
  #asked = 0
  #size = 5
  isCalm = false

  constructor(random: Random) {
    this.#random = random
  }

  /** Of each record, by its id, the JSON texts of its fields. */
  get truth(): ReadonlyMap<string, Readonly<Record<string, string>>> {
    return new Map(this.#ids.map((id) => [String(id), this.#textsOf(id)]))
  }

  readonly paged: PagedList = {
    resource: list.table,
    fetch: (page, perPage) => Effect.suspend(() => this.#answer(page, perPage ?? 5))
  }

  #textsOf(id: number): Readonly<Record<string, string>> {
    const texts = Object.create(null) as Record<string, string>
    texts["id"] = String(id)
    texts["name"] = `"thing ${id}"`
    for (const [name, pool] of this.#fields) {
      const place = id * 7 + this.#revision + name.length
      // Some records lack some fields.
      if (place % 5 !== 0) texts[name] = pool[place % pool.length] ?? "null"
    }
    return texts
  }

  #shake(): void {
    const random = this.#random
    if (random.chance(0.2)) this.#ids.push(this.#next++)
    if (random.chance(0.15)) this.#ids.splice(random.below(this.#ids.length), 1)
    if (random.chance(0.2)) this.#revision++
    if (random.chance(0.15)) this.#fields.set(random.pick(names), random.pick(values))
    if (random.chance(0.05)) this.#fields.delete(random.pick(names))
    if (random.chance(0.1)) this.#size = random.pick([2, 3, 5])
  }

  #answer(page: number, perPage: number) {
    if (!this.isCalm) this.#shake()
    if (!this.isCalm && this.#random.chance(0.06)) {
      return Effect.fail(new SourceError({ reason: "Refused", message: "The service is out." }))
    }
    const size = Math.min(perPage, this.#size)
    const at = Date.UTC(2026, 10, 20) * 1000 + ++this.#asked * 1_000_000
    const records = this.#ids.slice((page - 1) * size, page * size).map((id) => {
      const fields = Object.entries(this.#textsOf(id)).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
      return Json.parse(`{${fields.join(",")}}`)
    })
    const raw = {
      records,
      total: this.#ids.length,
      page,
      perPage: size,
      observedMicros: at,
      receivedAt: Instant.fromMicros(at),
      sha256: String(at).padStart(64, "0")
    }
    return Effect.succeed(changesOf(raw, shapeOf(list)))
  }
}

/** How a table with these columns shows a record, without merging: each value in its column, beside it, or among the rest. */
export const shownBy = (resource: Resource, { id, name, ...fields }: Readonly<Record<string, string>>): Row => {
  const row: Record<string, string | null> = { id: id ?? null, name: name?.slice(1, -1) ?? null }
  const rest = Object.create(null) as Record<string, string>
  const reads = (column: string, text: string) =>
    Fit.readExactly(resource.columns[column]?.type ?? "JSON", Json.stringify(Json.parse(text)))
  for (const column of Object.keys(resource.columns)) row[column] ??= null
  for (const [field, text] of Object.entries(fields)) {
    const column = resource.learned?.get(field)
    const beside = column === undefined ? undefined : resource.spills?.get(column)
    const [value, spilled] = [column && reads(column, text), beside && reads(beside, text)]
    if (column !== undefined && value !== undefined) row[column] = value
    else if (beside !== undefined && spilled !== undefined) row[beside] = spilled
    else rest[column ?? field] = Json.stringify(Json.parse(text))
  }
  const keys = Object.keys(rest).toSorted()
  row["_extra"] = keys.length === 0 ? null : `{${keys.map((key) => `${JSON.stringify(key)}:${rest[key]}`).join(",")}}`
  return row
}
