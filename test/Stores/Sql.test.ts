/** Statements that differ between the Store's engines have the same effect in both. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import { insertAll, insertTogether } from "../../src/Stores/Sql.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Databases from "../Postgres.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { database, storesAt } from "./Postgres/World.ts"

const embedded: Layer.Layer<Store, unknown> = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.sync(temporaryFolder), (folder) => Effect.sync(() => removeFolder(folder))),
    (folder) => Sqlite.layerAt(`${folder}/store.sqlite`)
  )
)
const onServer: Layer.Layer<Store, unknown> = Layer.unwrap(Effect.map(database, ({ url }) => storesAt(url)))

const at = "2026-11-20T02:00:00.000000Z"
const facts = ["plain", 'quotes " and \\ and \n', "Ünï😀", "{}", ""].map((content, place) => ({
  number: 9_007_199_254_740_000 + place,
  ipc_id: "IPC-1",
  kind: "payment",
  chain: null,
  known_at: at,
  content
}))

/** What the first fact led to. */
const entry = {
  entry_id: "1".repeat(32),
  sequence: 1,
  ipc_id: "IPC-1",
  project_id: null,
  kind: "payment",
  amount: "1.0000",
  currency: "EUR",
  payment_reference: "PAY-1",
  certificate_url: null,
  debit_account: "bank",
  credit_account: "receivable",
  effective_at: at,
  known_at: at,
  event_id: null,
  reverses: null,
  part: "",
  basis: "{}",
  fact: 1,
  posting_date: null,
  epoch: null,
  certified_as: null,
  lines: null,
  queued: null,
  chain: null
} as const

describe.each([
  { engine: "SQLite", isSkipped: false, stores: embedded },
  { engine: "PostgreSQL", isSkipped: Databases.skipped !== undefined, stores: onServer }
])("rows inserted together in $engine", ({ isSkipped, stores }) => {
  it.live.skipIf(isSkipped)("come back as they are, but for lone surrogates", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const lone = { ...facts[0]!, number: 1, ipc_id: "a\ud800b" }
      yield* store.transaction((tx) => insertAll(tx, "ledger_facts", [lone, ...facts]))
      yield* store.transaction((tx) => insertAll(tx, "ledger_facts", []))
      const rows = yield* store.run((db) => db.selectFrom("ledger_facts").selectAll().orderBy("number").execute())
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [{ ...lone, ipc_id: "a\ufffdb" }, ...facts]
      )
    }).pipe(Effect.provide(stores), Effect.scoped)
  )

  it.live.skipIf(isSkipped)("of several tables arrive in one statement, which checks what refers to what", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const fact = { ...facts[0]!, number: 1 }
      yield* store.transaction((tx) => insertTogether(tx, {}))
      yield* store.transaction((tx) =>
        insertTogether(tx, { ledger_facts: [fact], ledger_entries: [entry], ledger_outbox: [] })
      )
      const refused = { ...entry, entry_id: "2".repeat(32), sequence: 2, payment_reference: "PAY-2", fact: 2 }
      const outcome = yield* Effect.result(
        store.transaction((tx) =>
          insertTogether(tx, { ledger_facts: [{ ...fact, number: 3 }], ledger_entries: [refused] })
        )
      )
      assert.strictEqual(outcome._tag, "Failure", "there is no fact 2")
      const stored = yield* store.run(async (db) => ({
        facts: await db.selectFrom("ledger_facts").select("number").execute(),
        entries: await db.selectFrom("ledger_entries").selectAll().execute()
      }))
      assert.deepStrictEqual(
        stored.facts.map((row) => row.number),
        [1]
      )
      assert.deepStrictEqual(
        stored.entries.map((row) => ({ ...row })),
        [entry]
      )
      if (store.engine !== "postgres") return
      const { rows } = yield* store.run((db) =>
        sql<{ command: string }>`
          select cmin::text as command from ledger_facts union all select cmin::text from ledger_entries`.execute(db)
      )
      assert.strictEqual(rows[0]?.command, rows[1]?.command)
    }).pipe(Effect.provide(stores), Effect.scoped)
  )
})
