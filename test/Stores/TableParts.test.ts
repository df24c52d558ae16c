/** The parts of a table, in both engines: by when its rows were first seen, each row in exactly one part. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { sql } from "kysely"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { queryWithoutFile } from "./Reading.ts"
import { engines, folder } from "./WarehouseEngines.ts"
import { certified } from "./Written.ts"

const firstSeen = (second: number) => certified("", second, "1.0000").seenAt

describe.each(engines)("a table in parts in $name", ({ isSkipped, layer }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Scope.Scope | Warehouse | Store>) =>
    it.live.skipIf(isSkipped)(fact, () => Effect.scoped(Effect.provide(body, layer, { local: true })))

  test(
    "begins its parts where they began, and divides one that is too large",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const path = yield* folder
      const ids = Array.from({ length: 17 }, (_, place) => String.fromCharCode(65 + place))
      yield* warehouse.write({ changes: ids.map((id, place) => certified(id, place + 1, "1.0000")), events: [] })
      // As nobody but a person can make one.
      yield* warehouse.query((db) => sql`update construction.ipcs set _first_seen_at = null where id = 'A'`.execute(db))
      const parts = yield* Effect.scoped(
        Effect.gen(function* () {
          const snapshot = yield* warehouse.snapshot
          const found = yield* snapshot.parts("ipcs", { bounds: [firstSeen(6)], rows: 4 })
          const rows = yield* Effect.forEach(found, (part, place) =>
            Effect.andThen(
              snapshot.writeTable("ipcs", join(path, `${place}.parquet`), part),
              Effect.map(
                Effect.promise(() => queryWithoutFile(`select id from '${path}/${place}.parquet' order by id`)),
                (all) => all.map(({ id }) => id).join("")
              )
            )
          )
          assert.deepStrictEqual(
            (yield* snapshot.parts("project_currencies", { bounds: [], rows: 4 })).map(({ rows: count }) => count),
            [0]
          )
          return found.map((part, place) => [part.from, part.until, part.rows, rows[place]])
        })
      )
      assert.deepStrictEqual(parts, [
        [null, firstSeen(6), 5, "ABCDE"],
        [firstSeen(6), firstSeen(10), 4, "FGHI"],
        [firstSeen(10), firstSeen(14), 4, "JKLM"],
        [firstSeen(14), null, 4, "NOPQ"]
      ])
    })
  )
})
