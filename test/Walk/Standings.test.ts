/**
 * The standing of a list is the same whether it is computed for one list or for all. Lists that ask at the same moment
 * share the queries.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Store } from "../../src/Stores/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Standings from "../../src/Walk/Standings.ts"
import { engines } from "../Stores/StoreEngines.ts"

const resource = "permits"
const at = "2026-11-20T02:00:00.000000Z"
const bad = { resource, sha256: "00", record: "{}", reason: "no-id", first_seen_at: at, last_seen_at: at }

describe.each(engines)("how lists stand in $name", ({ isSkipped, name, place }) => {
  it.live.skipIf(isSkipped)("is the same of one and of all, also before a pass and with records set aside", () =>
    Effect.scoped(
      Effect.flatMap(place, ({ layer }) =>
        Effect.gen(function* () {
          const store = yield* Store
          const both = Effect.gen(function* () {
            const one = yield* Standings.single(store)(resource)
            assert.deepStrictEqual(one, (yield* Standings.all(store))(resource))
            return one
          })
          assert.deepStrictEqual(yield* both, { state: undefined, pagesDone: 0, quarantined: 0 })
          yield* store.run((db) => db.insertInto("record_quarantine").values(bad).execute())
          assert.deepStrictEqual(yield* both, { state: undefined, pagesDone: 0, quarantined: 1 })
          const state = Checkpoints.following({ resource }, undefined, at)
          yield* Checkpoints.begin(store, state)
          yield* store.run((db) => db.insertInto("walk_pages").values({ resource, page: 1 }).execute())
          assert.deepStrictEqual(yield* both, { state, pagesDone: 1, quarantined: 1 })
        }).pipe(Effect.provide(layer))
      )
    )
  )

  it.live.skipIf(isSkipped)("of several that ask at once takes the queries of one", () =>
    Effect.scoped(
      Effect.flatMap(place, ({ layer }) =>
        Effect.gen(function* () {
          const store = yield* Store
          let queries = 0
          const run: typeof store.run = (query) => Effect.suspend(() => (queries++, store.run(query)))
          const names = Array.from({ length: 40 }, (_, n) => `list_${n}`)
          for (const name of names.slice(0, 20)) {
            yield* Checkpoints.begin(store, Checkpoints.following({ resource: name }, undefined, at))
          }
          const standingOf = Standings.single({ ...store, run })
          const found = yield* Effect.forEach(names, standingOf, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            found.map(({ state }) => state?.resource),
            names.map((name, n) => (n < 20 ? name : undefined))
          )
          assert.strictEqual(queries, 2)
        }).pipe(Effect.provide(layer))
      )
    )
  )

  it.live.skipIf(isSkipped || name !== "PostgreSQL")(
    "of hundreds is counted in one read of the pages, also if one has most (a server's plan)",
    () =>
      Effect.scoped(
        Effect.flatMap(place, ({ layer }) =>
          Effect.gen(function* () {
            const store = yield* Store
            const lists = Array.from({ length: 100 }, (_, n) => `list_${n}`)
            for (const list of lists) {
              yield* Checkpoints.begin(store, Checkpoints.following({ resource: list }, undefined, at))
            }
            const pages = 20_000
            yield* store.run(async (db) => {
              await sql`insert into walk_pages select ${lists[0]}, page from generate_series(1, ${sql.lit(pages)}) of(page)`.execute(
                db
              )
              await sql`analyze walk_pages`.execute(db)
            })
            const counted = sql<{
              rows: string
            }>`select pg_stat_get_xact_tuples_returned('walk_pages'::regclass) as rows`
            const reading = Effect.gen(function* () {
              const standing = yield* Standings.all(store)
              assert.deepStrictEqual(
                ["list_0", "list_1"].map((list) => standing(list).pagesDone),
                [pages, 0]
              )
              return yield* store.run((db) => counted.execute(db))
            })
            const { rows } = yield* store.atomically(reading)
            assert.isAtMost(Number(rows[0]?.rows), pages)
          }).pipe(Effect.provide(layer))
        )
      )
  )
})
