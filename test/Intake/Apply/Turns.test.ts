/** Several workers on one PostgreSQL take turns at the books, and for as little as possible. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { oneAtATime } from "../../../src/Stores/Sql.ts"
import { Store, type StoreError } from "../../../src/Stores/Store.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, storesAt, until, untilBlocked } from "../../Stores/Postgres/World.ts"
import { certified, following, offer, paid, pending, reader } from "./HearingWorld.ts"

/** It hears of nothing ahead. */
const worker = (url: string) =>
  Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), Copies.layer, reader)),
    Layer.provideMerge(Layer.mergeAll(storesAt(url), Reasons.layer, following))
  )

/** While another worker has its turn at the books. */
const meanwhile = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const other = store.transaction(async (tx) => {
      await oneAtATime(tx, "ledger")
      begin()
      await over
    })
    const turn = yield* Effect.forkChild(other)
    yield* Effect.promise(() => begun)
    yield* Effect.ensuring(body, Effect.sync(resolve))
    yield* Fiber.join(turn)
  })

const isDrained = until(Effect.map(pending, (count) => count === 0))

const entries = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_entries").select("event_id").execute())
)

/** Tables of analysts that the session which waits for a lock has written, and not committed. */
const written = `
  select relation::regclass::text as name from pg_locks
  where mode = 'RowExclusiveLock' and granted and pid in (select pid from pg_locks where not granted)
    and relation in ('construction.ipcs'::regclass, 'construction.events'::regclass) order by 1`

describe.skipIf(Databases.skipped !== undefined)("while another worker has its turn at the books, a worker", () => {
  const test = (fact: string, body: (own: Databases.Database) => Effect.Effect<void, StoreError, Inbox | Store>) =>
    it.live(fact, () => Effect.scoped(Effect.flatMap(database, (own) => Effect.provide(body(own), worker(own.url)))))

  test("has written the rows of its batch before it waits", (own) =>
    Effect.gen(function* () {
      yield* meanwhile(
        Effect.gen(function* () {
          yield* offer(certified("1"), paid("1"))
          yield* untilBlocked(own)
          assert.deepStrictEqual(yield* ask(own, written), [
            { name: "construction.events" },
            { name: "construction.ipcs" }
          ])
        })
      )
      yield* isDrained
      assert.deepStrictEqual(yield* entries, [{ event_id: "p1" }])
    }))

  test("applies what tells the books nothing new", () =>
    Effect.gen(function* () {
      yield* offer(certified("1"), paid("1"))
      yield* isDrained
      yield* meanwhile(Effect.andThen(offer(certified("1"), paid("1"), certified("1")), isDrained))
      assert.deepStrictEqual(yield* entries, [{ event_id: "p1" }])
    }))
})
