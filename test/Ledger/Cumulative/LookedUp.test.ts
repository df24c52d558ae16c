/** Cumulative certificates that look-ups found: the IPC has its place in its project, in any order. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Version from "../../../src/Domain/Version.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { at, hear, holds, paid, startedOnce, verified } from "../Started.ts"
import { certifiedIn, nets, terms } from "./Projects.ts"

const text = `{"id": "A", "amount": 100, "on": "${at(1)}", "project": 7}`
const sha256 = createHash("sha256").update(text).digest("hex")

const lookUp = Effect.flatMap(Ledger, ({ lookedUp }) =>
  lookedUp({
    ipcId: "A",
    read: "GET /ipcs/{id}",
    places: { id: "/id", amount: "/amount", at: "/on", project: "/project" },
    at: at(60),
    answer: {
      path: "/ipcs/A",
      text,
      sha256,
      version: Version.make(1_790_000_000_000_000, 0, sha256),
      receivedAt: at(60)
    }
  })
)

const waiting = hear([paid("A", 5, 6)])
const next = hear([certifiedIn("7", "B", 10, 20, "300"), paid("B", 12, 21)])

describe("a certificate that a look-up found in a cumulative project", () => {
  for (const [order, steps] of Object.entries({ before: [waiting, lookUp, next], after: [waiting, next, lookUp] })) {
    it.effect(`precedes those that came later, if it is found ${order} them`, () =>
      startedOnce(
        Effect.gen(function* () {
          for (const step of steps) yield* step
          assert.deepStrictEqual(yield* nets, { A: 100, B: 200 })
          assert.deepStrictEqual(yield* holds, [])
          assert.deepStrictEqual((yield* verified).differences, [])
        }),
        terms
      )
    )
  }
})
