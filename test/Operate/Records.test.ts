/**
 * Records a page at a time, on both engines: every filter, exact values, positions between pages, and what happens
 * where the search would take too long.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import { make } from "../../src/Domain/Version.ts"
import type { Answer, Payload } from "../../src/Operate/AdminApi.ts"
import { records } from "../../src/Operate/Records.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { engines } from "../Stores/WarehouseEngines.ts"

const at = (second: number) => `2026-10-01T00:00:${String(second).padStart(2, "0")}.000000Z`

const project = (id: number, values: Change["values"], second = 0): Change => ({
  entity: "projects",
  id: String(id),
  version: make(1_790_000_000_000_000 + second, 0, "a".repeat(64)),
  source: "page",
  seenAt: at(second),
  values,
  misfits: {},
  extra: {}
})

const ipc = (id: string, values: Change["values"], second: number): Change => ({
  ...project(0, values, second),
  entity: "ipcs",
  id
})

const write = (changes: ReadonlyArray<Change>) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes, events: [] }))

const ids = ({ columns, key, rows }: Answer<"records">) => {
  const place = columns.findIndex(({ name }) => name === key)
  return rows.map((row) => row[place])
}

const why = (payload: Payload<"records">) => Effect.map(Effect.flip(records(payload)), ({ message }) => message)

/** As if the first search never came to its end. */
const impatient = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    let asked = 0
    const query = ((run) => (asked++ === 0 ? Effect.never : warehouse.query(run))) as typeof warehouse.query
    return yield* Effect.provideService(body, Warehouse, { ...warehouse, query })
  })

