/**
 * Walks over a list whose records and fields change under them, on both engines: fields appear, change their type and
 * vanish, pages become smaller, the service has outages, and columns are learned in between. In the end the table
 * equals the service's list, and every field that has a value has a column. The long form takes 200 seeds.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { inTexts } from "../../src/Stores/EntityTables.ts"
import { Store } from "../../src/Stores/Store.ts"
import type { Warehouse as Warehouse_ } from "../../src/Stores/Warehouse.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import { learner } from "../../src/Walk/Learning.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import { patience, rounds, seed } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import { evolvingEngines as engines } from "../Stores/EvolvingEngines.ts"
import { passing } from "./Passing.ts"
import { Reshaping, shownBy, things } from "./Reshaping.ts"

const walked = (list: Reshaping, warehouse: Warehouse_["Service"]) =>
  Effect.gen(function* () {
    const parts = yield* Effect.provideService(passing, Warehouse, warehouse)
    const shared = { ...parts, pageSize: 5, concurrency: 2 }
    const previous = yield* Checkpoints.load(shared.store, things.name)
    // A pass that fails goes on with the next one.
    yield* Effect.ignore(Pass.run({ ...shared, list: list.paged }, previous))
  }).pipe(Effect.scoped)

const compared = (list: Reshaping, warehouse: Warehouse_["Service"], what: string) =>
  Effect.gen(function* () {
    const table = yield* warehouse.table(things.name)
    const { rows } = yield* warehouse.query((db) =>
      sql<Record<string, unknown>>`select * from construction.things where _deleted_at is null`.execute(db)
    )
    const found = new Map(rows.map((row) => [String(row["id"]), inTexts(table, row)]))
    const wanted = [...list.truth]
    assert.sameMembers(
      [...found.keys()],
      wanted.map(([id]) => id),
      what
    )
    for (const [id, fields] of wanted) {
      const expected = shownBy(table.resource, fields)
      const row = found.get(id) ?? {}
      const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, row[name] ?? null]))
      assert.deepStrictEqual({ ...shown, id }, expected, `${what}, record ${id}`)
      for (const [field, text] of Object.entries(fields)) {
        if (text === "null" || field === "id" || field === "name") continue
        assert.isTrue(table.resource.learned?.has(field), `${what}: ${field} has no column`)
      }
    }
    return table.columns.length
  })

const lives = rounds(2, 100)

describe.each(engines)("a list whose fields change while it is walked, in $name", ({ isSkipped, name, within }) => {
  it.live.skipIf(isSkipped)(
    `ends in a table that equals it, from seed ${seed} on`,
    () =>
      within((place) =>
        Effect.gen(function* () {
          let columns = 0
          for (let life = seed; life < seed + lives; life++) {
            const what = `${name}, seed ${life}`
            const random = seeded(life)
            const list = new Reshaping(random)
            const go = (count: number, isLearning: () => boolean) => (given: Warehouse_["Service"]) =>
              Effect.gen(function* () {
                const { learn, warehouse } = yield* Effect.provideService(learner, Warehouse, given)
                for (let pass = 0; pass < count; pass++) {
                  yield* walked(list, warehouse)
                  if (isLearning()) yield* learn
                }
              })
            // Of several starts, each goes on.
            for (let start = 0; start < 3; start++) {
              yield* place.open(
                [things],
                go(4, () => random.chance(0.6))
              )
            }
            list.isCalm = true
            yield* place.open(
              [things],
              go(6, () => true)
            )
            columns += yield* place.open([things], (warehouse) => compared(list, warehouse, what))
            yield* place.open([], forgotten)
          }
          assert.isAbove(columns / lives, 10)
        })
      ),
    patience
  )
})

/** So that the next life begins with nothing, in the same files. */
const forgotten = (warehouse: Warehouse_["Service"]) =>
  Effect.gen(function* () {
    const store = yield* Store
    yield* store.transaction(async (tx) => {
      for (const table of ["sightings", "walk_pages", "walk_writing", "walks", "learned_columns"] as const)
        await tx.deleteFrom(table).execute()
    })
    yield* warehouse.query((db) => sql`drop table construction.things cascade`.execute(db))
  })
