/** Alerts by level: degraded and critical are red, a rise to critical is news of its own, a notice is none. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pass, seconds, type Taken, world } from "./World.ts"

const told = (taken: ReadonlyArray<Taken>) => taken.map(({ level, reasons, status }) => [status, level, ...reasons])

describe("an alert", () => {
  it.effect("is sent at once when Status rises from degraded to critical, and one says that it has recovered", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const { reasons, stop } = yield* live
      yield* reasons.set("accounting sink", "The sink refuses.")
      yield* pass(8)
      assert.deepStrictEqual(told(endpoint.taken), [["red", "degraded", "The sink refuses."]])
      yield* reasons.set("accounting sink", "The sink refuses.", "critical")
      yield* pass(4)
      assert.lengthOf(endpoint.taken, 1, "critical must have lasted 5 seconds")
      yield* pass(3)
      assert.lengthOf(endpoint.taken, 2, "it waits for no minute, and its kind isn't new")
      yield* pass(600)
      yield* reasons.set("accounting sink", "The sink refuses.")
      yield* pass(600)
      yield* reasons.clear("accounting sink")
      yield* pass(60)
      assert.deepStrictEqual(told(endpoint.taken), [
        ["red", "degraded", "The sink refuses."],
        ["red", "critical", "The sink refuses."],
        ["recovered", "critical"]
      ])
      assert.strictEqual(new Set(endpoint.taken.map(({ since }) => since)).size, 1, "red since the same time")
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("is sent again for a later rise, but not for one that flaps or follows a restart", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const first = yield* live
      yield* first.reasons.set("export", "No export.")
      yield* first.reasons.set("receiver store", "No room.", "critical")
      yield* pass(10)
      for (let time = 0; time < 20; time++) {
        yield* first.reasons.clear("receiver store")
        yield* pass(15)
        yield* first.reasons.set("receiver store", "No room.", "critical")
        yield* pass(15)
      }
      yield* first.stop
      const { reasons, stop } = yield* live
      yield* reasons.set("export", "No export.")
      yield* pass(25)
      yield* reasons.set("receiver store", "No room.", "critical")
      yield* pass(300)
      assert.deepStrictEqual(told(endpoint.taken), [["red", "critical", "No room.", "No export."]])
      yield* reasons.clear("receiver store")
      yield* pass(400)
      yield* reasons.set("receiver store", "No room.", "critical")
      yield* pass(10)
      assert.lengthOf(endpoint.taken, 2)
      assert.strictEqual(endpoint.taken[1]?.level, "critical")
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("is none for a notice, until that becomes critical", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const { reasons, stop } = yield* live
      yield* reasons.set("growing amounts", "27 wait.", "notice")
      yield* pass(100)
      assert.deepStrictEqual(endpoint.taken, [])
      yield* reasons.set("growing amounts", "27 wait too long.", "critical")
      yield* pass(10)
      const [red] = endpoint.taken
      assert.deepStrictEqual(told(endpoint.taken), [["red", "critical", "27 wait too long."]])
      assert.closeTo(seconds(red?.since ?? ""), 100, 2, "red since it became critical")
      yield* reasons.set("growing amounts", "1 waits.", "notice")
      yield* pass(60)
      assert.deepStrictEqual(told(endpoint.taken).slice(1), [["recovered", "critical"]])
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("includes the other workers that are up, with the highest of their levels", () =>
    Effect.gen(function* () {
      const { endpoint, live, others } = yield* world
      const { stop } = yield* live
      const since = "2026-11-20T02:00:00.000000Z"
      const worker = { host: "b", startedAt: since, seenAt: since, isUp: true, isLeader: false, isThis: false }
      const notice = { key: "growing amounts", level: "notice" as const, sentence: "27 wait.", since, toDo: "Look." }
      const disk = {
        key: "receiver store",
        level: "critical" as const,
        sentence: "No room.",
        since,
        toDo: "Make room."
      }
      others.push({ ...worker, pid: 7, reasons: [], reasonDetails: [notice] })
      others.push({ ...worker, pid: 8, isUp: false, reasons: ["No room."], reasonDetails: [disk] })
      yield* pass(60)
      assert.deepStrictEqual(endpoint.taken, [])
      others.push({ ...worker, pid: 9, reasons: ["No room."], reasonDetails: [disk, notice] })
      yield* pass(10)
      assert.deepStrictEqual(told(endpoint.taken), [["red", "critical", "The worker 9 on b: No room."]])
      yield* stop
    }).pipe(Effect.scoped)
  )
})
