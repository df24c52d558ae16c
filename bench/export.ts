/**
 * Measures an export of generated rows (snapshot, Parquet, hashes, files flushed into a folder, manifest, pointer)
 * beside the engine's own COPY of the same tables: DuckDB's to one Parquet file each, PostgreSQL's to its client. The
 * two alternate in one process; medians are compared. The most memory is told for a fifth of the events, too, since it
 * is not to grow with them. Prints one JSON line; DuckDB's goal is a ratio of 0.8.
 * Run: node bench/export.ts [--engine postgres]
 */
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Cron, Duration, Effect, Layer } from "effect"
import { sql } from "kysely"
import { stores } from "../pipelines/stores.ts"
import { Inbox } from "../src/Inbox.ts"
import { Export } from "../src/Lake/Export.ts"
import * as Folder from "../src/Lake/Folder.ts"
import { Publish } from "../src/Publish.ts"
import { Warehouse } from "../src/Warehouse.ts"
import { copyOut } from "./BareCopy.ts"
import { settings } from "./BenchSettings.ts"
import { median, peakMb, round as rounded } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { connected } from "./PostgresServer.ts"

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000)
const ipcs = events / 5
const dates = 30
const rounds = Number(process.env["BENCH_ROUNDS"] ?? (Engine.name === "postgres" ? 1 : 3))

await using engine = await Engine.open()
const place = await engine.place()
const bottom = Layer.fresh(Layer.provideMerge(stores, settings(place.environment)))

/** What the two engines spell differently. */
const spelling = {
  duckdb: {
    numbers: (from: number, to: number) => `range(${from}, ${to}) r(i)`,
    number: (text: string) => `(hash(${text}) % 100000000)`,
    sha256: (text: string) => `sha256(${text}::varchar)`,
    json: ""
  },
  postgres: {
    numbers: (from: number, to: number) => `generate_series(${from}::bigint, ${to - 1}) r(i)`,
    number: (text: string) => `(hashint8extended(${text}, 0) & 67108863)`,
    sha256: (text: string) => `encode(sha256((${text})::text::bytea), 'hex')`,
    json: "::json"
  }
}[Engine.name]

const stepMs = (dates * 86_400_000) / events

/** Rows as the worker would write them: bodies of about 200 bytes, ids and hashes that don't repeat. */
const generate = (from: number, to: number): ReadonlyArray<string> => [
  `insert into construction.events
   select ${spelling.sha256("i")}, i, 'evt_' || md5(i::varchar), 'ipc.certified', t, 'ipcs', 'IPC-' || (i % ${ipcs}),
     '{"event_type":"ipc.certified","event_timestamp":"' || t || '","ipc_id":"IPC-' || (i % ${ipcs})
       || '","certified_amount":' || ${spelling.number("i")} || '.25,"certificate_url":"https://example.com/c/'
       || md5('c' || i) || '"}', t, t + interval '2 seconds', 1, 'applied', null, '[]'
   from (select i, timestamptz '2026-11-01 00:00:00Z' + i * ${stepMs}::double precision * interval '1 millisecond' as t
         from ${spelling.numbers(from, to)}) as given`,
  `insert into construction.ipcs
     (id, status, project_id, certified_amount, certificate_url, certified_at, _clocks, _changed_at)
   select 'IPC-' || i, 'certified', i % 700, ${spelling.number("i")}::decimal(28, 4) / 4,
     'https://example.com/c/' || md5('c' || i), timestamptz '2026-11-20 00:00:00Z',
     ('{"certified_amount":"' || md5('k' || i) || '"}')${spelling.json}, timestamptz '2026-11-20 00:00:00Z'
   from ${spelling.numbers(from / 5, to / 5)}`
]

/** Beside the worker. */
const fill = async (from: number, to: number): Promise<void> => {
  const statements = generate(from, to)
  if (place.url !== undefined) {
    return connected(place.url, async (client) => {
      for (const statement of [...statements, "analyze"]) await client.query(statement)
    })
  }
  const instance = await DuckDBInstance.create(join(place.directory, "warehouse.duckdb"))
  const connection = await instance.connect()
  for (const statement of [...statements, "checkpoint"]) await connection.run(statement)
  connection.disconnectSync()
  instance.closeSync()
}

const publish = Layer.succeed(Publish, { now: Effect.void, status: Effect.succeed({ at: null, ageMs: null }) })

/** A lake of its own, so that no date is kept from the round before. */
const exportOnce = (name: string) =>
  Effect.flatMap(Export, (service) => service.run).pipe(
    Effect.provide(
      Export.layer({ dataDir: place.directory, cron: Cron.parseUnsafe("0 2 * * *", "UTC") }).pipe(
        Layer.provide([Inbox.layer, publish, Folder.layer(join(place.directory, `lake-${name}`))])
      )
    )
  )

const copied = ["events", "ipcs"]

const parquet = Effect.flatMap(Warehouse, (warehouse) =>
  Effect.forEach(copied, (name) =>
    warehouse.query((db) =>
      sql
        .raw(`copy construction.${name} to '${join(place.directory, name)}.parquet' (format parquet, compression zstd)`)
        .execute(db)
    )
  )
)

const toClient = (url: string) =>
  Effect.promise(() =>
    connected(url, async (client) => {
      for (const name of copied) await copyOut(client, `copy (select * from construction.${name}) to stdout`)
    })
  )

const bareCopy = place.url === undefined ? parquet : toClient(place.url)

const secondsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toSeconds(duration))

/** As long as it lasts, the worker has the stores open; between two such, they are filled. */
const withStores = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof bottom>>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, bottom, { local: true })))

const compare = Effect.gen(function* () {
  const own: Array<number> = []
  const bare: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    bare.push(yield* secondsOf(bareCopy))
    own.push(yield* secondsOf(exportOnce(String(round))))
  }
  return { own: median(own), bare: median(bare) }
})

await withStores(Effect.void)
const emptySeconds = await withStores(secondsOf(exportOnce("empty")))
await fill(0, events / 5)
await withStores(exportOnce("fifth"))
const peakMbFifth = peakMb()
await fill(events / 5, events)
const { bare, own } = await withStores(compare)
const rows = events + ipcs
process.stdout.write(
  `${JSON.stringify({
    bench: "export",
    engine: Engine.name,
    rows,
    rowsPerSecond: Math.round(rows / own),
    bareRowsPerSecond: Math.round(rows / bare),
    ratio: rounded(bare / own, 2),
    emptySeconds: rounded(emptySeconds, 2),
    peakMbFifth,
    peakMb: peakMb()
  })}\n`
)
