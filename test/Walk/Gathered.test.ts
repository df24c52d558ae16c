/** Which fields get a column of their own, when, with which name and type, and how many. */
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../src/Domain/Change.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Resource } from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import { described, type EntityTable } from "../../src/Stores/EntityTables.ts"
import { type LearnedColumn, withLearned } from "../../src/Stores/LearnedColumns.ts"
import type { PassState } from "../../src/Walk/Checkpoints.ts"
import { Gathered, mostColumns } from "../../src/Walk/Gathered.ts"

const list: Resource = {
  name: "orders",
  says: "Orders.",
  key: "BIGINT",
  columns: { title: { type: "VARCHAR", says: "Anything.", since: 1 } },
  stages: [],
  fields: new Map<string, string | null>([
    ["title", "title"],
    ["dropped", null]
  ]),
  isWhole: true,
  learns: true
}

const at = (second: number) => Instant.fromMicros(second * 1_000_000)

const change = (second: number, extra: Readonly<Record<string, string>>): Change => ({
  entity: "orders",
  id: "7",
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt: at(second),
  values: {},
  misfits: {},
  extra: Object.assign(Object.create(null) as Record<string, string>, extra)
})

const pass = (number: number, finishedAt: number | null): PassState => ({
  resource: "orders",
  pass: number,
  per_page: 1,
  pages_total: 1,
  total: 1,
  rows: 1,
  started_at: at(0),
  disturbed: 0,
  disturbed_in_a_row: 0,
  finished_at: finishedAt === null ? null : at(finishedAt),
  proof: null,
  proof_at: null,
  next_from: null,
  definition: null,
  pages_before: null,
  changed_from: null,
  changed_began: null,
  changed_at: null,
  parents: null,
  parents_sure: null,
  begun_at: null
})

const table = (learned: ReadonlyArray<LearnedColumn> = [], resource = list): EntityTable =>
  described(withLearned(resource, learned))

const cells = (columns: ReadonlyArray<LearnedColumn>) =>
  columns.map(({ beside, field, name, type }) => [field, name, type, ...(beside === null ? [] : [beside])])

/** After a pass. */
const learned = (extra: Readonly<Record<string, string>>, known = table()): ReadonlyArray<LearnedColumn> => {
  const gathered = new Gathered()
  gathered.take(known, [change(1, extra)])
  return gathered.ripe(known, pass(1, 2), at(3))
}

describe("fields without a column", () => {
  it("asks a record for nothing that it would have to make, where the list learns nothing", () => {
    const lazy = {
      ...change(1, {}),
      get extra(): never {
        return assert.fail("it was made")
      },
      get values(): never {
        return assert.fail("they were made")
      }
    }
    const { learns: _learns, ...fixed } = list
    assert.strictEqual(new Gathered().take(described(fixed), [lazy]), 0)
  })

  it("get one with a legal name of its own and the type that holds all of their values", () => {
    const columns = learned({
      "Due Date": '"2026-11-20"',
      due_date: "true",
      title2: '"x"',
      Title: "1",
      "'; drop table orders; --": "1",
      ["__proto__"]: "[1]",
      _extra: "1",
      id: "1",
      amount: "12",
      count: "12",
      ["é".repeat(300)]: "12.5"
    })
    assert.deepStrictEqual(cells(columns.slice(0, 10)), [
      ["Due Date", "due_date", "DATE"],
      ["due_date", "due_date_2", "BOOLEAN"],
      ["title2", "title2", "VARCHAR"],
      ["Title", "title_2", "BIGINT"],
      ["'; drop table orders; --", "drop_table_orders", "BIGINT"],
      ["__proto__", "proto", "JSON"],
      ["_extra", "extra", "BIGINT"],
      ["id", "id_2", "BIGINT"],
      // Money is money if some of it is whole.
      ["amount", "amount", "DECIMAL(28,4)"],
      ["count", "count", "BIGINT"]
    ])
    assert.match(columns[10]?.name ?? "", /^e{54}_[0-9a-f]{8}$/)
  })

  it("get none if a person says so, if they hold a secret or nothing, or have a name that can't be kept", () => {
    assert.deepStrictEqual(
      learned({ dropped: "1", title: "1", api_key: '"x"', userPassword: '"x"', empty: "null", "a\u0000b": "1" }),
      []
    )
    const { learns: _, ...frozen } = list
    assert.deepStrictEqual(learned({ note: "1" }, table([], frozen)), [])
  })

  it("wait for the end of a pass, for as long as that takes", () => {
    const gathered = new Gathered()
    gathered.take(table(), [change(5, { note: "1" })])
    assert.deepStrictEqual(gathered.ripe(table(), undefined, at(6)), [])
    assert.deepStrictEqual(gathered.ripe(table(), pass(2, null), at(6)), [])
    // Of the pass before.
    assert.deepStrictEqual(gathered.ripe(table(), pass(2, 4), at(6)), [])
    gathered.take(table(), [change(7, { note: "1.5" })])
    gathered.forget("orders", pass(2, null))
    // The next pass has begun meanwhile.
    assert.deepStrictEqual(cells(gathered.ripe(table(), pass(3, null), at(8))), [["note", "note", "DECIMAL(28,4)"]])
    gathered.forget("orders", pass(3, null))
    assert.deepStrictEqual(gathered.names, [])
  })

  it("get back the column that they had, if the store doesn't know it any more", () => {
    const known = table(learned({ note: "1", other: "true" }))
    const left = { ...known, resource: list }
    const again = learned({ note: "2", other: "1", Note: "3", id: "1" }, left)
    assert.deepStrictEqual(cells(again), [
      ["note", "note", "BIGINT"],
      ["other", "other_2", "BIGINT"],
      ["Note", "note_2", "BIGINT"],
      ["id", "id_2", "BIGINT"]
    ])
  })

  it("are no more than a table takes", () => {
    const fields = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, "1"]))
    const columns = learned(fields)
    assert.strictEqual(columns.length + table().columns.length, mostColumns)
    assert.deepStrictEqual(learned(fields, table(columns)), [])
  })
})

describe("a value that its column doesn't hold", () => {
  const known = table(learned({ amount: "1", count: "1", note: "true" }))

  it("is counted, and gets one column beside it, in which everything but lists and objects fits", () => {
    const gathered = new Gathered()
    const count = gathered.take(known, [
      change(1, { amount: '"12"', count: "1.5", note: "false" }),
      change(2, { amount: '"1"', note: "[1]" }),
      { ...change(3, {}), misfits: { title: "[1]" } }
    ])
    assert.strictEqual(count, 5)
    const beside = gathered.ripe(known, pass(1, 4), at(5))
    assert.deepStrictEqual(cells(beside), [
      ["amount", "amount_text", "VARCHAR", "amount"],
      ["count", "count_text", "VARCHAR", "count"],
      ["note", "note_json", "JSON", "note"]
    ])
    const wider = table([...learned({ amount: "1", count: "1", note: "true" }), ...beside])
    gathered.take(wider, [change(9, { amount: '"12"' })])
    assert.deepStrictEqual(gathered.ripe(wider, pass(2, 10), at(11)), [])
  })
})
