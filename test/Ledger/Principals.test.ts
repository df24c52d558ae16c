/**
 * Everything that people do to the books records their principal beside the name that they gave: in the fact, which the
 * chain covers, in decisions, in what is closed, and in the words for a bookkeeper. Facts from before it was kept stay
 * as they are.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Principal } from "../../src/Runtime/Principal.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Log } from "../Logged.ts"
import { contractor } from "./Contractor.ts"
import { certified, folder, hear, holds, journal, opened, paid, started, startedOnce, verified } from "./Started.ts"

const as = <A, E, R>(principal: string | null, body: Effect.Effect<A, E, R>) =>
  Effect.provideService(body, Principal, principal)

const note = { by: "Ana", reason: "on paper" }
const byHand = {
  amount: "7",
  evidence: "bank",
  currency: undefined,
  reference: undefined,
  debit: undefined,
  credit: undefined
}

const rows = (query: string) =>
  Effect.flatMap(Store, (store) =>
    store.run(async (db) => (await sql.raw<Record<string, unknown>>(query).execute(db)).rows)
  )

const facts = Effect.map(
  rows(
    "select kind, content from ledger_facts where kind in ('decision', 'opening', 'posting', 'reversal') order by number"
  ),
  (all) => all.map(({ content, kind }) => [kind, (JSON.parse(String(content)) as Record<string, unknown>)["principal"]])
)

describe("what people do to the books", () => {
  it.effect("names their principal", () =>
    startedOnce(
      Effect.gen(function* () {
        const books = yield* Ledger
        yield* hear([paid("A", 5, 6), certified("B", 1, 7, "5.0000"), paid("B", 5, 8)])
        const [hold] = yield* holds
        const log = new Log()
        const decided = books.decide({ ...note, hold: hold?.hold_id ?? "", verdict: "accept", amount: "12" })
        yield* as("ana", decided).pipe(Effect.provide(log.layer))
        assert.deepInclude(log.saw("hold.decided"), { by: "Ana", principal: "ana" })
        yield* as("ben", books.signOff([{ ipcId: "C", amount: "9.0000", certificate: "c" }], "Ben"))
        yield* as("admin", books.post({ ...note, ...byHand, ipcId: "B" }))
        const newest = (yield* journal).at(-1)
        yield* as("os:root", books.reverse(newest?.entry_id ?? "", note))
        yield* as(null, books.post({ ...note, ...byHand, ipcId: "B" }))
        assert.deepStrictEqual(yield* facts, [
          ["decision", "ana"],
          ["opening", "ben"],
          ["posting", "admin"],
          ["reversal", "os:root"],
          ["posting", undefined]
        ])
        const [decision] = yield* rows("select decided_by, principal from ledger_hold_decisions")
        assert.deepStrictEqual(decision, { decided_by: "Ana", principal: "ana" })
        yield* as("ana", books.changePeriod({ verb: "close", month: "1969-12", by: "Ana", reason: "audit" }))
        const [terms] = yield* rows("select content from ledger_terms order by number desc limit 1")
        const { closed } = JSON.parse(String(terms?.["content"])) as { readonly closed: object }
        assert.deepInclude(closed, { openFrom: "1970-01-01", by: "Ana", principal: "ana" })
        yield* hear([paid("D", 5, 9)])
        assert.deepStrictEqual((yield* facts).length, 5)
        assert.deepStrictEqual((yield* verified).differences, [])
      })
    )
  )

  for (const [what, statement, expected] of [
    ["a decision's row", "update ledger_hold_decisions set principal = 'mallory'", /has principal "mallory"/],
    [
      "a fact",
      `update ledger_facts set content = replace(content, '"principal":"ana"', '"principal":"mallory"')`,
      /chain|link|hash/
    ]
  ] as const) {
    it.effect(`shows when the principal was changed in ${what}`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        const body = Effect.gen(function* () {
          const books = yield* Ledger
          yield* hear([paid("A", 5, 6)])
          const [hold] = yield* holds
          yield* as("ana", books.decide({ ...note, hold: hold?.hold_id ?? "", verdict: "accept", amount: "12" }))
          return yield* verified
        })
        assert.deepStrictEqual((yield* started(path, body)).differences, [])
        const database = opened(path)
        database.exec(statement)
        database.close()
        assert.match((yield* started(path, verified)).differences.join("\n"), expected)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("has no principal in facts from before, which verify like others", () =>
    startedOnce(
      Effect.gen(function* () {
        const books = yield* Ledger
        yield* hear([paid("A", 5, 6)])
        const [hold] = yield* holds
        yield* as(null, books.decide({ ...note, hold: hold?.hold_id ?? "", verdict: "accept", amount: "12" }))
        const [fact] = yield* rows("select content from ledger_facts where kind = 'decision'")
        assert.notInclude(String(fact?.["content"]), "principal")
        assert.deepStrictEqual(yield* rows("select principal from ledger_hold_decisions"), [{ principal: null }])
        assert.deepStrictEqual((yield* verified).differences, [])
      })
    )
  )
})

describe("the second person", () => {
  const terms = { ...contractor, confirmAbove: "5.0000" }

  it.effect("is another principal, whatever name is noted; what may be shared is told apart by the name", () =>
    startedOnce(
      Effect.gen(function* () {
        const books = yield* Ledger
        yield* hear([certified("B", 1, 7, "5.0000"), paid("B", 5, 8)])
        const accepts = (principal: string, by: string) =>
          Effect.gen(function* () {
            const [hold] = yield* holds
            const decision = { hold: hold?.hold_id ?? "", verdict: "accept" as const, amount: undefined }
            return yield* as(principal, books.decide({ ...decision, by, reason: "seen" }))
          })
        const refused = (principal: string, by: string) =>
          Effect.map(Effect.flip(accepts(principal, by)), ({ message }) => message)
        const sentence = "Ana asked for it: another person has to accept it."

        yield* as("ana", books.post({ ...note, ...byHand, ipcId: "B" }))
        assert.strictEqual(yield* refused("ana", "Ben"), sentence)
        assert.strictEqual(yield* refused("ben", " ana"), sentence)
        assert.strictEqual((yield* accepts("ben", "Ben")).entries.length, 1)

        for (const shared of ["os:root", "admin"]) {
          yield* as(shared, books.post({ ...note, ...byHand, ipcId: "B", evidence: shared }))
          assert.strictEqual(yield* refused(shared, "Ana"), sentence)
          assert.strictEqual((yield* accepts(shared, "Ben")).entries.length, 1)
        }
      }),
      terms
    )
  )
})
