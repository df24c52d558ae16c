/**
 * Interrupting a fiber ends its query on the server, and no other, even if the server doesn't answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { sql } from "kysely"
import { workConnections } from "../../../src/Stores/Postgres/ConnectionCounts.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { database, proxy, sessions, storesAt, until, isAsleep } from "./World.ts"

const asleep = (seconds: number) =>
  Effect.flatMap(Postgres, ({ run }) => run((db) => sql`select pg_sleep(${seconds})`.execute(db)))

const sleeping = asleep(20)

const answers = Effect.flatMap(Postgres, ({ run }) =>
  Effect.map(
    run((db) => sql<{ n: number }>`select 1 as n`.execute(db)),
    ({ rows }) => assert.deepStrictEqual(rows, [{ n: 1 }])
  )
)

describe.skipIf(Databases.skipped !== undefined)("interruption", () => {
  for (const [place, enclosed] of [
    ["alone", sleeping],
    ["in a transaction", Effect.flatMap(Postgres, ({ atomically }) => atomically(sleeping))],
    ["in a nested one", Effect.flatMap(Postgres, ({ atomically }) => atomically(atomically(sleeping)))]
  ] as const) {
    it.live(`ends the query on the server: ${place}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const own = yield* database
          const body = Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(enclosed)
            yield* until(isAsleep(own))
            const [took] = yield* Effect.timed(Fiber.interrupt(fiber))
            assert.isBelow(Duration.toMillis(took), 2_000)
            assert.isTrue(yield* isAsleep(own, 0))
            yield* until(Effect.map(sessions(own), (all) => all.every(({ state }) => state !== "idle in transaction")))
            yield* answers
          })
          yield* Effect.provide(body, storesAt(own.url))
        })
      )
    )
  }

  it.live("has ended the query when it ends", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const body = Effect.gen(function* () {
          const { run } = yield* Postgres
          let isOver = false
          const fiber = yield* Effect.forkChild(
            run((db) =>
              sql`select pg_sleep(20)`.execute(db).finally(() => {
                isOver = true
              })
            )
          )
          yield* until(isAsleep(own))
          yield* Fiber.interrupt(fiber)
          assert.isTrue(isOver)
        })
        yield* Effect.provide(body, storesAt(own.url))
      })
    )
  )

  it.live("doesn't reach the next user of the connection", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const body = Effect.gen(function* () {
          const { run } = yield* Postgres
          const answered = Promise.withResolvers<void>()
          const paused = Promise.withResolvers<void>()
          const first = yield* Effect.forkChild(
            run(async (db) => {
              await sql`select 1`.execute(db)
              answered.resolve()
              await paused.promise
            })
          )
          // There is one connection, which the first fiber has released.
          yield* Effect.promise(() => answered.promise)
          const second = yield* Effect.forkChild(run((db) => sql`select pg_sleep(1)`.execute(db)))
          yield* until(isAsleep(own))
          assert.lengthOf(yield* sessions(own), 1)
          const interrupted = yield* Effect.forkChild(Fiber.interrupt(first))
          // For a second nothing ends it, although the first fiber is being interrupted.
          yield* Effect.ensuring(Fiber.join(second), Effect.sync(paused.resolve))
          yield* Fiber.join(interrupted)
        })
        yield* Effect.provide(body, storesAt(own.url))
      })
    )
  )

  it.live("starts nothing: a query that waited for a connection never runs", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const body = Effect.gen(function* () {
          const { run } = yield* Postgres
          const all = yield* Effect.forEach(Array.from({ length: workConnections }), () => Effect.forkChild(sleeping))
          yield* until(isAsleep(own, workConnections))
          const late = yield* Effect.forkChild(
            run((db) => sql`insert into meta (key, value) values ('late', 'here')`.execute(db))
          )
          // After a round trip to the server it waits for one of the ten connections.
          yield* sessions(own)
          const interrupted = yield* Effect.forkChild(Fiber.interrupt(late))
          yield* sessions(own)
          yield* Fiber.interruptAll(all)
          yield* Fiber.join(interrupted)
          const { rows } = yield* run((db) => sql`select * from meta where key = 'late'`.execute(db))
          assert.deepStrictEqual(rows, [])
        })
        yield* Effect.provide(body, storesAt(own.url))
      })
    )
  )

  it.live("doesn't wait for a silent server, and loses no connection", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const network = yield* proxy(own.url)
        const body = Effect.gen(function* () {
          const { atomically } = yield* Postgres
          for (const silent of [asleep(2), atomically(asleep(2))]) {
            const fibers = yield* Effect.forEach(Array.from({ length: workConnections }), () =>
              Effect.forkChild(silent)
            )
            yield* until(isAsleep(own, workConnections))
            network.silence()
            const [took] = yield* Effect.timed(Fiber.interruptAll(fibers))
            assert.isBelow(Duration.toMillis(took), 6_000)
            network.speak()
            yield* answers
            yield* until(isAsleep(own, 0))
          }
        })
        yield* Effect.provide(body, storesAt(network.url))
        yield* until(Effect.map(sessions(own), (all) => all.length === 0))
      })
    )
  )
})
