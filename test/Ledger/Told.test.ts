/** What the books and the outbox say in the log, when it is kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Outbox } from "../../src/Ledger/Outbox.ts"
import * as Sink from "../../src/Ledger/Outbox/Sink.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Log } from "../Logged.ts"
import { engines } from "../Stores/StoreEngines.ts"
import { contractor } from "./Contractor.ts"
import { accounts, allDelivered, sending, taken, unsending, until } from "./Outbox/SinkWorld.ts"
import { certified, folder, hear, holds, paid, payment, started } from "./Started.ts"

const detailed = <A, E, R>(log: Log, effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(Effect.provide(effect, log.layer), References.MinimumLogLevel, "Debug")

const now = TestClock.setTime(Date.UTC(2026, 11, 5))
const ana = { by: "Ana", reason: "on paper" }

describe("the books tell of", () => {
  it.effect("entries, and of holds that are opened, decided by a person, and answered", () =>
    Effect.gen(function* () {
      const [path, log] = [yield* folder, new Log()]
      yield* now
      const events = Effect.gen(function* () {
        yield* hear(payment("A"))
        yield* hear([paid("B", 5, 11), paid("C", 5, 11)])
        yield* hear([certified("B", 1, 12, "7.0000")])
        const [hold] = yield* holds
        const ledger = yield* Ledger
        yield* ledger.decide({ ...ana, hold: hold?.hold_id ?? "", verdict: "accept", amount: "9.0000" })
        // Nothing new is told again.
        yield* hear(payment("A"))
      })
      yield* detailed(log, started(path, events))
      assert.deepStrictEqual(
        log.of("entry.posted").map(({ amount, ipc, kind, reference }) => [ipc, kind, reference, amount]),
        [
          ["A", "payment", "PAY-A", "5.0000"],
          ["B", "payment", "PAY-B", "7.0000"],
          ["C", "payment", "PAY-C", "9.0000"]
        ]
      )
      assert.deepInclude(log.saw("entry.posted"), { ipc: "C" })
      assert.deepInclude(log.saw("hold.opened"), { ipc: "C", why: "awaiting-certified-amount", reference: "PAY-C" })
      const decided = log.of("hold.decided").map(({ by, ipc, verdict }) => [ipc, verdict, by])
      assert.deepStrictEqual(decided, [
        ["B", "answered", undefined],
        ["C", "accept", "Ana"]
      ])
      assert.strictEqual(log.saw("hold.decided")["hold"], log.saw("hold.opened")["hold"])
    }).pipe(Effect.scoped)
  )

  it.effect("no entry unless they are asked for details", () =>
    Effect.gen(function* () {
      const [path, log] = [yield* folder, new Log()]
      yield* Effect.provide(started(path, hear(payment("A"))), log.layer)
      assert.deepStrictEqual(log.written, [])
    }).pipe(Effect.scoped)
  )

  it.effect("what a closed month, and other terms, led to", () =>
    Effect.gen(function* () {
      const [path, log] = [yield* folder, new Log()]
      yield* now
      const close = Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* ledger.changePeriod({ ...ana, verb: "close", month: "2026-11" })
        yield* hear(payment("A"))
      })
      yield* detailed(log, started(path, close))
      assert.deepInclude(log.saw("hold.opened"), { ipc: "A", why: "period-closed", amount: "5.0000" })
      const posting: Terms = { ...contractor, inClosedPeriod: "post" }
      yield* detailed(log, started(path, Effect.void, posting))
      assert.deepStrictEqual(log.saw("terms.changed"), { closed: 1, opened: 0, posted: 1 })
      assert.deepInclude(log.saw("hold.decided"), { ipc: "A", verdict: "answered" })
      assert.deepInclude(log.saw("entry.posted"), { ipc: "A" })
      yield* detailed(log, started(path, Effect.void, posting))
      assert.lengthOf(log.of("terms.changed"), 1)
    }).pipe(Effect.scoped)
  )
})

describe.each(engines.filter(({ name }) => name === "PostgreSQL"))("in $name the books", ({ isSkipped, place }) => {
  it.live.skipIf(isSkipped)("tell nothing that is rolled back", () =>
    Effect.gen(function* () {
      const { layer } = yield* place
      const log = new Log()
      const scene = Effect.gen(function* () {
        const store = yield* Store
        const broken = Effect.andThen(hear([...payment("A"), paid("B", 5, 11)]), Effect.fail("broken"))
        yield* Effect.flip(store.atomically(broken))
        assert.deepStrictEqual(log.written, [])
        assert.deepStrictEqual((yield* (yield* Ledger).status).postedMs, { p50: null, p99: null })
        yield* store.atomically(hear([paid("B", 5, 11)]))
        assert.deepStrictEqual(log.events, ["hold.opened"])
      })
      yield* detailed(
        log,
        Effect.provide(scene, Layer.provideMerge(Ledger.layerWith(contractor), layer), { local: true })
      )
    }).pipe(Effect.scoped)
  )
})

describe("the outbox tells of", () => {
  it.live("each entry that is delivered, postponed, or dead", () =>
    Effect.gen(function* () {
      const [path, to, log] = [yield* folder, yield* accounts, new Log()]
      to.answer = () => ({ status: 503, text: "month-end closing" })
      const isTold = (name: string) => Effect.sync(() => log.events.includes(name))
      const scene = Effect.gen(function* () {
        yield* hear(payment("A"))
        yield* until("it is postponed", isTold("message.postponed"))
        assert.include(String(log.saw("message.postponed")["why"]), "month-end closing")
        to.answer = () => ({ status: 400, text: "no such account" })
        yield* until("it is dead", isTold("message.dead"))
        const dead = log.saw("message.dead")
        assert.deepInclude(dead, { ipc: "A" })
        assert.isAtLeast(Number(dead["attempts"]), 5)
        assert.include(String(dead["why"]), "(400): no such account")
        to.answer = () => taken
        yield* (yield* Outbox).replay(undefined)
        yield* until("it is delivered", allDelivered)
        yield* until("it is told", isTold("message.delivered"))
        assert.deepInclude(log.saw("message.delivered"), { ipc: "A", entry: dead["entry"] })
        assert.isBelow(Number(log.saw("message.delivered")["seconds"]), 60)
      })
      yield* detailed(log, sending(path, to, {}, scene))
    }).pipe(Effect.scoped)
  )

  it.live("entries that no accounting system gets: posted before there was one, or left over from one", () =>
    Effect.gen(function* () {
      const [path, to, log] = [yield* folder, yield* accounts, new Log()]
      yield* unsending(path, hear(payment("A")))
      to.answer = () => "silence"
      const second = Effect.andThen(
        hear(payment("B")),
        until(
          "it is sent",
          Effect.sync(() => to.posts.length > 0)
        )
      )
      yield* detailed(log, sending(path, to, {}, second))
      assert.deepStrictEqual(log.saw("outbox.unsent"), { entries: 1 })
      const leftover = Effect.scoped(Effect.provide(Effect.void, Sink.layerFor(Effect.succeedNone), { local: true }))
      yield* detailed(log, unsending(path, leftover as Effect.Effect<void>))
      assert.deepStrictEqual(log.saw("outbox.stranded"), { entries: 1 })
    }).pipe(Effect.scoped)
  )
})
