/**
 * Measures an export of generated rows (snapshot, Parquet, hashes, files flushed into a folder, manifest, pointer)
 * beside DuckDB's own COPY of the same tables, whole and one file each, on the same instance. The two alternate in
 * one process; medians are compared. Prints one JSON line; the goal is a ratio of 0.8.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Cron, Duration, Effect, Layer } from "effect"
import { sql } from "kysely"
import { Inbox } from "../src/Inbox.ts"
import { Export } from "../src/Lake/Export.ts"
import * as Folder from "../src/Lake/Folder.ts"
import { Publish } from "../src/Publish.ts"
import * as Sqlite from "../src/Store/Sqlite.ts"
import { Warehouse } from "../src/Warehouse.ts"
import * as DuckDb from "../src/Warehouse/DuckDb.ts"

const events = 1_000_000
const ipcs = 200_000
const dates = 30
const rounds = 3

const directory = mkdtempSync(join(tmpdir(), "siteledger-bench-"))
const warehousePath = join(directory, "warehouse.duckdb")
const stores = DuckDb.layerAt(warehousePath).pipe(
  Layer.provideMerge(Sqlite.layerAt(join(directory, "store.sqlite"))),
  Layer.fresh
)

/** Rows as the worker would write them: bodies of about 200 bytes, ids and hashes that don't repeat. */
const generate = [
  `insert into construction.events
   select sha256(i::varchar), i, 'evt_' || md5(i::varchar), 'ipc.certified', t, 'ipcs', 'IPC-' || (i % ${ipcs}),
     '{"event_type":"ipc.certified","event_timestamp":"' || t || '","ipc_id":"IPC-' || (i % ${ipcs})
       || '","certified_amount":' || (hash(i) % 100000000) || '.25,"certificate_url":"https://example.com/c/' || md5('c' || i)
       || '"}', t, t + interval 2 seconds, 1, 'applied', null, '[]'
   from (select i, timestamptz '2026-11-01 00:00:00Z' + to_milliseconds(i * ${(dates * 86_400_000) / events}) as t
         from range(${events}) r(i))`,
  `insert into construction.ipcs (id, status, project_id, certified_amount, certificate_url, certified_at, _clocks, _changed_at)
   select 'IPC-' || i, 'certified', i % 700, (hash(i) % 100000000)::decimal(28, 4) / 4, 'https://example.com/c/' || md5('c' || i),
     timestamptz '2026-11-20 00:00:00Z', '{"certified_amount":"' || md5('k' || i) || '"}', timestamptz '2026-11-20 00:00:00Z'
   from range(${ipcs}) r(i)`
]

const fill = Effect.promise(async () => {
  const instance = await DuckDBInstance.create(warehousePath)
  const connection = await instance.connect()
  for (const statement of [...generate, "checkpoint"]) await connection.run(statement)
  connection.disconnectSync()
  instance.closeSync()
})

const publish = Layer.succeed(Publish, { now: Effect.void, status: Effect.succeed({ at: null, ageMs: null }) })

/** A lake of its own, so that no date is kept from the round before. */
const exportOnce = (round: number) =>
  Effect.flatMap(Export, (service) => service.run).pipe(
    Effect.provide(
      Export.layer({ dataDir: directory, cron: Cron.parseUnsafe("0 2 * * *", "UTC") }).pipe(
        Layer.provide([Inbox.layer, publish, Folder.layer(join(directory, `lake${round}`))])
      )
    )
  )

const bareCopy = Effect.flatMap(Warehouse, (warehouse) =>
  Effect.forEach(["events", "ipcs"], (name) =>
    warehouse.query((db) =>
      sql
        .raw(`copy construction.${name} to '${join(directory, name)}.parquet' (format parquet, compression zstd)`)
        .execute(db)
    )
  )
)

const secondsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toSeconds(duration))

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const measure = Effect.gen(function* () {
  const own: Array<number> = []
  const bare: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    bare.push(yield* secondsOf(bareCopy))
    own.push(yield* secondsOf(exportOnce(round)))
  }
  const rows = events + ipcs
  const rowsPerSecond = Math.round(rows / median(own))
  const bareRowsPerSecond = Math.round(rows / median(bare))
  const ratio = Number((rowsPerSecond / bareRowsPerSecond).toFixed(2))
  console.log(JSON.stringify({ bench: "export", rows, rowsPerSecond, bareRowsPerSecond, ratio }))
})

await Effect.runPromise(
  // Opened once to make the tables, then filled beside the worker.
  Effect.void.pipe(
    Effect.provide(stores),
    Effect.andThen(fill),
    Effect.andThen(Effect.provide(measure, stores)),
    Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true })))
  )
)
