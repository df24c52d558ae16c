/** Verify reads the books of an IPC in a turn of its own: none of its statements sees half of what another worker posts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { oneAtATime } from "../../../src/Stores/Sql.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { payment } from "../../Ledger/Started.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt, untilBlocked } from "./World.ts"

describe.skipIf(Databases.skipped !== undefined)("verify", () => {
  it.live("waits while another worker posts", () =>
    Effect.gen(function* () {
      const own = yield* database
      const layer = Layer.provideMerge(Ledger.layerWith(contractor), storesAt(own.url))
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const store = yield* Store
        yield* ledger.hear(payment("A"))
        const { promise: posted, resolve } = Promise.withResolvers<void>()
        const posting = yield* Effect.forkChild(
          store.transaction(async (tx) => {
            await oneAtATime(tx, "ledger")
            await posted
          })
        )
        const verifying = yield* Effect.forkChild(ledger.verify())
        yield* Effect.ensuring(untilBlocked(own), Effect.sync(resolve))
        yield* Fiber.join(posting)
        assert.deepStrictEqual((yield* Fiber.join(verifying)).differences, [])
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})