describe.each(engines)("records in $name", ({ isSkipped, layer }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Warehouse>) =>
    it.live.skipIf(isSkipped)(fact, () => Effect.scoped(Effect.provide(body, layer)))

  test(
    "come in the order of their keys, each once, with exact values",
    Effect.gen(function* () {
      const all = Array.from({ length: 25 }, (_, place) => place * 7 - 20)
      yield* write(all.toReversed().map((id) => project(id, { name: `No ${id}` })))
      const found: Array<unknown> = []
      let after: string | null | undefined
      while (after !== null) {
        const page: Answer<"records"> = yield* records({
          table: "projects",
          last: 5,
          ...(after === undefined ? {} : { after })
        })
        assert.strictEqual(page.rows.length, 5)
        found.push(...ids(page))
        after = page.next
      }
      assert.deepStrictEqual(found, all.map(String))
      yield* write([
        ipc("7", { certified_amount: "12345678901234567890.1000", project_id: "9007199254740993" }, 1),
        ipc("8", { certified_amount: null, certificate_url: "x".repeat(1001) }, 2)
      ])
      const { columns, rows } = yield* records({ table: "ipcs" })
      const value = (row: number, name: string) => rows[row]?.[columns.findIndex((each) => each.name === name)]
      assert.deepStrictEqual(
        [value(0, "certified_amount"), value(0, "project_id"), value(1, "certified_amount")],
        ["12345678901234567890.1000", "9007199254740993", null]
      )
      assert.strictEqual(value(1, "certificate_url"), `${"x".repeat(1000)}…`)
      assert.strictEqual(value(0, "_changed_at"), at(1))
    })
  )

  test(
    "come in the order of their changes, newest first, each once while none changes",
    Effect.gen(function* () {
      // Of some at the same time.
      yield* write(Array.from({ length: 12 }, (_, id) => project(id, { name: "a" }, Math.floor(id / 3))))
      const found: Array<unknown> = []
      let after: string | null | undefined
      while (after !== null) {
        const page: Answer<"records"> = yield* records({
          table: "projects",
          last: 5,
          order: "changed",
          ...(after === undefined ? {} : { after })
        })
        found.push(...ids(page))
        after = page.next
      }
      assert.deepStrictEqual(found, ["9", "10", "11", "6", "7", "8", "3", "4", "5", "0", "1", "2"])
      assert.match(yield* why({ table: "projects", order: "changed", after: "7" }), /No page of projects ends at 7/)
    })
  )

  test(
    "are found by up to five conditions, whose names and values are none of SQL",
    Effect.gen(function* () {
      yield* write([
        ipc("7", { certified_amount: "12.5000", submitter: "Ada", paid_at: at(3) }, 1),
        ipc("70", { certified_amount: "112.5000", submitter: "adele's 100%_\\", created_at: at(2) }, 2),
        ipc("8", { certified_amount: "9.0000", submitter: null }, 3)
      ])
      yield* write([project(5, { name: "a" }), project(40, { name: "b" })])
      const of = (...where: NonNullable<Payload<"records">["where"]>) =>
        Effect.map(records({ table: "ipcs", where }), ids)
      const one = (column: string, is: "equals" | "contains" | "begins" | "less" | "more", value: string) =>
        of({ column, is, value })
      assert.deepStrictEqual(yield* one("id", "equals", "7"), ["7"])
      assert.deepStrictEqual(yield* one("id", "begins", "7"), ["7", "70"])
      assert.deepStrictEqual(yield* one("certified_amount", "equals", "12.5"), ["7"])
      assert.deepStrictEqual(yield* one("certified_amount", "more", "10"), ["7", "70"])
      assert.deepStrictEqual(yield* one("certified_amount", "less", "12.50"), ["8"])
      assert.deepStrictEqual(yield* one("certified_amount", "begins", "112.50"), ["70"])
      assert.deepStrictEqual(yield* one("submitter", "contains", "AD"), ["7", "70"])
      assert.deepStrictEqual(yield* one("submitter", "contains", "%_\\"), ["70"])
      assert.deepStrictEqual(yield* one("submitter", "contains", "'s 1"), ["70"])
      assert.deepStrictEqual(yield* one("submitter", "equals", "' or ''='"), [])
      assert.deepStrictEqual(yield* one("status", "equals", "paid"), ["7"])
      assert.deepStrictEqual(yield* one("paid_at", "equals", at(3)), ["7"])
      assert.deepStrictEqual(yield* one("_changed_at", "more", "2026-10-01T00:00:01Z"), ["70", "8"])
      assert.deepStrictEqual(yield* of({ column: "submitter", is: "null" }), ["8"])
      assert.deepStrictEqual(yield* of({ column: "created_at", is: "not-null" }), ["70"])
      const both = [
        { column: "submitter", is: "not-null" },
        { column: "certified_amount", is: "less", value: "20" }
      ] as const
      assert.deepStrictEqual(yield* of(...both), ["7"])
      const projects = yield* records({ table: "projects", where: [{ column: "id", is: "more", value: "6" }] })
      assert.deepStrictEqual(ids(projects), ["40"])
      for (const [payload, sentence] of [
        [{ table: "ipcs; drop table construction.ipcs" }, /no table of records ipcs; drop/],
        [{ table: "events" }, /no table of records events/],
        [{ table: "ipcs", where: [{ column: 'id" = id or "id', is: "null" }] }, /ipcs has no column id" = id or "id/],
        [
          { table: "ipcs", where: [{ column: "certified_amount", is: "more", value: "ten" }] },
          /and the value to compare it with isn't\.$/
        ],
        [
          { table: "ipcs", where: [{ column: "certified_amount", is: "equals", value: "1.00001" }] },
          /and the value to compare it with isn't\.$/
        ],
        [{ table: "ipcs", where: [{ column: "id", is: "equals" }] }, /Give the value to compare id with/],
        [{ table: "projects", after: "x" }, /No page of projects ends at x/]
      ] satisfies ReadonlyArray<readonly [Payload<"records">, RegExp]>) {
        assert.match(yield* why(payload), sentence)
      }
    })
  )

  test(
    "are looked at one after the other where the search takes too long, and the answer says where it stopped",
    Effect.gen(function* () {
      const count = 10_500
      yield* write(Array.from({ length: count }, (_, id) => project(id, { name: id % 5000 === 4999 ? "rare" : "a" })))
      const where = [{ column: "name", is: "equals", value: "rare" }] as const
      const first = yield* impatient(records({ table: "projects", where }))
      assert.deepStrictEqual([ids(first), first.next, first.stoppedAfter], [["4999", "9999"], "9999", 10_000])
      const second = yield* impatient(records({ table: "projects", where, after: "9999" }))
      assert.deepStrictEqual([ids(second), second.next, second.stoppedAfter], [[], null, null])
      const few = yield* impatient(records({ table: "projects", where, last: 1 }))
      assert.deepStrictEqual([ids(few), few.next, few.stoppedAfter], [["4999"], "4999", null])
      const changed = yield* Effect.flip(impatient(records({ table: "projects", order: "changed" })))
      assert.match(changed.message, /too many records to put them in the order of their changes/)
    })
  )
})
