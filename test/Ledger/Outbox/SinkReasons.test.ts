/**
 * What Status says about the accounting sink, on a virtual clock: entries that wait for a person, and entries that have
 * waited long.
 */
import { assert, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { accounts, letters, sending, taken } from "./SinkWorld.ts"
import { folder, hear, payment } from "../Started.ts"

const active = Effect.flatMap(Reasons, (reasons) => reasons.wrong)

/** Ten virtual seconds, and one turn of the event loop for real answers. */
const tick = Effect.andThen(
  TestClock.adjust("10 seconds"),
  Effect.promise(() => new Promise((done) => setImmediate(done)))
)

const ticksUntil = (isSo: (reasons: ReadonlyArray<string>) => boolean) =>
  Effect.gen(function* () {
    for (let ticks = 1; ticks <= 50_000; ticks++) {
      yield* tick
      if (isSo(yield* active)) return ticks
    }
    return yield* Effect.die(new Error("the reasons didn't change"))
  })

// Answers come in real time, while the virtual clock runs ahead.
const patient = {
  patience: Duration.days(365),
  pauses: { first: Duration.seconds(1), longest: Duration.days(1) },
  rests: { first: Duration.seconds(1), longest: Duration.minutes(1) }
}

it.effect("an entry that waits for more than ten minutes is reported with the reason, until it is delivered", () =>
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
        const [reason = ""] = yield* active
        assert.include(
          reason,
          `Entry ${letter?.entry_id} of IPC A has been waiting for the accounting sink since 1970-01-01`
        )
        assert.include(reason, "and is sent as soon as possible. The accounting sink can't take entries for now (503)")
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

it.effect("a dead letter is reported until a person has dealt with it", () =>
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

it.effect("a dead letter is reported at once, and so is that a person dealt with it", () =>
  Effect.gen(function* () {
    const [path, to] = yield* Effect.all([folder, accounts])
    to.answer = () => ({ status: 400 })
    const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))
    // The clock stands still, so nothing that waits for a time happens.
    const untilReasons = (count: number) =>
      Effect.gen(function* () {
        while ((yield* active).length !== count) yield* turn
      })
    yield* sending(
      path,
      to,
      { ...patient, pauses: { first: Duration.zero, longest: Duration.zero } },
      Effect.gen(function* () {
        yield* hear([...payment("A"), ...payment("B")])
        yield* untilReasons(1)
        const outbox = yield* Outbox
        while ((yield* outbox.dead).length < 2) yield* turn
        to.answer = () => taken
        const [first] = yield* outbox.dead
        yield* outbox.settle(first?.entryId ?? "", "Ada", "booked by hand")
        while (!(yield* active)[0]?.startsWith("1 entry was refused")) yield* turn
        yield* outbox.replay(undefined)
        yield* untilReasons(0)
      })
    )
  }).pipe(Effect.scoped)
)
