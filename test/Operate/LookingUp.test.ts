/**
 * Look-ups over a real Store and a real warehouse, answered by the test: which records are requested and how often,
 * what becomes of each answer, and that nothing is lost when a worker ends.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { plain } from "../../config/Chart.ts"
import * as Holds from "../../src/Ledger/Look/Holds.ts"
import { report } from "../../src/Ledger/Reports.ts"
import { LookingUp } from "../../src/Operate/LookingUp.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as LookUps from "../../src/Stores/LookUps.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import { absent, detailOf, inFolder, looking, recordOf, until } from "./LookingUp/World.ts"
import { at, certified, copied, hear, holds, journal, paid, verified } from "../Ledger/Started.ts"

const amounts = Effect.map(journal, (rows) => rows.map(({ amount, ipc_id }) => `${ipc_id} ${amount}`))
const lookups = Effect.flatMap(Store, (store) => store.run((db) => db.selectFrom("lookups").selectAll().execute()))
const shown = Effect.map(Holds.holds({ limit: 10 }), (rows) => rows.map(({ looked_up }) => looked_up))
const want = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction((tx) =>
      LookUps.want(
        tx,
        ids.map((id) => ({ resource: "ipcs", id })),
        at(1)
      )
    )
  )
const status = Effect.map(
  Effect.flatMap(LookingUp, (lookingUp) => lookingUp.status),
  ({ ipcs }) => ipcs ?? assert.fail("it isn't looked up")
)
const isEmpty = (rows: ReadonlyArray<unknown>): boolean => rows.length === 0

interface Unfit {
  readonly what: string
  readonly answer: Effect.Effect<string, SourceError>
  readonly words: RegExp
}

const found = (...of: Parameters<typeof recordOf>) => Effect.succeed(recordOf(...of))

describe("a payment that waits for its certificate", () => {
  it.live("asks for it, posts, merges the record, and keeps the answer as its evidence", () =>
    inFolder((path) => {
      const { asked, detail } = detailOf((id) => Effect.succeed(recordOf(id, "118750.25")))
      return looking(
        path,
        detail,
        Effect.gen(function* () {
          yield* hear([paid("A", 5, 11)])
          yield* until(journal, (rows) => rows.length === 1)
          assert.deepStrictEqual(yield* amounts, ["A 118750.2500"])
          const rows = yield* until(copied("ipcs"), (found) => found.length === 1)
          assert.strictEqual(String(rows[0]?.["draft_amount"]), "7.0000")
          yield* until(lookups, isEmpty)
          assert.deepStrictEqual(asked, ["A"])
          const kept = yield* Effect.flatMap(Store, (store) =>
            store.run((db) => db.selectFrom("ledger_evidence").selectAll().execute())
          )
          assert.deepStrictEqual(kept, [{ fact: 2, body: recordOf("A", "118750.25") }])
          assert.deepStrictEqual((yield* verified).differences, [])
          const { rows: told } = yield* report("repaired", undefined, plain)
          const outcome = {
            what: "certificate looked up",
            of: "A",
            at: at(60),
            amount: "118750.2500",
            outcome: "repaired"
          }
          assert.deepStrictEqual(told, [outcome])
        })
      )
    })
  )

  it.live("isn't asked about where nobody has signed off the amount", () =>
    inFolder((path) => {
      const { asked, detail } = detailOf((id) => Effect.succeed(recordOf(id, "5")))
      return looking(
        path,
        { ...detail, certificate: undefined },
        Effect.gen(function* () {
          yield* hear([paid("A", 5, 11)])
          yield* want("B")
          yield* until(lookups, isEmpty)
          assert.deepStrictEqual(asked, ["B"])
          assert.deepStrictEqual(yield* status, { waiting: 0, oldestWaitingAgeMs: 0, done: 1, failed: 0 })
          assert.deepStrictEqual([yield* amounts, (yield* holds).length], [[], 1])
        })
      )
    })
  )

  it.live.each<Unfit>([
    { what: "there is no such record", answer: absent, words: /It found no such record \(404\)\.$/ },
    { what: "the certificate is dated after it", answer: found("A", "5", at(9)), words: /which is after the payment/ },
    { what: "the record has no amount", answer: found("A", "null"), words: /no certified amount at \/certified\.$/ },
    { what: "it is another record", answer: found("B", "5"), words: /It found the record of B instead\.$/ },
    { what: "the answer isn't JSON", answer: Effect.succeed("<html>"), words: /an answer that isn't JSON\.$/ }
  ])("stays a hold that says so if $what", ({ answer, words }) =>
    inFolder((path) => {
      const { asked, detail } = detailOf(() => answer)
      return looking(
        path,
        detail,
        Effect.gen(function* () {
          yield* hear([paid("A", 5, 11)])
          const [says] = yield* until(shown, ([first]) => first != null)
          assert.match(says ?? "", words)
          assert.match(says ?? "", /^GET \/ipcs\/\{id\} was asked at 20/)
          assert.deepStrictEqual(yield* amounts, [])
          // An event about it asks once more.
          yield* want("A")
          yield* until(Effect.succeed(asked), () => asked.length === 2)
          yield* hear([certified("A", 1, 12, "3.0000")])
          assert.deepStrictEqual(yield* amounts, ["A 3.0000"])
        })
      )
    })
  )

  it.live("is asked about by the next worker if the first one ended meanwhile", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const never = detailOf(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        yield* looking(path, never.detail, Effect.andThen(hear([paid("A", 5, 11)]), Deferred.await(begun)))
        const { detail } = detailOf((id) => Effect.succeed(recordOf(id, "5")))
        assert.deepStrictEqual(
          yield* looking(
            path,
            detail,
            until(amounts, (rows) => rows.length > 0)
          ),
          ["A 5.0000"]
        )
      })
    )
  )
})

describe("events about a record", () => {
  it.live("are one request, also across restarts, and none is lost while it is under way", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = detailOf((id) =>
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(recordOf(id, "5")))
        )
        yield* looking(path, slow.detail, Effect.andThen(want("A", "A", "A"), Deferred.await(begun)))
        yield* looking(
          path,
          slow.detail,
          Effect.gen(function* () {
            yield* until(Effect.succeed(slow.asked), () => slow.asked.length === 2)
            yield* want("A", "A")
            yield* Deferred.succeed(go, undefined)
            yield* until(lookups, isEmpty)
            assert.deepStrictEqual(slow.asked, ["A", "A", "A"])
          })
        )
      })
    )
  )

  it.live("whose list is refused wait, and are shown", () =>
    inFolder((path) => {
      const refused = new SourceError({ reason: "Refused", message: "It needs the scope ipcs.read." })
      const { detail } = detailOf(() => Effect.fail(refused))
      return looking(
        path,
        detail,
        Effect.gen(function* () {
          yield* want("A")
          const { all } = yield* Reasons
          const [reason] = yield* until(all, (reasons) => reasons.length > 0)
          assert.deepInclude(reason, { key: "look-up ipcs", level: "degraded", sentence: refused.message })
          assert.lengthOf(yield* lookups, 1)
          const { oldestWaitingAgeMs, ...counts } = yield* status
          assert.deepStrictEqual(counts, { waiting: 1, done: 0, failed: 1 })
          assert.approximately(oldestWaitingAgeMs, Date.now() - Date.parse(at(1)), 60_000)
        })
      )
    })
  )

  it.live("of records without an answer go behind all others, which go on", () =>
    inFolder((path) => {
      const silent = new SourceError({ reason: "Unanswered", message: "It answered 500." })
      const { asked, detail } = detailOf((id) =>
        id.startsWith("silent") ? Effect.fail(silent) : Effect.succeed(recordOf(id, "5"))
      )
      return looking(
        path,
        detail,
        Effect.gen(function* () {
          // More than a turn takes, and all of them first.
          const failing = Array.from({ length: 150 }, (_, place) => `silent ${place}`)
          yield* want(...failing)
          yield* until(Effect.succeed(asked), () => asked.length >= 100)
          yield* want("A", "B")
          yield* until(lookups, (rows) => rows.every(({ id }) => id.startsWith("silent")))
          assert.includeMembers([...asked], ["A", "B"])
          assert.lengthOf(yield* lookups, 150)
          assert.isAtMost(asked.length, 152)
          assert.deepInclude(yield* status, { waiting: 150, done: 2 })
        })
      )
    })
  )

  it.live("of a record that is gone don't wait for ever", () =>
    inFolder((path) => {
      const { asked, detail } = detailOf(() => absent)
      return looking(
        path,
        detail,
        Effect.andThen(
          want("A"),
          Effect.andThen(
            until(lookups, isEmpty),
            Effect.sync(() => assert.deepStrictEqual(asked, ["A"]))
          )
        )
      )
    })
  )
})
