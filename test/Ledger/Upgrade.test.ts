/**
 * Books of an earlier version of the rules: an upgrade posts nothing by itself, they still verify, and refusals under
 * the old rules remain under the new ones. Books of a later version are left alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Store } from "../../src/Stores/Store.ts"
import { contractor } from "./Contractor.ts"
import { at, certified, created, folder, hear, holds, journal, paid, started, verified } from "./Started.ts"

const closed: Terms = { ...contractor, currency: "EUR", openFrom: at(100) }
const first: Terms = { ...closed, rules: 1 }

const decide = (ipcId: string, verdict: "accept" | "reject") =>
  Effect.gen(function* () {
    const hold = (yield* holds).find(({ ipc_id }) => ipc_id === ipcId) ?? assert.fail(`no hold of ${ipcId}`)
    return yield* (yield* Ledger).decide({
      hold: hold.hold_id,
      verdict,
      amount: undefined,
      by: "Ana",
      reason: "checked"
    })
  })

/** A store as 0.1 left it: without what the second version keeps. */
const asReleased = Effect.flatMap(Store, (store) =>
  store.transaction(async (tx) => {
    await sql`drop trigger if exists ledger_facts_update`.execute(tx)
    for (const { name } of (
      await sql<{ name: string }>`select name from sqlite_schema where type = 'trigger'`.execute(tx)
    ).rows) {
      await sql`drop trigger ${sql.ref(name)}`.execute(tx)
    }
    await sql`update ledger_facts set content = json_remove(content, '$.about', '$.version'), chain = null`.execute(tx)
    await sql`update ledger_entries set posting_date = null, epoch = null, chain = null`.execute(tx)
    await sql`update ledger_holds set part = null`.execute(tx)
    await sql`update ledger_terms set content =
      json_remove(content, '$.rules', '$.timezone', '$.confirmAbove', '$.reading', '$.minorDigits')`.execute(tx)
  })
)

const history = Effect.gen(function* () {
  yield* hear([
    created("posted", 1, 1, "7"),
    certified("posted", 2, 2, "5.0000"),
    certified("refused", 2, 3, "6.0000"),
    certified("waiting", 2, 4, "7.0000")
  ])
  yield* hear([paid("posted", 150, 151), paid("refused", 50, 51), paid("waiting", 50, 52)])
  yield* decide("refused", "reject")
  yield* asReleased
})

const totals = Effect.map(Effect.all([journal, holds]), ([entries, open]) => ({
  entries: entries.map(({ amount, ipc_id }) => `${ipc_id} ${amount}`),
  open: open.map(({ ipc_id, reason }) => `${ipc_id} ${reason}`)
}))

const open: Terms = { ...contractor, currency: "EUR" }

describe("an upgrade of the rules", () => {
  it.effect("posts nothing, and the books verify before and after it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, history, first)
      const before = { entries: ["posted 5.0000"], open: ["waiting period-closed"] }
      yield* started(
        path,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* totals, before)
          assert.deepStrictEqual((yield* verified).differences, [])
          yield* hear([certified("posted", 3, 200, "5.5000")])
          assert.deepStrictEqual((yield* totals).entries, ["posted 5.0000", "posted 0.5000"])
          assert.deepStrictEqual((yield* verified).differences, [])
        }),
        closed
      )
    }).pipe(Effect.scoped)
  )

  it.effect("keeps refused what was refused before it, and asks again what waits, when the period is opened", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, history, first)
      yield* started(path, Effect.void, closed)
      yield* started(
        path,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* totals, { entries: ["posted 5.0000"], open: ["waiting period-reopened"] })
          yield* hear([certified("refused", 3, 200, "6.0000")])
          assert.deepStrictEqual((yield* totals).entries, ["posted 5.0000"])
          yield* hear([certified("refused", 4, 201, "6.2500")])
          assert.deepStrictEqual((yield* holds).map(({ amount, ipc_id }) => `${ipc_id} ${amount}`).toSorted(), [
            "refused 0.2500",
            "waiting 7.0000"
          ])
          yield* decide("waiting", "accept")
          assert.deepStrictEqual((yield* totals).entries, ["posted 5.0000", "waiting 7.0000"])
          assert.deepStrictEqual((yield* verified).differences, [])
        }),
        open
      )
    }).pipe(Effect.scoped)
  )
})

it.effect("terms that end what a hold waited for are taken up at the start, once, and posted if they say so", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const waiting = hear([certified("a", 2, 2, "5.0000"), paid("a", 50, 51)])
    yield* started(path, waiting, closed)
    yield* started(path, Effect.void, { ...open, inClosedPeriod: "post" })
    yield* started(
      path,
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* totals, { entries: ["a 5.0000"], open: [] })
        const { differences, facts } = yield* verified
        assert.deepStrictEqual([facts, differences], [3, []])
      }),
      { ...open, inClosedPeriod: "post" }
    )
  }).pipe(Effect.scoped)
)

it.effect("books of a newer version are refused", () =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* started(path, hear([certified("a", 2, 2, "5.0000")]), open)
    const newer = Effect.flatMap(Store, (store) =>
      store.transaction(async (tx) => {
        await sql`insert into ledger_terms (from_fact, content)
          select from_fact, json_set(content, '$.rules', 9) from ledger_terms`.execute(tx)
      })
    )
    yield* started(path, newer, open)
    const refused = yield* Effect.flip(started(path, Effect.void, open))
    assert.match(String(refused), /The books follow version 9 of the ledger's rules/)
  }).pipe(Effect.scoped)
)
