/** Only payments are heard at once: everything before a payment is heard with it, and the rest with its batch. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../../src/Stores/Store.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { until } from "../Uptime/World.ts"
import { certified, drained, inPlace, isAtGate, offer, paid, pending, permit, type World } from "./HearingWorld.ts"

const withPayment = (world: World) =>
  Effect.gen(function* () {
    yield* world.gate.close
    yield* offer(permit(-1))
    yield* isAtGate(world)
    yield* offer(certified("1"), permit(1))
    // Beside the batch that is at the gate.
    for (let look = 0; look < 20; look++) yield* Effect.andThen(TestClock.adjust(10), pending)
    assert.deepStrictEqual(world.log, [])
    yield* offer(certified("2"), paid("2"), certified("3"))
    yield* until(
      Effect.andThen(
        TestClock.adjust(10),
        Effect.sync(() => world.log.includes("p2"))
      )
    )
    assert.deepStrictEqual(
      world.log.filter((each) => each !== "c3"),
      ["c1", "c2", "p2"]
    )
    yield* world.gate.open
    yield* drained
    assert.strictEqual(world.log.filter((each) => each === "c3").length, 1)
  })

/** Otherwise a payment would wait until any number of them are heard. */
const crowd = (world: World) =>
  Effect.gen(function* () {
    yield* world.gate.close
    yield* offer(permit(-1))
    yield* isAtGate(world)
    yield* offer(...Array.from({ length: 99 }, (_, n) => certified(`${n}`)))
    for (let look = 0; look < 20; look++) yield* Effect.andThen(TestClock.adjust(10), pending)
    assert.deepStrictEqual(world.log, [])
    yield* offer(certified("99"))
    yield* until(Effect.map(TestClock.adjust(10), () => world.log.includes("c99")))
    // After that, others may wait again.
    yield* offer(certified("100"))
    for (let look = 0; look < 20; look++) yield* Effect.andThen(TestClock.adjust(10), pending)
    assert.strictEqual(world.log.length, 100)
    yield* world.gate.open
    yield* drained
  })

/** From which one on it is looked at what waits. */
const listening = (looks: Array<number | undefined>) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      deliveries: {
        ...store.deliveries,
        peek: (types: ReadonlyArray<string>, after: number | undefined) => {
          looks.push(after)
          return store.deliveries.peek(types, after)
        }
      }
    }))
  )

/** Each is looked for as it comes. */
const oneByOne = (world: World, looks: Array<number | undefined>) =>
  Effect.gen(function* () {
    yield* world.gate.close
    yield* offer(permit(-1))
    yield* isAtGate(world)
    for (let n = 0; n < 5; n++) {
      const before = looks.length
      yield* offer(certified(`${n}`))
      yield* until(Effect.map(TestClock.adjust(10), () => looks.length > before))
      yield* pending
    }
    assert.isAtLeast(looks.at(-1) ?? 0, 4)
    yield* world.gate.open
    yield* drained
    assert.strictEqual(world.log.filter((each) => typeof each === "string").length, 5)
  })

describe.each(engines)("certificates, with a Store in $name,", ({ isSkipped, place }) => {
  const test = (
    fact: string,
    coming: (world: World, looks: Array<number | undefined>) => ReturnType<typeof withPayment>
  ) =>
    it.effect.skipIf(isSkipped)(fact, () => {
      const looks: Array<number | undefined> = []
      return inPlace(
        place,
        (world) => coming(world, looks),
        (store) => Layer.provideMerge(listening(looks), store)
      )
    })

  test("are heard with the next payment, or left to their batch", withPayment)
  test("are heard without one once a hundred wait", crowd)
  test("are looked at once, however many come without a payment", oneByOne)
})
