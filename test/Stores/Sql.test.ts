/** Statements that differ between the Store's engines have the same effect in both. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { insertAll } from "../../src/Stores/Sql.ts"
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
})
