/**
 * A server that is silent, ends its sessions, or is gone for a while: deliveries are refused in time, and everything
 * recovers by itself when the server is back.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch } from "effect"
import { sql } from "kysely"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { certified } from "../Written.ts"
import { proxied } from "./Proxy.ts"
import { ask, database, delivery, isAsleep, proxy, sessions, storesAt, until } from "./World.ts"

const receive = (...bodies: ReadonlyArray<string>) =>
  Effect.flatMap(Store, (store) =>
    Effect.tryPromise({ try: () => store.deliveries.receive(bodies.map((body) => delivery(body))), catch: String })
  )

const write = (id: string) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes: [certified(id, 1, "1.0000")], events: [] }))

describe.skipIf(Databases.skipped !== undefined)("a network that repeats answers", () => {
  it.live.each(["third", "first"])("makes no delivery count as stored by the answer to another one, of %s", (before) =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const network = yield* proxy(own.url)
        const body = Effect.gen(function* () {
          const { deliveries } = yield* Store
          const send = (sent: Delivery) =>
            Effect.result(Effect.tryPromise({ try: () => deliveries.receive([sent]), catch: String }))
          assert.strictEqual((yield* send(delivery("first")))._tag, "Success")
          network.repeat()
          // The server refuses it.
          const unstorable = { ...delivery("second"), eventId: "\u0000" }
          const both = [send(delivery(before)), send(unstorable)]
          const [, second] = yield* Effect.all(both, { concurrency: "unbounded" })
          assert.strictEqual(second?._tag, "Failure")
        })
        yield* Effect.provide(body, storesAt(network.url))
      })
    )
  )
})

describe.skipIf(Databases.skipped !== undefined)("a silent network", () => {
  it.live("refuses deliveries within two seconds each time, and accepts them once the server answers", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const network = yield* proxy(own.url)
        const body = Effect.gen(function* () {
          assert.strictEqual(yield* receive("first"), 1)
          network.silence()
          for (const again of ["first", "second", "third", "fourth"]) {
            const [took] = yield* Effect.timed(Effect.flip(receive(again)))
            assert.isBelow(Duration.toMillis(took), 2_000)
          }
          network.speak()
          yield* until(Effect.map(Effect.result(receive("fifth")), ({ _tag }) => _tag === "Success"))
          yield* Effect.forEach(["sixth", "seventh"], (each) => receive(each))
          // Connections from the silence are closed on both sides.
          yield* until(Effect.map(sessions(own), (all) => all.length <= 3))
          assert.isAtMost(network.open(), 3)
        })
        yield* Effect.provide(body, storesAt(network.url))
        const [{ n = "" } = {}] = yield* ask(own, "select count(*) as n from siteledger.inbox where body = 'seventh'")
        assert.strictEqual(n, "1")
        yield* until(Effect.map(sessions(own), (all) => all.length === 0))
      })
    )
  )

  it.live("is reported as such, with the address and nothing secret", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const network = yield* proxy(Databases.postgresUrl())
        network.silence()
        const error = yield* Effect.flip(Effect.provide(Effect.asVoid(Postgres), storesAt(network.url)))
        const { port } = new URL(network.url)
        assert.strictEqual(
          error.message,
          `PostgreSQL at 127.0.0.1:${port}, database postgres doesn't answer: timeout expired.`
        )
        assert.strictEqual(error.reason, "Failed")
      })
    )
  )

  it.live("doesn't hold up the end of the program", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const network = yield* proxy(own.url)
        const inside = Effect.gen(function* () {
          const { run } = yield* Postgres
          yield* receive("first")
          const asleep = run((db) => sql`select pg_sleep(1)`.execute(db))
          yield* Effect.forEach([1, 2, 3], () => Effect.forkDetach(asleep))
          yield* until(isAsleep(own, 3))
          network.silence()
        })
        const [took] = yield* Effect.timed(Effect.provide(inside, storesAt(network.url)))
        assert.isBelow(Duration.toMillis(took), 6_000)
        network.speak()
        yield* until(Effect.map(sessions(own), (all) => all.length === 0))
      })
    )
  )
})

describe.skipIf(Databases.skipped !== undefined)("a server that ends all sessions", () => {
  it.live("fails current work, and works again at the next use, without a crash", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const body = Effect.gen(function* () {
          const { atomically, run } = yield* Postgres
          yield* receive("first")
          const ended = yield* Latch.make(false)
          const current = [
            atomically(Effect.andThen(write("A"), Effect.andThen(ended.await, write("B")))),
            run((db) => sql`select pg_sleep(10)`.execute(db)),
            atomically(run((db) => sql`select pg_sleep(10)`.execute(db)))
          ]
          const fibers = yield* Effect.forEach(current, (each) => Effect.forkChild(Effect.result(each)))
          const isIdle = Effect.map(sessions(own), (all) => all.some(({ state }) => state === "idle in transaction"))
          yield* until(Effect.zipWith(isIdle, isAsleep(own, 2), (idle, asleep) => idle && asleep))
          yield* ask(
            own,
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'siteledger worker %' and datname = current_database()"
          )
          // A connection whose end has not been read yet would fail one more use.
          yield* until(Effect.map(sessions(own), (all) => all.length === 0))
          yield* ended.open
          for (const fiber of fibers) {
            const outcome = yield* Fiber.join(fiber)
            assert.strictEqual(outcome._tag === "Failure" ? outcome.failure.reason : "kept", "Failed")
          }
          assert.strictEqual(yield* receive("second"), 1)
          yield* write("C")
          yield* atomically(write("D"))
          assert.deepStrictEqual(yield* ask(own, "select id from construction.ipcs order by id"), [
            { id: "C" },
            { id: "D" }
          ])
        })
        yield* Effect.provide(body, storesAt(own.url))
      })
    )
  )

  it.live("and is then gone, refuses deliveries and writes with the reason", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const network = yield* Effect.promise(() => proxied(own.url))
        const body = Effect.gen(function* () {
          yield* receive("first")
          yield* write("A")
          yield* Effect.promise(() => network[Symbol.asyncDispose]())
          const { port } = new URL(network.url)
          yield* until(Effect.map(Effect.result(receive("second")), ({ _tag }) => _tag === "Failure"))
          const error = yield* Effect.flip(write("B"))
          assert.strictEqual(error.reason, "Failed")
          assert.strictEqual(
            error.message,
            `PostgreSQL at 127.0.0.1:${port}, database ${own.name} doesn't answer: connect ECONNREFUSED 127.0.0.1:${port}.`
          )
        })
        yield* Effect.provide(body, storesAt(network.url))
      })
    )
  )
})
