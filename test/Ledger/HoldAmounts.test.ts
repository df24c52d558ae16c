/** What a hold is about in money, wherever that is known: in the books, in what analysts see, and in the status. */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Migration } from "kysely/migration"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { migrations as postgresMigrations } from "../../src/Stores/Postgres/Schema.ts"
import { Store } from "../../src/Stores/Store.ts"
import { migrations as sqliteMigrations } from "../../src/Stores/Sqlite/Migrations.ts"
import * as Postgres from "../Postgres.ts"
import { ask, database, storesAt } from "../Stores/Postgres/World.ts"
import { contractor } from "./Contractor.ts"
import { at, certified, copied, copy, created, folder, hear, paid, started } from "./Started.ts"

const euros: Terms = { ...contractor, currency: "EUR" }
const closed: Terms = { ...euros, openFrom: at(100) }
const perProject: Terms = { ...euros, currencies: { "7": "USD" } }

const amounts = Effect.gen(function* () {
  yield* copy
  const rows = yield* copied("ledger_holds")
  return rows.map(({ amount, currency, ipc_id, reason }) => [ipc_id, reason, amount, currency]).toSorted()
})

const verified = Effect.map(
  Effect.flatMap(Ledger, ({ verify }) => verify),
  ({ differences }) => differences
)

const after = (terms: Terms, ...events: ReadonlyArray<Parameters<typeof hear>[0]>) =>
  Effect.gen(function* () {
    const path = yield* folder
    const body = Effect.gen(function* () {
      for (const batch of events) yield* Effect.andThen(hear(batch), copy)
      assert.deepStrictEqual(yield* verified, [])
      return [yield* amounts, (yield* Effect.flatMap(Ledger, ({ status }) => status)).oldestHold] as const
    })
    return yield* started(path, body, terms)
  }).pipe(Effect.scoped)

describe("a hold", () => {
  it.live("shows the certificate's amount, or none where nobody knows one", () =>
    Effect.gen(function* () {
      const [open, oldest] = yield* after(euros, [
        paid("none", 2, 1),
        certified("zero", 1, 2, "0.0000"),
        paid("zero", 2, 3),
        certified("two", 1, 4, "10.0000"),
        certified("two", 1, 5, "20.0000"),
        paid("two", 2, 6),
        certified("later", 1, 7, "100.0000"),
        paid("later", 2, 8),
        certified("later", 3, 9, "120.5000"),
        paid("later", 2, 10, "AGAIN")
      ])
      assert.deepStrictEqual(open, [
        ["later", "recertified-after-payment", "120.5000", "EUR"],
        ["later", "second-payment-reference", null, null],
        ["none", "awaiting-certified-amount", null, null],
        ["two", "ambiguous-order", null, null],
        ["zero", "amount-not-positive", "0.0000", "EUR"]
      ])
      assert.deepInclude(oldest, { ipcId: "none", amount: null, currency: null })
    })
  )

  it.live("for a closed period shows what would be posted, in its currency", () =>
    Effect.gen(function* () {
      const [open, oldest] = yield* after(closed, [certified("1", 1, 1, "100.0000"), paid("1", 2, 2)])
      assert.deepStrictEqual(open, [["1", "period-closed", "100.0000", "EUR"]])
      assert.deepInclude(oldest, { ipcId: "1", reason: "period-closed", amount: "100.0000", currency: "EUR" })
    })
  )

  it.live("for a currency shows the amount, and follows what is learned of it, also in the copies", () =>
    Effect.gen(function* () {
      const first = [certified("1", 1, 1, "100.0000"), paid("1", 5, 2)]
      assert.deepStrictEqual((yield* after(perProject, first))[0], [["1", "currency-unknown", "100.0000", null]])
      const [open] = yield* after(perProject, first, [certified("1", 2, 3, "130.0000")])
      assert.deepStrictEqual(open, [["1", "currency-unknown", "130.0000", null]])
      assert.deepStrictEqual((yield* after(perProject, first, [created("1", 3, 3, "7")]))[0], [])
    })
  )

  const events = [certified("1", 1, 1, "100.0000"), paid("1", 2, 2), paid("2", 2, 3)]
  const filled = [
    ["1", "period-closed", "100.0000", "EUR"],
    ["2", "awaiting-certified-amount", null, null]
  ]

  /** As the migration does it, on a store without them. */
  const migrated = (migrations: Readonly<Record<string, Migration>>, name: string) =>
    Effect.flatMap(Store, (store) => store.transaction(async (tx) => migrations[name]?.up(tx.withTables())))

  it.live("that was open before amounts were kept gets its own", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, Effect.andThen(hear(events), copy), closed)
      const store = new DatabaseSync(`${path}/store.sqlite`)
      store.exec("alter table ledger_holds drop column amount; alter table ledger_holds drop column currency")
      store.close()
      yield* started(path, migrated(sqliteMigrations, "0006_hold_amounts"), closed)
      const [open, differences] = yield* started(path, Effect.all([amounts, verified]), closed)
      assert.deepStrictEqual(open, filled)
      assert.deepStrictEqual(differences, [])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(Postgres.skipped !== undefined)("gets it on PostgreSQL, too", () =>
    Effect.gen(function* () {
      const own = yield* database
      const books = Ledger.layerWith(closed).pipe(Layer.provideMerge(storesAt(own.url)))
      yield* Effect.gen(function* () {
        yield* hear(events)
        yield* ask(
          own,
          `drop view construction.ledger_holds;
           alter table siteledger.ledger_holds drop column amount, drop column currency;
           create view construction.ledger_holds as
             select hold_id, ipc_id, payment_reference, reason, cast(since as timestamptz) as since,
               cast(basis as json) as basis
             from siteledger.ledger_holds`
        )
        yield* migrated(postgresMigrations, "0003_hold_amounts")
        assert.deepStrictEqual(yield* verified, [])
      }).pipe(Effect.provide(books))
      const open = yield* ask(own, "select ipc_id, reason, amount, currency from construction.ledger_holds order by 1")
      assert.deepStrictEqual(
        open.map(({ amount, currency, ipc_id, reason }) => [ipc_id, reason, amount, currency]),
        filled
      )
    }).pipe(Effect.scoped)
  )
})
