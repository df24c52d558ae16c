/** Threads share the parts of an audit: each part is done once, by the next free thread. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import { ranges } from "../../../src/Ledger/WholeBooks.ts"
import { newKey } from "../../../src/Operate/Audit/KeyedHash.ts"
import { type Answer, type Found, type Part, share } from "../../../src/Operate/Audit/Taken.ts"
import { areAllThere, started, take } from "../../../src/Operate/Audit/Taking.ts"
import { hear, payment, startedOnce } from "../../Ledger/Started.ts"

const key = newKey()

const ids = Array.from({ length: 40 }, (_, n) => `IPC-${n}`)

describe("the parts of an audit", () => {
  it.effect("are all there, or it fails: one at the end or in the middle may be missing", () =>
    Effect.gen(function* () {
      const parts: ReadonlyArray<Part> = [{ what: "followed" }, { what: "followed" }, { what: "followed" }]
      const each: Found = { what: "followed", followed: [] }
      assert.deepStrictEqual(yield* areAllThere(parts, [each, each, each]), [each, each, each])
      const sparse: Array<Found> = [each]
      sparse[2] = each
      for (const found of [[each, each], sparse, []]) {
        assert.strictEqual((yield* Effect.flip(areAllThere(parts, found))).reason, "Failed")
      }
    })
  )

  it.effect("aren't waited for if their thread has ended, even before it was given any", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear(payment("IPC-1"))
        const store = yield* Store
        const threads = yield* started(1)
        yield* Effect.promise(() => threads[0]!.worker.terminate())
        const { message } = yield* Effect.flip(take(store, threads, key))
        assert.strictEqual(message, "The thread that verifies the books has ended before it was through.")
      }).pipe(Effect.scoped)
    )
  )

  it.effect("are done once each, and together they are all facts", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear(ids.flatMap(payment))
        const store = yield* Store
        const some = yield* store.run((db) => ranges(db, 8))
        const parts: ReadonlyArray<Part> = [
          { what: "joined" },
          ...some.map((range): Part => ({ what: "ofIpcs", range, key }))
        ]
        const heard: Array<ReadonlyArray<Answer>> = []
        const next = new Int32Array(new SharedArrayBuffer(4))
        const one = Effect.suspend(() => {
          const answers: Array<Answer> = []
          heard.push(answers)
          return share(store, { parts, next }, (answer) => void answers.push(answer))
        })
        yield* Effect.all([one, one, one], { concurrency: "unbounded" })
        const done = heard.map((answers) => answers.flatMap((each) => ("part" in each ? [each.part] : [])))
        assert.isAbove(done.filter((each) => each.length > 0).length, 1)
        assert.deepStrictEqual(
          done.flat().toSorted((a, b) => a - b),
          parts.map((_, n) => n)
        )
        const facts = heard.flat().map((each) => ("more" in each ? each.more : 0))
        assert.strictEqual(
          facts.reduce((sum, more) => sum + more, 0),
          2 * ids.length
        )
      })
    )
  )
})
