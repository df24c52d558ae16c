/**
 * Lists inside records, by a whole worker on a sandbox with all of its operations: discovery offers them, a person switches some on,
 * and each is a table with the items of the records as they are now, in the warehouse, the copy for analysts and the lake.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordTruth } from "../../../sandbox/Catalogue.ts"
import type { List, Nested, Review } from "../../../src/Discovery/Review.ts"
import * as Json from "../../../src/Domain/Json.ts"
import * as JsonPointer from "../../../src/Domain/JsonPointer.ts"
import { patience } from "../../Long.ts"
import { run } from "../../RunningWorker.ts"
import { queryWithoutFile } from "../../Stores/Reading.ts"
import type { Place } from "../Place.ts"
import { startedOn } from "../SandboxWorld.ts"
import { discovered } from "./Discovered.ts"

interface Chosen {
  readonly list: List
  readonly nested: Nested
  /** Of all lists that show its records. */
  readonly reads: ReadonlyArray<string>
}

/** Some whose records are listed by themselves, with money among them. */
const switchedOn = (file: string): ReadonlyArray<Chosen> => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const able = review.lists.filter(
    ({ kind, needs = [], nested = [], sameAs }) =>
      kind === "list" && needs.length === 0 && nested.length > 0 && sameAs === undefined
  )
  assert.isTrue(able.every(({ nested = [] }) => nested.every(({ on }) => !on)))
  const hasMoney = ({ nested = [] }: List) =>
    nested.some(({ columns }) => columns.some(({ money }) => money !== undefined))
  const some = new Set([...able.filter(hasMoney).slice(0, 1), ...able.slice(0, 3)].map(({ read }) => read))
  const lists = review.lists.map((list): List =>
    some.has(list.read)
      ? {
          ...list,
          on: true,
          refresh: { every: "1 second" },
          nested: (list.nested ?? []).map((nested) => ({ ...nested, on: true }))
        }
      : { ...list, on: false }
  )
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return lists.flatMap((list) => {
    const reads = lists
      .filter(({ read, sameAs }) => read === list.read || sameAs === list.table)
      .map(({ read }) => read)
    return list.on ? (list.nested ?? []).map((nested) => ({ list, nested, reads })) : []
  })
}

type Cells = ReadonlyArray<string | null>

const scalar = ({ columns }: Nested) =>
  columns.filter(({ type, use }) => use === "keep" && (type === "VARCHAR" || type === "DECIMAL(28,4)"))

const money = (text: string): string => {
  const [whole = "", decimals = ""] = text.split(".")
  return `${whole}.${decimals.padEnd(4, "0")}`
}

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null || typeof value === "object") return Json.numberText(value) ?? null
  return String(value)
}

/** What the records have: the key, the place, and each value. */
const wanted = ({ list, nested, reads }: Chosen, truth: ReadonlyArray<RecordTruth>): ReadonlyArray<Cells> => {
  const [key = "id"] = list.key
  const place = list.columns.find(({ name }) => name === nested.column)?.from ?? `/${nested.column}`
  const paths = reads.map((read) => new RegExp(`^${read.replace("GET ", "").replaceAll(/\{[^}]*\}/g, "[^/]+")}$`))
  return truth
    .filter((record) => paths.some((path) => path.test(record.list)))
    .flatMap(({ listed }) => {
      const items = JsonPointer.at(listed, place)
      return (Array.isArray(items) ? items : []).map((item: unknown, position) => [
        String(listed[key]),
        String(position),
        ...scalar(nested).map(({ from, name, type }) => {
          const text = textOf(JsonPointer.at(item, from ?? `/${name}`))
          return text === null || type === "VARCHAR" ? text : money(text)
        })
      ])
    })
}

const select = ({ nested }: Chosen, from: string): string => {
  const names = ["_parent", "_position", ...scalar(nested).map(({ name }) => name)]
  return `select ${names.map((name) => `cast("${name}" as varchar) as "${name}"`).join(", ")} from ${from} where _deleted_at is null`
}

const sorted = (rows: ReadonlyArray<Cells>) => rows.map((row) => JSON.stringify(row)).toSorted()

const cells = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  sorted(rows.map((row) => Object.values(row).map((value) => value as string | null)))

const compare = async (place: Place, chosen: ReadonlyArray<Chosen>, truth: ReadonlyArray<RecordTruth>) => {
  let compared = 0
  for (const each of chosen) {
    const expected = sorted(wanted(each, truth))
    const name = `construction."${each.nested.table}"`
    assert.deepStrictEqual(cells(await place.query(select(each, name))), expected, each.nested.table)
    compared += expected.length
  }
  return compared
}

describe("lists inside records that are switched on", () => {
  it.live(
    "are tables that follow their records, also in the lake and in the copy for analysts",
    () =>
      Effect.gen(function* () {
        const { catalogue, environmentFor, place, review } = yield* discovered(12)
        const chosen = switchedOn(review)
        assert.isAbove(chosen.length, 2)
        assert.isTrue(chosen.some(({ nested }) => scalar(nested).some(({ type }) => type !== "VARCHAR")))
        const lake = join(place.dataDir, "exported")
        const environment = {
          ...environmentFor(chosen.flatMap(({ list }) => list.scope)),
          SITELEDGER_LAKE: `file:${lake}`
        }
        const tables = new Set(chosen.map(({ list }) => list.table))
        const truth = () => catalogue.names.flatMap((name) => catalogue.truth(name))
        const walked = Effect.fnUntraced(function* () {
          const worker = yield* startedOn(place, environment)
          for (let passes = 0; passes < 3; passes++) {
            const before = yield* Effect.promise(() => worker.status("a status"))
            yield* Effect.promise(() =>
              worker.status("each list has ended a pass", ({ backfill }) =>
                [...tables].every(
                  (table) => backfill[table]?.at != null && backfill[table]?.at !== before.backfill[table]?.at
                )
              )
            )
          }
          const exported = yield* Effect.promise(() => run({ ...place.environment, ...environment }, "export"))
          assert.strictEqual(exported.code, 0, exported.stderr)
          yield* Effect.promise(() => worker.stop())
          place.changes()
          return yield* Effect.promise(() => compare(place, chosen, truth()))
        })
        assert.isAbove(yield* walked(), 20)
        for (const name of catalogue.names) catalogue.edit(name, { inserts: 2, updates: 6, deletes: 2 }, Date.now())
        assert.isAbove(yield* walked(), 20)
        const sql = readFileSync(join(lake, "lake.sql"), "utf8")
        for (const each of chosen) {
          assert.include(sql, `CREATE OR REPLACE VIEW construction.${each.nested.table} AS`)
          const latest = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { readonly run: string }
          const files = `read_parquet('${lake}/${each.nested.table}/${latest.run}-0.parquet')`
          const rows = yield* Effect.promise(() => queryWithoutFile(select(each, files)))
          assert.deepStrictEqual(cells(rows), sorted(wanted(each, truth())), files)
        }
      }),
    patience
  )
})
