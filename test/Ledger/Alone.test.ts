/**
 * The books without a worker (as `siteledger replay` opens them) use the newest worker's terms, not the settings. If there
 * was no worker yet, the settings are the first terms.
 */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as Settings from "../../config/Settings.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import type { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { accounts, letters, sending } from "./Outbox/SinkWorld.ts"
import { folder, hear, journal, payment, verified } from "./Started.ts"

/** A verb in a shell with another perspective and no sink. */
const alone = <A, E>(path: string, body: Effect.Effect<A, E, Ledger | Copies | Store | Warehouse>) => {
  const environment = { SITELEDGER_DATA_DIR: path, SITELEDGER_LEDGER_PERSPECTIVE: "employer" }
  const layer = Layer.provideMerge(Copies.layer, Ledger.layerAlone).pipe(
    Layer.provide(Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))))),
    Layer.provideMerge(DuckDb.layerAt(`${path}/warehouse.duckdb`)),
    Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`))
  )
  return Effect.scoped(Effect.provide(body, layer, { local: true }))
}

const terms = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_terms").select("content").execute())
)

const differences = Effect.map(verified, (result) => result.differences)

it.live("events applied without a worker are posted and queued by the newest worker's terms", () =>
  Effect.gen(function* () {
    const [path, to] = yield* Effect.all([folder, accounts])
    const certificates = { standard: "each", payable: [], byProject: {} } as const
    yield* sending(path, to, { status: "posted", certificates }, hear(payment("A")))
    yield* alone(
      path,
      Effect.gen(function* () {
        yield* hear(payment("B"))
        assert.deepStrictEqual(
          (yield* journal).map(({ debit_account, ipc_id }) => [ipc_id, debit_account]),
          [
            ["A", "bank"],
            ["B", "bank"]
          ]
        )
        assert.deepInclude((yield* letters)[1], { ipc_id: "B", status: "posted", state: "pending" })
        assert.strictEqual((yield* terms).length, 1)
        assert.deepStrictEqual(yield* differences, [])
      })
    )
  }).pipe(Effect.scoped)
)

it.live("before any worker has started, the settings become the terms when something is posted", () =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* alone(
      path,
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* terms, [])
        yield* hear(payment("A"))
        assert.deepStrictEqual(
          (yield* journal).map(({ debit_account }) => debit_account),
          ["payable"]
        )
        assert.deepStrictEqual(yield* differences, [])
      })
    )
  }).pipe(Effect.scoped)
)
