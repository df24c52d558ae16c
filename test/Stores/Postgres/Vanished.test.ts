/** Which transactions are ended because they belong to a vanished worker, and which never are. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { sql } from "kysely"
import { setTimeout as pause } from "node:timers/promises"
import { Client } from "pg"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { makeSilence } from "../../../src/Stores/Postgres/Vanished.ts"
import * as Reading from "../../../src/Stores/Reading.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, storesAt, until } from "./World.ts"
import { Log } from "../../Logged.ts"

describe("silence", () => {
  it("is four seconds without any activity, whatever the server's clock shows", () => {
    const silence = makeSilence()
    const at = (ms: number, ...seen: ReadonlyArray<readonly [string, string]>) => [
      ...silence(
        seen.map(([name, active]) => ({ name, active })),
        ms
      )
    ]
    assert.deepStrictEqual(at(0, ["a", "02:00"], ["b", "02:00"]), [])
    assert.deepStrictEqual(at(3_000, ["a", "02:00"], ["b", "01:00"]), [])
    assert.deepStrictEqual(at(4_000, ["a", "02:00"], ["b", "03:00"]), ["a"])
    assert.deepStrictEqual(at(7_900, ["a", "02:01"], ["b", "03:00"]), [])
    assert.deepStrictEqual(at(8_000, ["b", "03:00"]), ["b"])
    assert.deepStrictEqual(at(9_000, ["a", "02:00"], ["b", "03:00"]), ["b"])
  })
})

describe.skipIf(Databases.skipped !== undefined)("an open transaction", () => {
  /** Another program's session, under a name. */
  const opened = (url: string, application_name: string) =>
    Effect.promise(async () => {
      const client = new Client({ connectionString: url, application_name })
      client.on("error", () => undefined)
      await client.connect()
      await client.query("begin; select pg_current_xact_id()")
      return client
    })

  it.live("is ended if its worker is silent, and never that of a worker that is up, or of another program", () =>
    Effect.gen(function* () {
      const own = yield* database
      const busy = yield* Deferred.make<void>()
      const first = Effect.gen(function* () {
        const { atomically, run } = yield* Postgres
        yield* atomically(
          Effect.andThen(
            run((db) => sql`select pg_current_xact_id()`.execute(db)),
            Deferred.await(busy)
          )
        )
      })
      // Either of them may end it.
      const log = new Log()
      const stores = Layer.provideMerge(storesAt(own.url), log.layer)
      const fiber = yield* Effect.forkChild(Effect.provide(first, stores, { local: true }))
      const clients = yield* Effect.forEach(["siteledger worker gone 1 00000000", "siteledger", "psql"], (name) =>
        opened(own.url, name)
      )
      const names = Effect.map(
        ask(
          own,
          `select application_name as name from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction'`
        ),
        (rows) => rows.map(({ name }) => name?.replace(/worker .*/, "worker") ?? "").toSorted()
      )
      const before = ["psql", "siteledger", "siteledger worker", "siteledger worker"]
      const after = ["psql", "siteledger", "siteledger worker"]
      yield* until(Effect.map(names, (all) => all.join() === before.join()))
      const second = Effect.gen(function* () {
        yield* until(Effect.map(names, (all) => all.join() === after.join()))
        // As long again: nothing more is ended.
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* names, after)
      })
      yield* Effect.provide(second, stores, { local: true })
      assert.match(String(log.saw("connections.ended")["why"]), /siteledger worker gone 1/)
      yield* Deferred.succeed(busy, undefined)
      yield* Fiber.join(fiber)
      yield* Effect.forEach(clients, (client) => Effect.promise(() => client.end().catch(() => undefined)))
    }).pipe(Effect.scoped)
  )

  it.live("of the thread that audits is left alone by its own worker", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { readAt } = yield* Store
        const reader = yield* Reading.open(readAt!)
        const answer = yield* reader.transaction(async (tx) => {
          await sql`select 1`.execute(tx)
          // The worker looks every second.
          await pause(2_500)
          return sql<{ n: number }>`select 2 as n`.execute(tx)
        })
        assert.strictEqual(answer.rows[0]?.n, 2)
      }).pipe(Effect.provide(storesAt(own.url), { local: true }))
    }).pipe(Effect.scoped)
  )
})
