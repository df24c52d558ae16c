/** The currencies of projects in the warehouse, and the views that add money, on both engines. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { sql } from "kysely"
import type { Change } from "../../src/Domain/Change.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { contractor } from "../Ledger/Contractor.ts"
import { certified, heard, paid } from "../Ledger/Started.ts"
import * as Databases from "../Postgres.ts"
import { ask, database, session, storesAt, until } from "./Postgres/World.ts"
import { engines } from "./WarehouseEngines.ts"

const withCurrencies = (currency: string | null, currencies: Terms["currencies"]): Terms => ({
  ...contractor,
  currency,
  currencies
})

const mixed = withCurrencies("EUR", { "2": "USD", "007": "JPY", "99999999999999999999": "GBP" })

const books = (terms: Terms) => Layer.provideMerge(Copies.layer, Ledger.layerWith(terms))

/** One start of a worker with these terms. */
const started = <A, E, R>(terms: Terms, body: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(body, books(terms), { local: true }))

const rows = (query: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(async (db) => {
      const found = await sql.raw<Record<string, unknown>>(query).execute(db)
      return found.rows.map((row) =>
        Object.values(row)
          .map((value) => (value === null ? "-" : String(value)))
          .join(" ")
      )
    })
  )

const stored = rows("select id, project_id, currency from construction.project_currencies order by id")

const ipcs = rows("select ipc_id, certified_amount, currency from construction.ipc_ageing order by ipc_id")

const cashflow = rows(
  "select project_id, ipcs_paid, certified_amount, currency from construction.cashflow_by_month order by currency nulls last, 1"
)

const vos = rows("select project_id, status, exposure, currency from construction.vo_exposure order by 1 nulls last")

const vo = (id: string, projectId: string | null, amount: string): Change => ({
  ...heard(id, 1, 1, { total_cost_impact: amount, priced_at: "2026-11-20T00:00:01.000000Z", project_id: projectId })
    .change,
  entity: "vos"
})

const of = (projectId: string | null, event: ReturnType<typeof paid>): Change => ({
  ...event.change,
  values: { ...event.change.values, ...(projectId === null ? {} : { project_id: projectId }) }
})

/** A paid IPC. */
const settled = (id: string, projectId: string | null, amount: string): ReadonlyArray<Change> => [
  of(projectId, certified(id, 1, 10, amount)),
  of(projectId, paid(id, 5, 11))
]

const records: ReadonlyArray<Change> = [
  ...settled("A", "1", "10.0000"),
  ...settled("B", "2", "20.0000"),
  ...settled("C", "3", "5.0000"),
  ...settled("D", null, "7.0000"),
  vo("V", "1", "100.0000"),
  vo("W", "2", "200.0000"),
  vo("X", null, "300.0000")
]

const write = Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes: records, events: [] }))

describe.each(engines)("$name", ({ isSkipped, layer }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
    it.live.skipIf(isSkipped)(fact, () => Effect.scoped(Effect.provide(body, layer, { local: true })))

  test(
    "adds no sums across currencies, and guesses none",
    Effect.gen(function* () {
      yield* write
      yield* started(mixed, Effect.void)
      assert.deepStrictEqual(yield* ipcs, ["A 10.0000 EUR", "B 20.0000 USD", "C 5.0000 EUR", "D 7.0000 -"])
      assert.deepStrictEqual(yield* cashflow, ["1 1 10.0000 EUR", "3 1 5.0000 EUR", "2 1 20.0000 USD", "- 1 7.0000 -"])
      assert.deepStrictEqual(yield* vos, ["1 priced 100.0000 EUR", "2 priced 200.0000 USD", "- priced 300.0000 -"])
      yield* started(withCurrencies("CHF", {}), Effect.void)
      assert.deepStrictEqual(yield* ipcs, ["A 10.0000 CHF", "B 20.0000 CHF", "C 5.0000 CHF", "D 7.0000 CHF"])
      yield* started(withCurrencies(null, {}), Effect.void)
      assert.deepStrictEqual(yield* ipcs, ["A 10.0000 -", "B 20.0000 -", "C 5.0000 -", "D 7.0000 -"])
    })
  )

  test(
    "takes a paid IPC's currency from its entries, whatever is configured later",
    Effect.gen(function* () {
      yield* write
      const payment = [heard("A", 1, 9, { project_id: "1" }), certified("A", 1, 10, "10.0000"), paid("A", 5, 11)]
      const post = Effect.flatMap(Ledger, (ledger) =>
        Effect.andThen(
          ledger.hear(payment),
          Effect.flatMap(Copies, ({ catchUp }) => catchUp)
        )
      )
      yield* started(mixed, post)
      yield* started(withCurrencies("CHF", {}), Effect.void)
      assert.deepStrictEqual(yield* ipcs, ["A 10.0000 EUR", "B 20.0000 CHF", "C 5.0000 CHF", "D 7.0000 CHF"])
      assert.deepStrictEqual(yield* cashflow, [
        "2 1 20.0000 CHF",
        "3 1 5.0000 CHF",
        "- 1 7.0000 CHF",
        "1 1 10.0000 EUR"
      ])
      const lines = "select account, debit, credit, currency from construction.ledger_lines order by account"
      assert.deepStrictEqual(yield* rows(lines), ["bank 10.0000 0.0000 EUR", "receivable 0.0000 10.0000 EUR"])
    })
  )

  test(
    "has the configured currencies after every start, and writes them only if they differ",
    Effect.gen(function* () {
      const { version } = yield* Warehouse
      yield* started(mixed, Effect.void)
      const expected = ["2 2 USD", "default - EUR"]
      assert.deepStrictEqual(yield* stored, expected)
      const before = yield* version
      yield* started(mixed, Effect.void)
      assert.strictEqual(yield* version, before)
      yield* started(withCurrencies(null, { "2": "USD" }), Effect.void)
      assert.deepStrictEqual(yield* stored, ["2 2 USD"])
      assert.isAbove(yield* version, before)
    })
  )
})

describe.skipIf(Databases.skipped !== undefined)("workers that start together in PostgreSQL", () => {
  it.live("leave the currencies of the newest terms", () =>
    Effect.gen(function* () {
      const own = yield* database
      const worker = (currency: string | null) =>
        Effect.provide(started(withCurrencies(currency, {}), Effect.void), storesAt(own.url), { local: true })
      const waiting = (count: number) =>
        until(
          Effect.map(
            ask(own, "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
            (rows) => rows.length === count
          )
        )
      yield* worker(null)
      const writer = yield* session(own)
      // It lets a worker read the table, but not write it.
      yield* writer("begin; lock table construction.project_currencies in share mode")
      const first = yield* Effect.forkChild(worker("EUR"))
      yield* waiting(1)
      const second = yield* Effect.forkChild(worker("USD"))
      yield* waiting(2)
      yield* writer("rollback")
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      const found = yield* ask(own, "select id, currency from construction.project_currencies")
      assert.deepStrictEqual(found, [{ id: "default", currency: "USD" }])
    }).pipe(Effect.scoped)
  )
})
