/** A thread that has been idle for a while collects its garbage, once after each time that it has worked. */
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import { collectingEvery, restingAfter } from "../../src/Runtime/Rest.ts"

it("rests once after its last work, and again after more", async () => {
  let rests = 0
  let told = Promise.withResolvers<void>()
  const worked = restingAfter(5, () => {
    rests++
    told.resolve()
  })
  for (let turn = 0; turn < 1000; turn++) {
    worked()
    await setImmediate()
  }
  await told.promise
  told = Promise.withResolvers()
  worked()
  await told.promise
  expect(rests).toBe(2)
})

const forgotten = (): WeakRef<object> => new WeakRef({})

it("gives back what nothing refers to any more", { timeout: 10_000 }, async () => {
  const one = forgotten()
  restingAfter(1)()
  while (one.deref() !== undefined) await setImmediate()
})

it("collects at once, and not again before its time", { timeout: 10_000 }, async () => {
  const collect = collectingEvery(60_000)
  const first = forgotten()
  // What a turn has asked a reference for stays until its end.
  await setImmediate()
  collect()
  expect(first.deref()).toBeUndefined()
  const second = forgotten()
  await setImmediate()
  collect()
  expect(second.deref()).toBeDefined()
})
