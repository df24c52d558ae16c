/** Status has a notice if certified amounts only ever grow, as long as no one has said what they are. */
import { setImmediate as immediate } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Certificates } from "../../config/Certificates.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as Growing from "../../src/Operate/Growing.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { contractor } from "../Ledger/Contractor.ts"
import { certified, created, folder, hear } from "../Ledger/Started.ts"

const start = Date.UTC(2026, 10, 21)

const certify = (project: string, id: string, second: number, amount: string) =>
  hear([created(id, 1, second, project), certified(id, second, second, amount)])

/** A minute passes, and the books are read: what is said then. */
const isSaid = (...expected: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 minute")
    const reasons = yield* Reasons
    let said: ReadonlyArray<string> = []
    for (let turn = 0; turn < 500 && JSON.stringify(said) !== JSON.stringify(expected); turn++) {
      yield* Effect.promise(() => immediate())
      said = (yield* reasons.all).map(({ level, sentence }) => `${level}: ${sentence}`)
    }
    assert.deepStrictEqual(said, expected)
  })

const watched = <A, E>(certificates: Certificates, body: Effect.Effect<A, E, Ledger | Reasons>) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const path = yield* folder
      const terms = { ...contractor, certificates }
      const layer = Growing.layerWith(terms).pipe(
        Layer.provideMerge(Ledger.layerWith(terms)),
        Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)),
        Layer.provideMerge(Reasons.layer)
      )
      return yield* Effect.provide(body, layer)
    })
  )

it.effect("a project whose four certificates each are above the one before is named, until one isn't", () =>
  watched(
    { standard: null, payable: [], byProject: { "9": { amounts: "each", certifiedBefore: null, payable: null } } },
    Effect.gen(function* () {
      for (const [id, second, amount] of [
        ["A", 10, "100"],
        ["B", 20, "150"],
        ["C", 30, "160"]
      ] as const) {
        for (const project of ["7", "8", "9"]) yield* certify(project, `${id}${project}`, second, `${amount}.0000`)
      }
      yield* isSaid()
      yield* certify("7", "D7", 40, "170.0000")
      yield* certify("8", "D8", 40, "160.0000")
      yield* certify("9", "D9", 40, "200.0000")
      yield* isSaid(
        "notice: Each certificate of project 7 (4 certified IPCs) is above the one before, so their amounts may be " +
          "cumulative. State for it whether they are (SITELEDGER_LEDGER_FILE); until then entries are drafts."
      )
      yield* certify("7", "E7", 50, "20.0000")
      yield* isSaid()
    })
  )
)

it("many IPCs are read less often than once a minute", () => {
  assert.deepStrictEqual(Growing.restAfter(1000), Duration.minutes(1))
  assert.deepStrictEqual(Growing.restAfter(300_000), Duration.minutes(5))
})
