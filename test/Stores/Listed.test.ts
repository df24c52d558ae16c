/** Listed records become the rows that `Merge` makes of them, whatever is stored already, on both engines. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import { Listed, sheet } from "../../src/Domain/Listed.ts"
import { merge, type Row } from "../../src/Domain/Merge.ts"
import { byName } from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { engines } from "./WarehouseEngines.ts"

const seenAt = "2026-11-20T02:00:00.000000Z"

const page = (ids: ReadonlyArray<number>, micros: number, word = "x"): ReadonlyArray<Change> => {
  const version = Version.make(micros, 0, "ab".repeat(32))
  const columns = new Map([["name", 1]])
  const shared = sheet({ entity: "projects", keyColumn: "id", version, seenAt, columns }, { city: 2, amount: 3 })
  return ids.map((id) => new Listed(shared, String(id), ["", `"N\t${word}é${id}\\N"`, `"${word}"`, `${id}.10`]))
}

const event = (id: number, micros: number): Change => ({
  entity: "projects",
  id: String(id),
  version: Version.make(micros, 0, "cd".repeat(32)),
  source: "event",
  seenAt,
  values: { name: `event ${id}` },
  misfits: {},
  extra: { city: '"event"' }
})

const numbers = (from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => from + at)

/** More than a chunk, an id twice in a batch, ids that events or pages have touched before, and a page without a new id. */
const batches: ReadonlyArray<ReadonlyArray<Change>> = [
  [event(3, 2_000_000), event(4, 9_000_000), event(2600, 1_000_000)],
  page(numbers(1, 2500), 5_000_000),
  page(numbers(2490, 1500), 6_000_000, "y"),
  [...page(numbers(4000, 700), 7_000_000), ...page(numbers(4600, 10), 8_000_000, "z"), event(4700, 7_000_000)],
  page(numbers(1, 30), 4_000_000, "late"),
  page(numbers(5000, 600), 9_000_000)
]

const expected = (): ReadonlyMap<string, Row> => {
  const rows = new Map<string, Row>()
  for (const change of batches.flat()) {
    const { entity, extra, id, misfits, seenAt: seen, source, values, version } = change
    const row = merge(byName("projects"), rows.get(id), [
      { entity, extra, id, misfits, seenAt: seen, source, values, version }
    ])
    if (row !== undefined) rows.set(id, row)
  }
  return rows
}

describe.each(engines)("listed records on $name", ({ isSkipped, layer }) => {
  it.live.skipIf(isSkipped)("end in the rows that merging makes of them", () =>
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      for (const changes of batches) yield* warehouse.write({ changes, events: [] })
      const rows = yield* warehouse.query((db) => db.selectFrom("construction.projects").selectAll().execute())
      const byId = new Map(rows.map((row) => [String(row.id), row]))
      assert.strictEqual(byId.size, rows.length)
      const wanted = expected()
      assert.strictEqual(rows.length, wanted.size)
      for (const [id, { _changed_at: _a, _first_seen_at: _b, ...row }] of wanted) {
        const { _changed_at: _c, _first_seen_at: _d, ...found } = byId.get(id) ?? ({} as never)
        assert.deepStrictEqual({ ...(found as object), id }, row)
      }
    }).pipe(Effect.provide(layer, { local: true }), Effect.scoped)
  )
})
