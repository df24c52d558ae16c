/**
 * What the first release left on disk is opened by this one, with all that is in it. `Released/` holds dumps of the
 * files that its migrations made; they change with no migration.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { query, removeFolder, temporaryFolder } from "../RunningWorker.ts"

const dumped = (name: string) => readFileSync(join(import.meta.dirname, "../Released", `${name}.sql`), "utf8")

const released = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
    Effect.sync(() => removeFolder(path))
  )
  const paths = { store: join(folder, "store.sqlite"), warehouse: join(folder, "warehouse.duckdb") }
  const store = new DatabaseSync(paths.store)
  store.exec(dumped("store"))
  store.close()
  yield* Effect.promise(async () => {
    const instance = await DuckDBInstance.create(paths.warehouse)
    const connection = await instance.connect()
    await connection.run(dumped("warehouse"))
    connection.disconnectSync()
    instance.closeSync()
  })
  return paths
})

const ids = ["7", "007", "-3", "1234567890123456789", "zone-b"]
const bad = { sha256: "ab".repeat(32), record: "{}" }

/** The second pass goes on, and a third one shows every id that was seen before, as the same. */
const assertWalked = Effect.fnUntraced(function* (store: Store["Service"]) {
  const second = yield* Checkpoints.load(store, "projects")
  assert.deepInclude(second, { pass: 2, rows: 5, total: 5, started_at: "2026-11-20T07:00:00.000000Z" })
  assert.deepStrictEqual([...(yield* Checkpoints.finishedPages(store, "projects"))], [1])
  const third = { ...second!, pass: 3 }
  assert.deepStrictEqual(yield* Checkpoints.absentIds(store, third, 10), ["zone-b"])
  assert.strictEqual(yield* Checkpoints.save(store, third, [{ page: 2, ids, bad: [bad] }], third.started_at), 6)
  const sightings = yield* store.run((db) => db.selectFrom("sightings").selectAll().execute())
  assert.strictEqual(sightings.length, 6, "no id is there twice")
  assert.isTrue(sightings.every(({ last_pass }) => last_pass === 3))
})

it.effect("the first release's store and warehouse are opened with all that is in them", () =>
  Effect.gen(function* () {
    const paths = yield* released
    const layer = Inbox.layer.pipe(
      Layer.provideMerge(DuckDb.layerAt(paths.warehouse)),
      Layer.provideMerge(Sqlite.layerAt(paths.store))
    )
    yield* Effect.gen(function* () {
      const store = yield* Store
      const inbox = yield* Inbox
      yield* Warehouse
      const { events, through } = yield* inbox.take(10)
      assert.strictEqual(through, 3)
      assert.deepStrictEqual(
        events.map(({ sequence, eventId, headerType, otherTypes, deliveries }) => ({
          sequence,
          eventId,
          headerType,
          otherTypes,
          deliveries
        })),
        [
          { sequence: 1, eventId: "e-1", headerType: "ipc.paid", otherTypes: ["ipc.closed"], deliveries: 2 },
          { sequence: 3, eventId: "e-1", headerType: null, otherTypes: [], deliveries: 1 }
        ]
      )
      assert.deepStrictEqual([...(yield* inbox.reusedIds([3]))], [3])

      yield* assertWalked(store)
      assert.deepStrictEqual(
        yield* store.run((db) => db.selectFrom("subscriptions").select(["url", "secret"]).execute()),
        [{ url: "https://x.example/hook", secret: null }]
      )
      const uptime = yield* store.run((db) => db.selectFrom("uptime").selectAll().execute())
      assert.deepStrictEqual(uptime, [{ id: 1, from_ms: 1_795_158_000_000, to_ms: 1_795_161_600_000 }])
    }).pipe(Effect.provide(layer), Effect.scoped)

    const rows = yield* Effect.promise(() =>
      query(
        paths.warehouse,
        `select ipcs.id, certified_amount, payment_reference, projects.name, event_id,
          (select count(*) from construction.ledger_entries) as entries
        from construction.ipcs, construction.projects, construction.events`
      )
    )
    assert.deepStrictEqual(rows, [
      {
        id: "IPC-1",
        certified_amount: "1234.5000",
        payment_reference: "P-1",
        name: "North",
        event_id: "e-1",
        entries: "0"
      }
    ])
  })
)
