/** How much of the log is written in a minute, and that the log says what was left out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as Limit from "../../../cli/Log/Limit.ts"
import * as LogLine from "../../../src/Runtime/LogLine.ts"
import { Log } from "../../Logged.ts"

const start = Date.UTC(2026, 10, 20, 2)

const limited = <E>(fact: string, body: (log: Log) => Effect.Effect<void, E>) =>
  it.effect(fact, () => {
    const log = new Log()
    const layer = Limit.layer.pipe(Layer.provideMerge(log.layer))
    return Effect.andThen(TestClock.setTime(start), Effect.provide(body(log), layer))
  })

const times = (count: number, effect: Effect.Effect<void>) => Effect.forEach(Array(count), () => effect)
const added = LogLine.write("secret.added", { fingerprint: "a" })

describe("the log", () => {
  limited("has at most so many lines of one name in a minute, and then says how many it left out", (log) =>
    Effect.gen(function* () {
      yield* times(Limit.mostLines + 5, added)
      yield* LogLine.write("deliveries.released", { applied: 1 })
      assert.lengthOf(log.of("secret.added"), Limit.mostLines)
      assert.lengthOf(log.of("deliveries.released"), 1)
      assert.deepStrictEqual(log.of("log.omitted"), [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(log.saw("log.omitted"), { of: "secret.added", lines: 5, most: Limit.mostLines })
      assert.strictEqual(log.lines.at(-1), "5 lines of secret.added were left out: at most 60 are written a minute.")
      yield* times(2, added)
      yield* TestClock.adjust("5 minutes")
      assert.lengthOf(log.of("secret.added"), Limit.mostLines + 2)
      assert.lengthOf(log.of("log.omitted"), 1)
    })
  )

  limited("tells what it left out also when the process ends, or another minute has begun unnoticed", (log) =>
    Effect.gen(function* () {
      const inner = new Log()
      const many = Effect.andThen(times(Limit.mostLines + 1, added), times(1, Effect.logInfo("without a name")))
      yield* Effect.provide(many, Limit.layer.pipe(Layer.provideMerge(inner.layer)), { local: true })
      assert.deepStrictEqual(inner.of("log.omitted"), [{ of: "secret.added", lines: 1, most: Limit.mostLines }])
      assert.include(inner.lines, "without a name")
      assert.deepStrictEqual(log.written, [])
    })
  )

  limited("counts each reason for itself: one that comes and goes hides no other", (log) =>
    Effect.gen(function* () {
      const set = (reason: string) =>
        LogLine.write("reason.set", { reason, reason_level: "critical", sentence: "It is broken.", to_do: "Mend it." })
      yield* times(Limit.mostLines * 2, set("a"))
      yield* set("b")
      assert.lengthOf(log.of("reason.set"), Limit.mostLines + 1)
      assert.strictEqual(log.of("reason.set").at(-1)?.["reason"], "b")
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(log.of("log.omitted"), { of: "reason.set (a)", lines: 60, most: Limit.mostLines })
    })
  )

  limited("has more of what only debug shows, and no end of it neither", (log) =>
    Effect.gen(function* () {
      const write = LogLine.write("message.delivered", { entry: "e", ipc: "1", seconds: 1 })
      yield* times(Limit.mostDetails + 7, write)
      assert.lengthOf(log.of("message.delivered"), Limit.mostDetails)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(log.of("log.omitted")[0]?.["lines"], 7)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))
  )
})
