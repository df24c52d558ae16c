/** Tasks are shown while they are under way, and only then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { line } from "../../cli/Bar.ts"
import { Progress, Tasks, track, underWay } from "../../src/Runtime/Progress.ts"

describe("long work", () => {
  it.effect("is shown with how much of it is done, until it ends, fails or is interrupted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 2))
      const open = yield* Latch.make()
      const work = (end: Effect.Effect<void, string>) =>
        track("export", { unit: "tables", total: 12 }, (reached) =>
          Effect.andThen(
            Effect.sync(() => reached(3)),
            Effect.andThen(open.await, end)
          )
        )
      const shown = { name: "export", unit: "tables", done: 3, total: 12, startedAt: "2026-11-20T02:00:00.000000Z" }
      const [ends, fails, waits] = [
        yield* Effect.forkChild(work(Effect.void), { startImmediately: true }),
        yield* Effect.forkChild(Effect.exit(work(Effect.fail("no room"))), { startImmediately: true }),
        yield* Effect.forkChild(work(Effect.never), { startImmediately: true })
      ]
      assert.deepStrictEqual(yield* underWay, [shown, shown, shown])
      yield* open.open
      yield* Fiber.join(ends)
      yield* Fiber.join(fails)
      assert.deepStrictEqual(yield* underWay, [shown])
      yield* Fiber.interrupt(waits)
      assert.deepStrictEqual(yield* underWay, [])
    }).pipe(Effect.provideService(Progress, new Tasks()))
  )

  it("is a line of at most 80 columns, with the time that is left", () => {
    const startedAt = "2026-11-20T02:00:00.000000Z"
    const after = (seconds: number) => Date.parse(startedAt) + seconds * 1000
    const task = { name: "ledger verify", unit: "signed bodies", total: 100_000, startedAt }
    assert.strictEqual(
      line({ ...task, done: 0 }, after(5)),
      "ledger verify ░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 100,000 signed bodies"
    )
    assert.strictEqual(
      line({ ...task, unit: "bodies", done: 25_000 }, after(5)),
      "ledger verify ██████░░░░░░░░░░░░░░░░░░ 25,000 of 100,000 bodies, 0:15 left"
    )
    assert.strictEqual(
      line({ ...task, name: "move", unit: "tables", done: 1, total: 3600 }, after(2)),
      "move ░░░░░░░░░░░░░░░░░░░░░░░░ 1 of 3,600 tables, 1:59:58 left"
    )
    assert.strictEqual(
      line({ ...task, name: "export", unit: "files", done: 0, total: 0 }, after(2)),
      "export ████████████████████████ 0 of 0 files"
    )
    assert.isAtMost(line({ ...task, unit: "x".repeat(100), done: 1 }, after(1)).length, 80)
  })
})
