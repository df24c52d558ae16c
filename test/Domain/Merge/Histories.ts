/**
 * Histories of one entity for the tests of Merge: changes, the orders in which they may arrive, and an oracle that
 * computes the row without merging, by taking the greatest version of each field.
 */
import { assert } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import * as Version from "../../../src/Domain/Version.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { byName, type EntityName, type Resource, tableColumns } from "../../../src/Domain/Resource.ts"
import type { Random } from "../../Seeded.ts"

export type Values = Readonly<Record<string, string | null>>
type Texts = Readonly<Record<string, string>>

export const second = 1_000_000
export const start = 1_763_600_000 * second

/** The parts of a change besides its values. */
interface Rest {
  readonly id?: string
  readonly misfits?: Texts
  readonly extra?: Texts
  readonly seenAt?: number
  readonly hash?: string
}

const hashOf = (value: unknown): string => {
  let hash = 0xcbf29ce484222325n
  for (const char of JSON.stringify(value))
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n)
  return hash.toString(16).padStart(16, "0")
}

const make = (entity: EntityName, micros: number, stage: number, values: Values, rest: Rest) => ({
  entity,
  id: rest.id ?? "7",
  version: Version.make(micros, stage, rest.hash ?? hashOf([entity, micros, stage, values, rest])),
  seenAt: Instant.fromMicros(rest.seenAt ?? micros + second),
  values,
  misfits: rest.misfits ?? {},
  extra: rest.extra ?? {}
})

/** An event that reached `status`, `at` seconds after the start. */
export const event = (entity: EntityName, status: string, at: number, values: Values, rest: Rest = {}): Change => {
  const micros = start + Math.round(at * second)
  const stage = byName(entity).stages.findIndex((each) => each.status === status)
  const column = byName(entity).stages[stage]?.at ?? "none"
  const all = { ...values, [column]: Instant.fromMicros(micros) }
  return { ...make(entity, micros, stage + 1, all, rest), source: "event" }
}

export const page = (entity: EntityName, at: number, values: Values, rest: Rest = {}): Change => ({
  ...make(entity, start + Math.round(at * second), 0, values, rest),
  source: "page"
})

export const gone = (entity: EntityName, at: number): Change => {
  const micros = start + Math.round(at * second)
  const values = { _deleted_at: Instant.fromMicros(micros) }
  return { ...make(entity, micros, 0, values, { hash: "", seenAt: micros }), source: "absence" }
}

/** The row as read back from the warehouse: a new, frozen object of plain text. */
const stored = (row: Row | undefined): Row | undefined =>
  row === undefined ? undefined : Object.freeze(JSON.parse(JSON.stringify(row)) as Row)

/** Merges the batches one after the other into the stored row. */
export const arrive = (batches: ReadonlyArray<ReadonlyArray<Change>>): Row => {
  let row: Row | undefined
  for (const batch of batches) {
    const [first] = batch
    if (first !== undefined) row = stored(merge(byName(first.entity), row, batch))
  }
  return row ?? {}
}

/** Cuts a history into batches. */
export const split = (random: Random, changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const likely = random.pick([0, 0.2, 0.5, 1])
  const batches: Array<Array<Change>> = [[]]
  for (const change of changes) {
    if (random.chance(likely)) batches.push([])
    batches.at(-1)?.push(change)
  }
  return batches
}

/** Every way to cut a history into batches. */
export const splits = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<ReadonlyArray<Change>>> => {
  const [first, ...rest] = changes
  if (first === undefined) return [[]]
  return splits(rest).flatMap(([head = [], ...tail]) => [
    [[first, ...head], ...tail],
    ...(head.length > 0 ? [[[first], head, ...tail]] : [])
  ])
}

export const permutations = <A>(of: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  of.length < 2
    ? [of]
    : of.flatMap((first, index) => permutations(of.toSpliced(index, 1)).map((rest) => [first, ...rest]))

/** The change with the greatest version. */
const newest = (changes: ReadonlyArray<Change>): Change | undefined =>
  changes.reduce<Change | undefined>(
    (best, next) => (best === undefined || next.version > best.version ? next : best),
    undefined
  )

const speaksAbout = (column: string) => (change: Change) =>
  column in change.values || (column === "_deleted_at" && change.source !== "absence")

const sorted = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The row that the changes must end in; `_changed_at` holds only for events. */
export const oracle = (resource: Resource, changes: ReadonlyArray<Change>): Row => {
  const row: Record<string, string | null> = {}
  const clocks: Record<string, string> = {}
  // Without a prototype, because a field may be called "__proto__".
  const extra = Object.create(null) as Record<string, unknown>
  for (const name of new Set(changes.flatMap((change) => Object.keys(change.extra)))) {
    const winner = newest(changes.filter((change) => Object.hasOwn(change.extra, name)))
    extra[name] = Json.parse(winner?.extra[name] ?? "")
    clocks[`+${name}`] = winner?.version ?? ""
  }
  for (const { name: column } of tableColumns(resource)) {
    const winner = newest(changes.filter(speaksAbout(column)))
    row[column] = winner?.values[column] ?? null
    if (winner === undefined) continue
    clocks[column] = winner.version
    if (winner.misfits[column] !== undefined) extra[column] = Json.parse(winner.misfits[column])
  }
  row["id"] = changes[0]?.id ?? null
  if (resource.stages.length > 0) {
    row["status"] = null
    for (const stage of resource.stages) if (row[stage.at] !== null) row["status"] = stage.status
  }
  const seen = changes.map((change) => change.seenAt).toSorted()
  row["_clocks"] = JSON.stringify(sorted(clocks))
  row["_extra"] = Object.keys(extra).length === 0 ? null : Json.stringify(sorted(extra))
  row["_first_seen_at"] = seen[0] ?? null
  row["_changed_at"] = seen.at(-1) ?? null
  return row
}

/** Ignores `_changed_at` if there are pages: it then depends on what was known when they arrived. */
export const settled = (row: Row, changes: ReadonlyArray<Change>): Row =>
  changes.every((change) => change.source === "event") ? row : { ...row, _changed_at: "any" }

export const endsAs = (expected: Row, batches: ReadonlyArray<ReadonlyArray<Change>>, message: string) => {
  const changes = batches.flat()
  assert.deepStrictEqual(settled(arrive(batches), changes), settled(expected, changes), message)
}
