/**
 * An export to S3 fails at every single call, in turn: refused, broken, or carried out without an answer. Readers see a
 * whole export each time, and the next export tidies up. The short form takes one call of each operation and fault.
 */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { patience, sample, seed } from "../Long.ts"
import type { Fault } from "../../trust/S3Stub.ts"
import { now, run } from "./ExportWorld.ts"
import { assertTidy, copied, isWrite, type Prepared, prepare, readExport, within } from "./S3World.ts"

const faults: ReadonlyArray<Fault> = [
  { status: 500, code: "InternalError" },
  { status: 403, code: "AccessDenied" },
  "cut",
  { status: 503, code: "SlowDown" }
]

const callsOf = (prepared: Prepared) =>
  Effect.scoped(
    Effect.gen(function* () {
      const copy = yield* copied(prepared)
      yield* within(copy, run)
      readExport(copy.stub)
      assertTidy(copy)
      return copy.stub.calls.map(({ operation }) => operation)
    })
  )

const disturbed = (prepared: Prepared, number: number, when: "before" | "after", fault: Fault) =>
  Effect.scoped(
    Effect.gen(function* () {
      const copy = yield* copied(prepared)
      const { stub } = copy
      const before = readExport(stub).run
      stub.onCall = (call, moment) => (call.number === number && moment === when ? fault : undefined)
      const both = Effect.gen(function* () {
        const outcome = yield* Effect.result(run)
        const moved = stub.calls.find(({ key, operation }) => operation === "PutObject" && key.endsWith("/latest.json"))
        stub.reset()
        const after = readExport(stub).run
        if (outcome._tag === "Success") assert.strictEqual(after, outcome.success.run)
        // A call that was done without an answer may have moved the pointer, and the Delta logs follow it.
        else if (when === "before" && (moved === undefined || number <= moved.number)) assert.strictEqual(after, before)
        const next = yield* run
        assert.strictEqual(readExport(stub).run, next.run)
        return outcome._tag
      })
      const outcome = yield* within(copy, both)
      assertTidy(copy)
      return outcome
    })
  )

interface Case {
  readonly operation: string
  readonly number: number
  readonly when: "before" | "after"
  readonly fault: Fault
}

const atEvery = (prepared: Prepared, isMeant: (operation: string) => boolean) =>
  Effect.gen(function* () {
    const calls = yield* callsOf(prepared)
    const cases = calls.flatMap((operation, index): ReadonlyArray<Case> => {
      const number = index + 1
      if (!isMeant(operation)) return []
      const refused: Case = { operation, number, when: "before", fault: faults[index % faults.length] ?? "cut" }
      return isWrite(operation) ? [refused, { operation, number, when: "after", fault: "cut" }] : [refused]
    })
    const outcomes: Array<string> = []
    const tried = sample(cases, ({ operation, when }) => `${operation} ${when}`)
    for (const { fault, number, when } of tried) outcomes.push(yield* disturbed(prepared, number, when, fault))
    return { calls: calls.filter(isMeant), outcomes }
  })

describe(`an export to S3, seed ${seed}`, () => {
  it.effect(
    "that fails at any of its calls leaves a whole export, and the next one tidies up",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const { calls, outcomes } = yield* atEvery(yield* prepare(), () => true)
        assert.isAbove(calls.length, 30)
        assert.isAtLeast(outcomes.filter((outcome) => outcome === "Failure").length, 2)
      }),
    patience
  )

  it.effect(
    "of a file in parts, that fails at any part, leaves no part behind",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const prepared = yield* prepare(randomBytes(9 * 1024 * 1024).toString("base64"))
        const { calls } = yield* atEvery(prepared, (operation) => /^(Create|Upload|Complete)/.test(operation))
        assert.sameMembers([...new Set(calls)], ["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"])
      }),
    patience
  )
})
