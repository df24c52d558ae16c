/** A store whose inbox was damaged: what is kept, what is said, and that the same body is new when it comes again. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { delivery } from "../Postgres/World.ts"
import { folder } from "../WarehouseEngines.ts"

const at = (seconds: number) => `2026-11-20T02:00:${String(seconds).padStart(2, "0")}.000000Z`

const receive = (first: number, count: number) =>
  Effect.flatMap(Store, ({ deliveries }) =>
    Effect.promise(() =>
      deliveries.receive(
        Array.from({ length: count }, (_, n) => delivery(`body ${first + n}`, { receivedAt: at(first + n) }))
      )
    )
  )

const settleAll = Effect.gen(function* () {
  const store = yield* Store
  const took = yield* store.deliveries.take(100)
  yield* store.transaction((tx) => store.deliveries.settle(tx, took, []))
})

const started = <A, E>(path: string, body: Effect.Effect<A, E, Inbox | Reasons | Store>) =>
  Effect.scoped(
    Effect.provide(
      body,
      Layer.provideMerge(Inbox.layer, Layer.merge(Sqlite.layerAt(join(path, "store.sqlite")), Reasons.layer)),
      { local: true }
    )
  )

const reasons = Effect.flatMap(Reasons, ({ all }) => Effect.map(all, (every) => every.map(({ sentence }) => sentence)))

describe("the inbox of a store", () => {
  it.live("loses nothing with the store's own file, and is adopted by a new one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* started(path, Effect.andThen(receive(1, 9), settleAll))
        for (const suffix of ["", "-wal", "-shm"]) rmSync(join(path, `store.sqlite${suffix}`), { force: true })
        const found = yield* started(
          path,
          Effect.gen(function* () {
            const { deliveries } = yield* Store
            assert.strictEqual(yield* receive(1, 9), 0)
            return { taken: (yield* deliveries.take(100)).taken.length, reasons: yield* reasons }
          })
        )
        assert.deepStrictEqual(found, { taken: 9, reasons: [] })
      })
    )
  )

  for (const [what, damage] of Object.entries({
    emptied: () => "",
    zeroed: (text: string) => "\0".repeat(text.length),
    "a little different": (text: string) => text.replace(/[0-9a-f]/, (digit) => (digit === "7" ? "8" : "7")),
    "cut short": (text: string) => text.slice(0, 20)
  })) {
    it.live(`keeps everything if the file with its id is ${what}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* folder
          yield* started(path, Effect.andThen(receive(1, 9), settleAll))
          const id = join(path, "inbox", "id")
          writeFileSync(id, damage(readFileSync(id, "utf8")))
          const found = yield* started(path, Effect.all({ fresh: receive(1, 9), reasons }))
          assert.deepStrictEqual(found, { fresh: 0, reasons: [] })
          assert.isFalse(existsSync(join(path, "inbox.replaced")))
        })
      )
    )
  }

  it.live("that was removed is named by numbers, for good, and its numbers are never used again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* started(path, Effect.andThen(receive(1, 9), settleAll))
        rmSync(join(path, "inbox"), { recursive: true })
        const check = Effect.gen(function* () {
          const { deliveries } = yield* Store
          return { last: yield* deliveries.last, waiting: yield* deliveries.waiting, reasons: yield* reasons }
        })
        const [sentence] = (yield* started(path, check)).reasons
        assert.match(String(sentence), /has lost deliveries .* 1 to 9 \(arrived between the first and the last\)/)
        yield* started(path, receive(3, 1))
        const after = yield* started(path, Effect.andThen(receive(3, 1), check))
        assert.strictEqual(after.last, 11, "once new, once known")
        assert.deepStrictEqual(after.reasons, [sentence])
      })
    )
  )
})
