/** Pages that wait to be written take memory: a walk requests few ahead, unless the service is far away. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Pass from "../../src/Walk/Pass.ts"
import * as Window from "../../src/Walk/Window.ts"
import { listModel } from "./ListModel.ts"
import { passing, stores } from "./Passing.ts"

const entering = (window: Window.Window) =>
  Effect.gen(function* () {
    let entered = 0
    const enter = Effect.andThen(
      window.enter,
      Effect.sync(() => void entered++)
    )
    yield* Effect.forkChild(Effect.forever(enter))
    return Effect.gen(function* () {
      for (let turns = 0; turns < 200; turns++) yield* Effect.yieldNow
      return entered
    })
  })

describe("pages ahead of the writer", () => {
  it.effect("are more while it waits for them, and fewer while they wait for it", () =>
    Effect.gen(function* () {
      const window = yield* Window.make(4, 6)
      const entered = yield* entering(window)
      assert.strictEqual(yield* entered, 4)
      yield* window.wrote(1, 0)
      assert.strictEqual(yield* entered, 1 + 5)
      yield* window.wrote(2, 0)
      assert.strictEqual(yield* entered, 3 + 6)
      yield* window.wrote(2, 0)
      assert.strictEqual(yield* entered, 5 + 6, "no more than six")
      yield* window.wrote(4, 1)
      assert.strictEqual(yield* entered, 9 + 6, "neither waits")
      yield* window.wrote(1, 1)
      assert.strictEqual(yield* entered, 10 + 5)
      yield* window.wrote(4, 4)
      assert.strictEqual(yield* entered, 14 + 4, "never fewer than four")
    })
  )

  it.effect("are one batch and a half of a list that answers at once", () =>
    Effect.gen(function* () {
      const size = 1000
      const list = listModel(
        Array.from({ length: 40 * size }, (_, index) => index + 1),
        { largest: size }
      )
      let [asked, written, most] = [0, 0, 0]
      const fetch: typeof list.fetch = (page, pageSize, lane) =>
        Effect.suspend(() => {
          asked++
          most = Math.max(most, asked - written)
          return list.fetch(page, pageSize, lane)
        })
      const parts = yield* passing
      const onProgress = (_: unknown, done: number) => void (written = done)
      yield* Pass.run({ ...parts, list: { ...list, fetch }, pageSize: size, concurrency: 64, onProgress }, undefined)
      assert.strictEqual(written, 40)
      assert.isAtMost(most, 15 + 10)
    }).pipe(Effect.scoped, Effect.provide(stores))
  )
})
