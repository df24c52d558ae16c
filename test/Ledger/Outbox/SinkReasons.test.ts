/**
 * What a person is told about the accounting sink, on a virtual clock: what waits for them, and what waits for long.
 */
import { assert, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { accounts, letters, sending, taken } from "./SinkWorld.ts"
import { certified, folder, hear, paid } from "../Started.ts"

const standing = Effect.flatMap(Reasons, (reasons) => reasons.all)

/** Ten seconds go by, and whoever was waiting gets to its answer. */
const tick = Effect.andThen(
  TestClock.adjust("10 seconds"),
  Effect.promise(() => new Promise((done) => setTimeout(done, 2)))
)

const ticksUntil = (isSo: (reasons: ReadonlyArray<string>) => boolean) =>
  Effect.gen(function* () {
    for (let ticks = 1; ticks <= 2000; ticks++) {
      yield* tick
      if (isSo(yield* standing)) return ticks
    }
    return yield* Effect.die(new Error("in vain"))
  })

const payment = (id: string) => [certified(id, 1, 10, "5.0000"), paid(id, 5, 11)]
// Answers come in real time, however far the virtual clock has gone meanwhile.
const patient = {
  patience: Duration.days(365),
  pauses: { first: Duration.seconds(1), longest: Duration.days(1) },
  rests: { first: Duration.seconds(1), longest: Duration.minutes(1) }
}

it.effect("an entry that waits for more than ten minutes is told of, with the reason, until it is through", () =>
  Effect.gen(function* () {
    const [path, to] = yield* Effect.all([folder, accounts])
    to.answer = () => ({ status: 503, text: "month-end closing" })
    yield* sending(
      path,
      to,
      patient,
      Effect.gen(function* () {
        yield* hear(payment("A"))
        const ticks = yield* ticksUntil((reasons) => reasons.length > 0)
        assert.isAbove(ticks, 59)
        const [letter] = yield* letters
        const [reason = ""] = yield* standing
        assert.include(
          reason,
          `Entry ${letter?.entry_id} of IPC A has been waiting for the accounting sink since 1970-01-01`
        )
        assert.include(reason, "and is sent as soon as it can be. The accounting sink can't take entries for now (503)")
        const outbox = yield* Outbox
        assert.deepInclude(yield* outbox.status, { backlog: 1, dead: 0 })
        assert.isAtLeast((yield* outbox.status)?.oldestPendingAgeMs ?? 0, 600_000)
        to.answer = () => taken
        yield* ticksUntil((reasons) => reasons.length === 0)
        assert.strictEqual((yield* letters)[0]?.state, "delivered")
      })
    )
  }).pipe(Effect.scoped)
)

it.effect("a dead letter is told of within ten seconds, until a person has dealt with it", () =>
  Effect.gen(function* () {
    const [path, to] = yield* Effect.all([folder, accounts])
    to.answer = () => ({ status: 400 })
    yield* sending(
      path,
      to,
      patient,
      Effect.gen(function* () {
        yield* hear([...payment("A"), ...payment("B")])
        yield* ticksUntil((reasons) => reasons.some((reason) => reason.startsWith("2 entries were refused")))
        to.answer = () => taken
        const outbox = yield* Outbox
        assert.strictEqual(yield* outbox.replay(undefined), 2)
        yield* ticksUntil((reasons) => reasons.length === 0)
      })
    )
  }).pipe(Effect.scoped)
)
