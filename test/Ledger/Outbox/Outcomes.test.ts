/** Outcomes that arrive together share a commit, and each call returns when its own is on disk. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch } from "effect"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { noting } from "../../../src/Ledger/Outbox/Outcomes.ts"
import { Store, StoreError } from "../../../src/Stores/Store.ts"
import { accounts, letters, sending, type Services, until } from "./SinkWorld.ts"
import { folder, hear, payment } from "../Started.ts"

const states = Effect.map(letters, (rows) => rows.map(({ state }) => state))

const refusal = { reason: "refused on purpose", isRefused: true, againAt: undefined }

/**
 * Five messages, and a way to note their outcomes whose commits wait for the latch and fail as listed. The sink took all
 * messages but those.
 */
const world = (fails: ReadonlyArray<StoreError["reason"] | undefined> = [], refused: ReadonlyArray<number> = []) =>
  Effect.gen(function* () {
    const store = yield* Store
    const open = yield* Latch.make(false)
    const commits = { count: 0 }
    yield* hear(["A", "B", "C", "D", "E"].flatMap(payment))
    const messages = yield* (yield* Outbox).next([], 5)
    assert.lengthOf(messages, 5)
    const note = yield* noting(
      Store.of({
        ...store,
        run: (query) =>
          Effect.suspend(() => {
            const reason = fails[commits.count++]
            const outcome = reason === undefined ? store.run(query) : new StoreError({ reason, message: "on purpose" })
            return Effect.andThen(open.await, outcome)
          })
      })
    )
    const fibers = yield* Effect.forEach(messages, (message, index) =>
      Effect.forkChild(note({ message, failure: refused.includes(index) ? refusal : undefined }), {
        startImmediately: true
      })
    )
    return { commits, fibers, note, open }
  })

/** Nothing is sent by itself. */
const test = <E>(fact: string, body: Effect.Effect<void, E, Services>) =>
  it.live(fact, () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = () => "silence"
      yield* sending(path, to, {}, body)
    }).pipe(Effect.scoped)
  )

describe("outcomes", () => {
  test(
    "that come while one is being noted share the next commit",
    Effect.gen(function* () {
      const { commits, fibers, open } = yield* world()
      assert.strictEqual(commits.count, 1)
      assert.notInclude(yield* states, "delivered")
      yield* open.open
      yield* Fiber.joinAll(fibers)
      assert.strictEqual(commits.count, 2)
      assert.deepStrictEqual([...new Set(yield* states)], ["delivered"])
    })
  )

  test(
    "of both kinds share a commit, and each is noted",
    Effect.gen(function* () {
      const { fibers, open } = yield* world([], [2, 4])
      yield* open.open
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(yield* states, ["delivered", "delivered", "dead", "delivered", "dead"])
    })
  )

  test(
    "fail together with their commit, and can be noted again",
    Effect.gen(function* () {
      const { fibers, open } = yield* world([undefined, "Failed"])
      yield* open.open
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false, false, false])
      assert.deepStrictEqual(yield* states, ["delivered", "pending", "pending", "pending", "pending"])
    })
  )

  test(
    "are noted without the one that the engine can't hold",
    Effect.gen(function* () {
      const { commits, fibers, open } = yield* world([undefined, "Refused", undefined, "Refused"])
      yield* open.open
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
      assert.strictEqual(commits.count, 6)
    })
  )

  test(
    "are noted although the call that began their commit is interrupted",
    Effect.gen(function* () {
      const { commits, fibers, open } = yield* world()
      const [first, second, ...others] = fibers
      assert.isDefined(first)
      assert.isDefined(second)
      yield* Fiber.interrupt(first)
      yield* until(
        "the second one commits for all",
        Effect.sync(() => commits.count === 2)
      )
      yield* Fiber.interrupt(second)
      yield* open.open
      yield* Fiber.joinAll(others)
      assert.deepStrictEqual(yield* states, ["pending", "pending", "delivered", "delivered", "delivered"])
    })
  )
})
