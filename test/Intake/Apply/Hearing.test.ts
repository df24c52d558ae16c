/** The ledger hears of payments before the rows of earlier deliveries are written, once, and in stored order. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Instant from "../../../src/Domain/Instant.ts"
import type { Inbox } from "../../../src/Intake/Inbox.ts"
import { Store, type StoreError } from "../../../src/Stores/Store.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { machine } from "../../SetClock.ts"
import { until } from "../Uptime/World.ts"
import {
  after,
  applying,
  arriveMeanwhile,
  certified,
  drained,
  following,
  inPlace,
  isAtGate,
  logged,
  made,
  noted,
  now,
  offer,
  paid,
  pending,
  permit,
  permits,
  storeElsewhere,
  type World
} from "./HearingWorld.ts"

describe.each(engines)("the ledger, with a Store in $name,", ({ isSkipped, name, place }) => {
  /** A batch, and what is heard in its turn: where all is one transaction, last. */
  const batch = (rows: number, ...heard: ReadonlyArray<string>) =>
    name === "PostgreSQL" ? [rows, ...heard] : [...heard, rows]

  const test = (
    fact: string,
    body: (world: World) => Effect.Effect<void, StoreError, Inbox | Store>,
    leading: Layer.Layer<never> = Layer.empty
  ) => it.effect.skipIf(isSkipped)(fact, () => inPlace(place, body, (store) => Layer.provideMerge(store, leading)))

  test("hears of all that waits before a second batch is written, and of nothing twice", (world) =>
    Effect.gen(function* () {
      const sent = [certified("1"), ...permits(2500), certified("2"), paid("2"), paid("1")]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [504])
      assert.deepStrictEqual(after(world), ["c1", "c2", "p2", "p1", 2000, 504])
    }))

  test("hears of many in transactions of 500, ahead of a batch and in its turn", (world) =>
    Effect.gen(function* () {
      const label = (n: number) => (n % 2 === 0 ? "ipc.paid" : "permit.issued")
      const sent = Array.from({ length: 1400 }, (_, n) => paid(`${n}`, { label: label(n) }))
      yield* arriveMeanwhile(world, sent)
      yield* drained
      assert.lengthOf(new Set(world.log.filter((each) => typeof each === "string")), 1400)
      assert.strictEqual(world.mostHeard, 500)
    }))

  test("hears of what another worker stored, and writes it, within a second", (world) =>
    Effect.gen(function* () {
      if (name !== "PostgreSQL") return
      yield* drained
      yield* storeElsewhere(paid("1"))
      yield* TestClock.adjust(1000)
      // A batch that takes it first writes its rows before the ledger hears, in one transaction of the database (Batch.ts).
      yield* until(Effect.map(TestClock.adjust(10), () => world.log.length > 1))
      assert.sameMembers(world.log, ["p1", 1])
    }))

  test("hears while a batch is being written", (world) =>
    Effect.gen(function* () {
      yield* arriveMeanwhile(world, [certified("1"), paid("1")], "p1")
      assert.deepStrictEqual(world.log, ["c1", "p1"])
      yield* logged(world, [2])
      assert.deepStrictEqual(world.log, ["c1", "p1", 1, 2])
    }))

  test("goes on hearing beside a batch that takes long, however many wait", (world) =>
    Effect.gen(function* () {
      // As many as are looked at in one go.
      const looks = Array.from({ length: 3 }, (_, look) => [paid(`${look}`), ...permits(1999, look * 1999)])
      yield* arriveMeanwhile(world, looks.flat(), "p2")
      assert.deepStrictEqual(world.log, ["p0", "p1", "p2"])
      yield* drained
      assert.deepStrictEqual(world.log, ["p0", "p1", "p2", 1, 2000, 2000, 2000])
    }))

  test("hears for four times as long as a batch took while more waits than both can take", (world) =>
    Effect.gen(function* () {
      world.isSlowToHear = true
      // As many as are looked at in one go.
      const looks = Array.from({ length: 6 }, (_, look) => [paid(`${look}`), ...permits(1999, look * 1999)])
      // Beside the batch, one look.
      yield* arriveMeanwhile(world, looks.flat(), "p0")
      yield* until(
        Effect.andThen(
          TestClock.adjust(10),
          Effect.sync(() => world.log.length >= 8)
        )
      )
      assert.deepStrictEqual(world.log.slice(0, 6), ["p0", 1, "p1", "p2", "p3", "p4"])
      // Beside the next batch, or after it.
      assert.sameMembers(world.log.slice(6, 8), [2000, "p5"])
    }))

  test("hears in its turn of what is labelled as something else", (world) =>
    Effect.gen(function* () {
      const sent = [paid("1", { label: "permit.issued" }), ...permits(2100), paid("2", { label: null })]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [102])
      assert.deepStrictEqual(after(world), ["p2", ...batch(2000, "p1"), 102])
    }))

  test("hears in its turn of a large one", (world) =>
    Effect.gen(function* () {
      const sent = [paid("1", { more: { note: "x".repeat(70_000) } }), ...permits(2000), paid("2")]
      yield* arriveMeanwhile(world, sent)
      yield* logged(world, [2])
      assert.deepStrictEqual(after(world), ["p2", ...batch(2000, "p1"), 2])
    }))

  test("hears in its turn of what couldn't be read before", (world) =>
    Effect.gen(function* () {
      // Of the future after one batch, but not after two.
      const soon = Instant.fromMicros(Instant.toMicros(now) + (24 + 1.5) * 60 * 60 * 1_000_000)
      yield* arriveMeanwhile(world, [...permits(2000), paid("1", { at: soon }), paid("2")])
      const last = batch(2, "p1")
      yield* logged(world, last)
      assert.deepStrictEqual(after(world), ["p2", 2000, ...last])
    }))

  test("hears once more of what was delivered again", (world) =>
    Effect.gen(function* () {
      const last = batch(1, "p1")
      yield* arriveMeanwhile(world, [...permits(2000), paid("1"), paid("1")])
      yield* logged(world, [2000, ...last])
      assert.deepStrictEqual(after(world), ["p1", 2000, ...last])
    }))

  test("hears while a batch is gathered", (world) =>
    Effect.gen(function* () {
      yield* offer(permit(1))
      yield* until(Effect.map(pending, (count) => count === 0))
      yield* offer(paid("1"))
      let passed = 0
      yield* until(
        Effect.gen(function* () {
          // The next batch is written after 100 ms. Meanwhile the Store answers at its own pace.
          if (passed++ < 90) yield* TestClock.adjust(1)
          yield* pending
          return world.log.includes("p1")
        })
      )
      assert.deepStrictEqual(world.log, [1, "p1"])
    }))

  test("hears of nothing ahead while all is applied again", (world) =>
    Effect.gen(function* () {
      yield* arriveMeanwhile(world, [...permits(2100), paid("1")])
      yield* drained
      yield* world.gate.close
      yield* world.atGate.close
      const { deliveries, transaction } = yield* Store
      yield* transaction((tx) => deliveries.restart(tx))
      yield* offer(permit(3000))
      yield* isAtGate(world)
      yield* offer(paid("2"))
      yield* logged(world, ["p2"])
      yield* world.gate.open
      const last = batch(104, "p1")
      yield* logged(world, last)
      assert.deepStrictEqual(after(world), ["p1", 2000, 101, "p2", 2000, ...last])
    }))

  test(
    "hears of everything in its turn where another worker leads",
    (world) =>
      Effect.gen(function* () {
        yield* arriveMeanwhile(world, [...permits(2000), paid("1")])
        const last = batch(1, "p1")
        yield* logged(world, last)
        assert.deepStrictEqual(world.log, [1, 2000, ...last])
      }),
    following
  )

  it.effect.skipIf(isSkipped)("isn't held up by a clock that is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Instant.toMicros(now) / 1000)
      const { jump, on } = yield* machine
      const { layer } = yield* place
      const world = made()
      const body = Effect.gen(function* () {
        yield* offer(permit(1))
        yield* until(Effect.map(pending, (count) => count === 0))
        jump(-60 * 60_000)
        yield* offer(permit(2))
        let passed = 0
        yield* until(
          Effect.gen(function* () {
            // A batch is gathered for a tenth of a second.
            if (passed++ < 1000) yield* TestClock.adjust(1)
            return (yield* pending) === 0 || passed > 5000
          })
        )
        assert.strictEqual(yield* pending, 0)
      })
      yield* on(Effect.provide(body, Layer.provideMerge(applying(world, noted(world)), layer)))
    }).pipe(Effect.scoped)
  )
})
