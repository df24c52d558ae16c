/** What an attempt does with a move that is already in Tryton: from an earlier attempt, or as a person has left it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { markOf } from "../../../connectors/tryton/TrytonMove.ts"
import type { StandIn } from "./StandIn.ts"
import { idOf } from "../Entries.ts"
import { inTryton, isOnce, message, reasonOf, started, taken } from "./TrytonWorld.ts"

const lineOf = (account: number, debit: string, credit: string) => ({
  id: account,
  account,
  debit: { __class__: "Decimal", decimal: debit },
  credit: { __class__: "Decimal", decimal: credit }
})
/** Of the entry, as Tryton may print them. */
const lines = () => [lineOf(23, "0", "1250.0"), lineOf(21, "1250.00", "0.00")]

/** By a person, or by an earlier attempt. */
const there = (server: StandIn, given: Readonly<Record<string, unknown>> = {}) =>
  server.books.add({ description: `reviewed ${markOf(idOf(1))} ok`, lines: lines(), ...given })

describe("a move that is there", () => {
  const found = (given: Readonly<Record<string, unknown>>, status: "draft" | "posted" = "posted") =>
    inTryton((server) =>
      Effect.gen(function* () {
        there(server, given)
        const verdict = yield* (yield* started(server))(message(1, { status }))
        assert.deepStrictEqual([server.count("account.move.create"), server.count("account.move.write")], [0, 0])
        return { verdict, state: server.books.moves[0]?.state }
      })
    )

  it.effect("with the same lines is the entry, and a draft is posted", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found({}), { verdict: taken, state: "posted" })
    })
  )

  it.effect("stays posted, if a person posted a draft", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found({ state: "posted" }, "draft"), { verdict: taken, state: "posted" })
    })
  )

  it.effect("stays a draft, if the entry is one, also with another date and period", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found({ period: 99 }, "draft"), { verdict: taken, state: "draft" })
    })
  )

  it.effect.each([
    { what: "another amount", lines: [lineOf(21, "1250.01", "0"), lineOf(23, "0", "1250.01")] },
    { what: "the sides changed", lines: [lineOf(21, "0", "1250"), lineOf(23, "1250", "0")] },
    { what: "another account", lines: [lineOf(21, "1250", "0"), lineOf(22, "0", "1250")] },
    { what: "a line more", lines: [...lines(), lineOf(21, "0", "0")] },
    { what: "amounts too fine to compare", lines: [lineOf(21, "1250.00001", "0"), lineOf(23, "0", "1250")] }
  ])("with $what is refused, and not touched", ({ lines }) =>
    Effect.gen(function* () {
      const { state, verdict } = yield* found({ lines })
      assert.deepStrictEqual([verdict._tag, state], ["Refused", "draft"])
      assert.include(reasonOf(verdict), `${markOf(idOf(1))} and other accounts or amounts`)
    })
  )

  it.effect("twice is refused", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        there(server)
        there(server)
        const verdict = yield* (yield* started(server))(message(1))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), "Tryton has 2 moves with")
        assert.deepStrictEqual(
          server.books.moves.map(({ state }) => state),
          ["draft", "draft"]
        )
      })
    )
  )

  it.effect("and was cancelled by a person stays so", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const id = there(server, { state: "posted" })
        there(server, { origin: `account.move,${id}`, lines: [lineOf(21, "-1250", "0"), lineOf(23, "0", "-1250")] })
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        assert.lengthOf(server.books.moves, 2)
      })
    )
  )

  it.effect("no more, because a person deleted the draft, comes again when the entry is replayed", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server)
        yield* post(message(1, { status: "draft" }))
        server.books.moves.splice(0)
        assert.deepStrictEqual(yield* post(message(1, { status: "draft" })), taken)
        isOnce(server, "draft")
      })
    )
  )
})
