/**
 * Verify reads the books as of one point in time: it never sees half of what another worker posts, and it doesn't wait
 * for anyone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { oneAtATime } from "../../../src/Stores/Sql.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { certifiedIn, terms } from "../../Ledger/Cumulative/Projects.ts"
import { paid, payment } from "../../Ledger/Started.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "./World.ts"

const rounds = 60

describe.skipIf(Databases.skipped !== undefined)("verify", () => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Ledger | Store>) =>
    it.live(fact, () =>
      Effect.scoped(
        Effect.flatMap(database, (own) =>
          Effect.provide(body, Layer.provideMerge(Ledger.layerWith(terms), storesAt(own.url)))
        )
      )
    )

  test(
    "doesn't wait while another worker posts",
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const store = yield* Store
      yield* ledger.hear(payment("A"))
      const { promise: posted, resolve } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const posting = yield* Effect.forkChild(
        store.transaction(async (tx) => {
          await oneAtATime(tx, "ledger")
          begin()
          await posted
        })
      )
      yield* Effect.promise(() => begun)
      const { differences } = yield* Effect.ensuring(ledger.verify, Effect.sync(resolve))
      assert.deepStrictEqual(differences, [])
      yield* Fiber.join(posting)
    })
  )

  test(
    "finds nothing in books that grow meanwhile",
    Effect.gen(function* () {
      const ledger = yield* Ledger
      // Each is certified before the ones that are there, so that the next one is told.
      const hear = (n: number) =>
        ledger.hear([certifiedIn("7", `I${n}`, rounds - n, n, `${100 + n}`), paid(`I${n}`, rounds + n, n)])
      const hearing = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: rounds }, (_, n) => n),
          hear
        )
      )
      let verified = 0
      while (hearing.pollUnsafe() === undefined) {
        assert.deepStrictEqual((yield* ledger.verify).differences, [])
        verified++
      }
      yield* Fiber.join(hearing)
      assert.isAbove(verified, 3)
    })
  )
})
