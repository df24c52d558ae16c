/** A pass holds pages until they are written, but none while it waits for the next. */
import { setImmediate } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { collect } from "../../src/Runtime/Rest.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import { listModel } from "./ListModel.ts"
import { passing, stores } from "./Passing.ts"

const lastPage = 4

it.effect("holds no page that it has written while it waits for the next", () =>
  Effect.gen(function* () {
    const list = listModel(Array.from({ length: lastPage * 10 }, (_, at) => at + 1))
    const written = yield* Latch.make(false)
    const pages: Array<WeakRef<object>> = []
    let held: number | undefined
    const fetch: typeof list.fetch = Effect.fnUntraced(function* (page, ...asked) {
      if (page === lastPage) {
        yield* written.await
        yield* Effect.promise(() => setImmediate())
        collect()
        held = pages.filter((each) => each.deref() !== undefined).length
      }
      const answer = yield* list.fetch(page, ...asked)
      pages.push(new WeakRef(answer))
      return answer
    })
    const parts = yield* passing
    const onProgress = (_state: unknown, done: number) => void (done === lastPage - 1 && written.openUnsafe())
    yield* Pass.run({ ...parts, list: { ...list, fetch }, pageSize: 10, concurrency: 1, onProgress }, undefined)
    assert.strictEqual(held, 0)
  }).pipe(Effect.provide(stores))
)
