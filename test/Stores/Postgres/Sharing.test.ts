/** Several workers on one database: no update is lost, no event is held twice, and no deadlock persists. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { sql } from "kysely"
import type { Change } from "../../../src/Domain/Change.ts"
import { merge } from "../../../src/Domain/Merge.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { seeded } from "../../Seeded.ts"
import { certified } from "../Written.ts"
import { ask, database, delivery, session, sessions, storesAt, until, untilBlocked } from "./World.ts"

const worker = (url: string) =>
  Effect.map(Layer.build(Layer.fresh(storesAt(url))), (context) => ({
    as: <A, E>(body: Effect.Effect<A, E, Postgres | Store | Warehouse>) => Effect.provide(body, context)
  }))

const receive = (bodies: ReadonlyArray<string>) =>
  Effect.flatMap(Store, (store) => Effect.promise(() => store.deliveries.receive(bodies.map((body) => delivery(body)))))

const take = (limit: number) => Effect.flatMap(Store, (store) => store.deliveries.take(limit))

const test = (fact: string, body: (own: Databases.Database) => Effect.Effect<void, unknown, never>) =>
  it.live(fact, () => Effect.scoped(Effect.flatMap(database, body)))

const seed = Date.now() % 1_000_000

/** Many writes by all workers at the same time, each in its own transaction; returns all changes. */
const written = (own: Databases.Database, workers: number, rounds: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const all: Array<Change> = []
    // Each change has its own time, because a version must never have two contents.
    const seconds = random.shuffle(Array.from({ length: workers * rounds * 25 }, (_, second) => second))
    const plans = Array.from({ length: workers }, () =>
      Array.from({ length: rounds }, () =>
        Array.from({ length: 1 + random.below(25) }, () => {
          const change = certified(`I${random.below(40 + rounds)}`, seconds.pop() ?? 0, `${random.below(900)}.0000`)
          all.push(change)
          return change
        })
      )
    )
    yield* Effect.forEach(
      plans,
      (plan) =>
        Effect.gen(function* () {
          const { as } = yield* worker(own.url)
          const write = (changes: ReadonlyArray<Change>) =>
            Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes, events: [] }))
          yield* Effect.forEach(plan, (changes) => as(write(changes)))
        }),
      { concurrency: "unbounded" }
    )
    return all
  })

