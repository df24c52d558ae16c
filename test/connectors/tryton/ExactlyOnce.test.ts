/**
 * An entry is in Tryton once, wherever an attempt breaks off: in an answer, in the process, or in Tryton, which carries out a
 * request long after it was given up.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { seeded } from "../../Seeded.ts"
import type { Call, Fault } from "./StandIn.ts"
import { inTryton, isOnce, message, reasonOf, started, taken } from "./TrytonWorld.ts"

/** The first call of this method fails so. */
const once = (method: string, fault: Fault) => {
  let isOver = false
  return ({ method: called }: Call): Fault => {
    if (isOver || called !== method) return undefined
    isOver = true
    return fault
  }
}

const faults: ReadonlyArray<Exclude<Fault, undefined>> = [
  "lost",
  "unheard",
  { status: 503 },
  { status: 500, text: "<html>" },
  { status: 401 },
  { error: ["ConcurrencyException", "Records were modified in the meanwhile"] },
  { error: ["database is locked", "Traceback: hush"] }
]
const methods = ["account.move.search_read", "account.move.create", "account.move.write", "account.move.post"]

describe("an entry is in Tryton once", () => {
  it.effect.each(methods.flatMap((method) => faults.map((fault) => ({ method, fault }))))(
    "if $method ends in $fault, and the worker starts again",
    ({ fault, method }) =>
      inTryton((server) =>
        Effect.gen(function* () {
          server.fault = once(method, fault)
          const first = yield* (yield* started(server))(message(1))
          const isSurvived = typeof fault === "object" && "status" in fault && fault.status === 401
          assert.strictEqual(first._tag, isSurvived ? "Taken" : "Unavailable")
          reasonOf(first)
          assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
          isOnce(server)
        })
      )
  )

  it.effect.each(methods)("if Tryton gives no answer to %s within the patience", (method) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        const silence = once(method, "silence")
        server.fault = (call) => {
          const fault = silence(call)
          if (fault !== undefined) arrived.resolve()
          return fault
        }
        const post = yield* started(server)
        const attempt = yield* Effect.forkChild(post(message(1)), { startImmediately: true })
        yield* Effect.promise(() => arrived.promise)
        yield* TestClock.adjust("10 seconds")
        const verdict = yield* Fiber.join(attempt)
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.strictEqual(reasonOf(verdict), "Tryton gave no answer within 10 seconds.")
        assert.deepStrictEqual(yield* post(message(1)), taken)
        isOnce(server)
      })
    )
  )

  it.effect.each(methods)("if the process dies while Tryton works on %s", (method) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        const carriesOn = Promise.withResolvers<Fault>()
        server.fault = (call) => {
          if (call.method !== method) return undefined
          server.fault = () => undefined
          arrived.resolve()
          return carriesOn.promise
        }
        const attempt = yield* Effect.forkChild((yield* started(server))(message(1)), { startImmediately: true })
        yield* Effect.promise(() => arrived.promise)
        yield* Fiber.interrupt(attempt)
        carriesOn.resolve("lost")
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        assert.lengthOf(server.books.filled, 1)
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        assert.lengthOf(server.books.filled, 1)
        assert.deepStrictEqual([server.books.filled[0]?.state, server.books.filled[0]?.lines.length], ["posted", 2])
      })
    )
  )

  it.effect("if Tryton creates a move long after the request was given up: a draft without lines is left", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        server.fault = once("account.move.create", "late")
        const post = yield* started(server)
        assert.strictEqual((yield* post(message(1)))._tag, "Unavailable")
        assert.deepStrictEqual(yield* post(message(1)), taken)
        server.carryOut()
        assert.deepStrictEqual(yield* post(message(1)), taken)
        assert.deepStrictEqual(
          server.books.moves.map((move) => [move.state, move.lines.length]),
          [
            ["posted", 2],
            ["draft", 0]
          ]
        )
      })
    )
  )

  it.effect("if Tryton would write the lines long after the request was given up: it refuses to", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        server.fault = once("account.move.write", "late")
        const post = yield* started(server)
        assert.strictEqual((yield* post(message(1)))._tag, "Unavailable")
        assert.deepStrictEqual(yield* post(message(1)), taken)
        assert.deepStrictEqual(server.carryOut(), [
          { error: ["ConcurrencyException", "Records were modified in the meanwhile"] }
        ])
        isOnce(server)
      })
    )
  )

  it.effect("if two workers send it at the same time: both stop until a person has deleted a draft", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const both = Promise.withResolvers<Fault>()
        let waiting = 0
        server.fault = ({ method }) => {
          if (method !== "account.move.create" || waiting === 2) return undefined
          waiting += 1
          if (waiting === 2) both.resolve(undefined)
          return both.promise
        }
        const workers = [yield* started(server), yield* started(server)]
        const verdicts = yield* Effect.forEach(workers, (post) => post(message(1)), { concurrency: "unbounded" })
        for (const verdict of verdicts) assert.include(reasonOf(verdict), "Tryton has 2 moves with")
        assert.lengthOf(server.books.filled, 0)
        server.books.moves.pop()
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        isOnce(server)
      })
    )
  )

  it.effect("if anything fails at random", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const random = seeded(7)
        const messages = Array.from({ length: 20 }, (_, index) =>
          message(index + 1, { status: random.chance(0.5) ? "draft" : "posted", amount: `${index - 9}.2500` })
        )
        server.fault = ({ method }) => {
          if (method === "common.db.login") return undefined
          if (random.chance(0.05)) server.endSessions()
          return random.chance(0.25) ? random.pick(faults) : undefined
        }
        let waiting = messages
        for (let round = 0; waiting.length > 0; round++) {
          assert.isBelow(round, 200, "seed 7")
          const post = yield* started(server)
          const verdicts = yield* Effect.forEach(random.shuffle(waiting), (each) =>
            Effect.map(post(each), (verdict) => ({ each, verdict }))
          )
          waiting = verdicts.flatMap(({ each, verdict }) => (verdict._tag === "Taken" ? [] : [each]))
        }
        const states = messages.map(({ entry: { entry_id: id } }) =>
          server.books.moves
            .filter(({ description }) => description.includes(id))
            .map(({ lines, state }) => [state, lines.length])
        )
        assert.deepStrictEqual(
          states,
          messages.map(({ status }) => [[status, 2]]),
          "seed 7"
        )
      })
    )
  )
})
