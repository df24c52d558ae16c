/**
 * From the service's document to tables: a person discovers lists, switches some on, and starts the worker. Each
 * becomes a table, is walked until it is proven, and equals the service's list, before and after it changes.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordTruth } from "../../sandbox/Catalogue.ts"
import type { Column, List, Review } from "../../src/Discovery/Review.ts"
import * as Json from "../../src/Domain/Json.ts"
import { patience, rounds, sample } from "../Long.ts"
import type { RunningWorker } from "../RunningWorker.ts"
import type { Place } from "./Place.ts"
import { discovered } from "./Resources/Discovered.ts"
import { startedOn } from "./SandboxWorld.ts"

/** How it is read. */
const kindOf = ({ answer, paging, parent }: List): string =>
  [paging.style, answer.total !== undefined, parent === undefined].join(" ")

/** One of each kind, with all that they lie below; in the long form, all. */
const chosen = (lists: ReadonlyArray<List>): ReadonlyArray<List> => {
  const byTable = new Map(lists.map((list) => [list.table, list]))
  const withParents = (list: List): ReadonlyArray<List> => {
    const above = byTable.get(list.parent?.table ?? "")
    return above === undefined ? [list] : [list, ...withParents(above)]
  }
  const some = new Set(sample(lists, kindOf).flatMap(withParents))
  return lists.filter((list) => some.has(list))
}

/** Of those that can be synced and are no guess; they are walked again at once. */
const switchedOn = (file: string): ReadonlyArray<List> => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const can = (list: List) =>
    list.kind !== "not syncable" && list.confidence !== "low" && (list.needs ?? []).length === 0
  const on = new Set(chosen(review.lists.filter(can)))
  const lists = review.lists.map((list) => ({ ...list, on: on.has(list), refresh: { every: "1 second" } }))
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return lists
}

/** Waits until each list has ended two passes since the worker began, and they agree. */
const proven = async (worker: RunningWorker, lists: ReadonlyArray<List>): Promise<void> => {
  const isSure = (proof: string | undefined) => proof === "proven" || proof === "passes-agree"
  for (let passes = 0; passes < 2; passes++) {
    const { backfill: before } = await worker.status("a status")
    await worker.status("each list has ended a pass", ({ backfill }) =>
      lists.every(({ table }) => backfill[table]?.at != null && backfill[table]?.at !== before[table]?.at)
    )
  }
  await worker.status("each list is proven", ({ backfill }) =>
    lists.every(({ table }) => isSure(backfill[table]?.proof))
  )
}

const patternOf = ({ read }: List): RegExp =>
  new RegExp(`^${read.replace("GET ", "").replaceAll(/\{[^}]*\}/g, "[^/]+")}$`)

type Cell = string | number | null
const plain = new Set<Column["type"]>(["BIGINT", "VARCHAR", "BOOLEAN", "DOUBLE", "DECIMAL(28,4)"])

/** As the warehouse shows it; a value that doesn't fit is null there. */
const cellOf = (type: Column["type"], value: unknown): Cell => {
  if (value === null || value === undefined || typeof value === "object") {
    const number = Json.numberText(value)
    return number === undefined ? null : type === "VARCHAR" ? number : Number(number)
  }
  if (type === "VARCHAR") return String(value)
  return type === "BOOLEAN" ? String(value) : Number(value)
}

const fieldOf = (record: RecordTruth["listed"], { from, name }: Column): unknown =>
  (from ?? `/${name}`)
    .split("/")
    .slice(1)
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | null)?.[part], record)

const shown = (list: List): ReadonlyArray<Column> =>
  list.columns.filter(({ parameter, type, use }) => parameter === undefined && use === "keep" && plain.has(type))

const sorted = (rows: ReadonlyArray<ReadonlyArray<Cell>>) => rows.map((row) => JSON.stringify(row)).toSorted()

/** Those that are on. */
const compare = async (
  place: Place,
  lists: ReadonlyArray<List>,
  truth: ReadonlyArray<RecordTruth>
): Promise<number> => {
  let compared = 0
  for (const list of lists.filter(({ on }) => on)) {
    const columns = shown(list)
    // Some records are in two lists, of which the truth names one.
    const same = lists.filter(({ sameAs, table }) => table === list.sameAs || sameAs === list.table)
    const patterns = [list, ...same].map(patternOf)
    const wanted = truth
      .filter((record) => patterns.some((pattern) => pattern.test(record.list)))
      .map(({ listed }) => columns.map((column) => cellOf(column.type, fieldOf(listed, column))))
    const names = columns.map(({ name, type }) => `cast("${name}" as varchar) as "${name}" /* ${type} */`).join(", ")
    const rows = await place.query(`select ${names} from construction."${list.table}" where _deleted_at is null`)
    const found = rows.map((row) => columns.map(({ name, type }) => cellOf(type, row[name])))
    assert.deepStrictEqual(sorted(found), sorted(wanted), list.read)
    compared += wanted.length
  }
  return compared
}

/** Lists of `/projects` and what is made from events has another truth. */
const isOfCatalogue = ({ table }: List): boolean =>
  !["projects", "ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals"].includes(table)

describe("a worker with all lists of the service switched on", () => {
  it.live(
    "fills a table from each, proves it, and follows its changes",
    () =>
      Effect.gen(function* () {
        const { catalogue, environmentFor, place, review } = yield* discovered(8)
        const all = switchedOn(review)
        const lists = all.filter(({ on }) => on)
        assert.isAbove(lists.length, rounds(8, 110))
        const environment = {
          ...environmentFor(lists.flatMap(({ scope }) => scope)),
          SITELEDGER_WALK_EVERY: "1 second"
        }
        const truth = () => catalogue.names.flatMap((name) => catalogue.truth(name))
        const walked = Effect.fnUntraced(function* () {
          const worker = yield* startedOn(place, environment)
          yield* Effect.promise(() => proven(worker, lists))
          yield* Effect.promise(() => worker.stop())
          place.changes()
          return yield* Effect.promise(() => compare(place, all.filter(isOfCatalogue), truth()))
        })
        const records = 6 * lists.length
        assert.isAbove(yield* walked(), records)
        for (const name of catalogue.names) {
          catalogue.edit(name, { inserts: 1, updates: 1, deletes: 1 }, Date.now())
        }
        assert.isAbove(yield* walked(), records)
      }),
    patience
  )
})