describe.skipIf(Databases.skipped !== undefined)("several workers", () => {
  test("write the same rows at the same time, and each row is the merge of all changes", (own) =>
    Effect.scoped(
      Effect.gen(function* () {
        const changes = yield* written(own, 4, 60)
        const { as } = yield* worker(own.url)
        const rows = yield* as(
          Effect.flatMap(Warehouse, (warehouse) =>
            warehouse.query((db) => db.selectFrom("construction.ipcs").selectAll().execute())
          )
        )
        const byId = Map.groupBy(changes, ({ id }) => id)
        assert.strictEqual(rows.length, byId.size, `seed ${seed}`)
        for (const row of rows) {
          const expected = merge(byName("ipcs"), undefined, byId.get(String(row["id"])) ?? [])
          assert.deepStrictEqual({ ...row }, { ...expected }, `seed ${seed}`)
        }
      })
    ))

  test("retry a batch that the server rolled back because of a deadlock", (own) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { as } = yield* worker(own.url)
        const write = (second: number) =>
          Effect.flatMap(Warehouse, (warehouse) =>
            warehouse.write({ changes: ["A", "B"].map((id) => certified(id, second, "1.0000")), events: [] })
          )
        yield* as(write(1))
        const run = yield* session(own)
        const lock = (id: string) => run(`select from construction.ipcs where id = '${id}' for update`)
        yield* run("begin; set local deadlock_timeout = '1min'")
        yield* lock("B")
        const both = Effect.gen(function* () {
          const { atomically } = yield* Postgres
          yield* atomically(write(2))
        })
        const fiber = yield* Effect.forkChild(as(both))
        yield* untilBlocked(own)
        yield* lock("A")
        yield* run("commit")
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(yield* ask(own, "select distinct certified_at::text as at from construction.ipcs"), [
          { at: "2026-11-20 00:00:02.000001+00" }
        ])
      })
    ))

  test("store the same deliveries at the same time: each body once, each delivery counted", (own) =>
    Effect.scoped(
      Effect.gen(function* () {
        const workers = yield* Effect.forEach([1, 2, 3], () => worker(own.url))
        const bodies = Array.from({ length: 60 }, (_, place) => `body ${place}`)
        for (let round = 0; round < 15; round++) {
          const batches = [bodies, bodies.toReversed(), bodies.toSorted()].map((batch) =>
            batch.map((body) => `${body} of ${Math.floor(round / 2)}`)
          )
          const fresh = yield* Effect.forEach(workers, ({ as }, place) => as(receive(batches[place] ?? [])), {
            concurrency: "unbounded"
          })
          assert.strictEqual(
            fresh.reduce((sum, count) => sum + count),
            round % 2 === 0 ? bodies.length : 0
          )
        }
        assert.deepStrictEqual(
          yield* ask(own, "select deliveries, count(*) from siteledger.inbox group by 1 order by 1"),
          [
            { deliveries: "3", count: "60" },
            { deliveries: "6", count: "420" }
          ]
        )
        assert.deepStrictEqual(
          yield* ask(own, "select is_first, count(*) from siteledger.inbox_queue group by 1 order by 1"),
          [
            { is_first: "f", count: String(15 * 3 * 60 - 480) },
            { is_first: "t", count: "480" }
          ]
        )
      })
    ))

  test("never take an event that another worker holds", (own) =>
    Effect.scoped(
      Effect.gen(function* () {
        const workers = yield* Effect.forEach([1, 2, 3, 4], () => worker(own.url))
        const [{ as } = yield* Effect.die("no worker")] = workers
        yield* as(receive(Array.from({ length: 400 }, (_, place) => `body ${place}`)))
        const settled: Array<number> = []
        const turn = Effect.gen(function* () {
          const store = yield* Store
          return yield* store.atomically(
            Effect.gen(function* () {
              const took = yield* take(7)
              const rows = took.taken.map(({ event }) => event)
              yield* Effect.sleep(3)
              yield* store.transaction((tx) => store.deliveries.settle(tx, took, rows))
              settled.push(...rows.map(({ sequence }) => sequence))
              return rows.length
            })
          )
        })
        const drain = Effect.gen(function* () {
          while ((yield* turn) > 0) yield* Effect.yieldNow
        })
        yield* Effect.forEach(workers, (each) => each.as(drain), { concurrency: "unbounded" })
        assert.strictEqual(settled.length, 400)
        assert.strictEqual(new Set(settled).size, 400)
        assert.deepStrictEqual(yield* ask(own, "select count(*) from siteledger.inbox_queue"), [{ count: "0" }])
      })
    ))

  test("get the events of a dead worker at once", (own) =>
    Effect.scoped(
      Effect.gen(function* () {
        const [dying, other] = [yield* worker(own.url), yield* worker(own.url)]
        yield* other.as(receive(["a", "b", "c"]))
        const holding = Effect.flatMap(Store, (store) =>
          store.atomically(
            Effect.andThen(
              take(10),
              store.run((db) => sql`select pg_sleep(20)`.execute(db))
            )
          )
        )
        const fiber = yield* Effect.forkChild(dying.as(Effect.flip(holding)))
        yield* until(Effect.map(sessions(own), (all) => all.some(({ query }) => query?.includes("pg_sleep"))))
        assert.lengthOf((yield* other.as(take(10))).taken, 0)
        yield* ask(
          own,
          "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()"
        )
        yield* Fiber.join(fiber)
        assert.lengthOf((yield* other.as(take(10))).taken, 3)
      })
    ))
})
