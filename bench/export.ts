/**
 * Measures an export of generated rows (snapshot, Parquet, hashes, files fsynced into a folder, manifest, pointer),
 * compared with the engine's own COPY of the same tables: DuckDB's to one Parquet file each with as much memory as it
 * wants, PostgreSQL's to its client. The two alternate in one process; medians are compared. Peak memory is also
 * measured for a fifth of the events, because it must not grow with them. The last export is repeated without a change,
 * and once more after the newest hundredth of the records has changed. Prints one JSON line. The goals: a ratio of 1 on
 * DuckDB and 0.6 on PostgreSQL; 5 s, 5 s of processor time and 1 MB for an export after which nothing has changed; and
 * 0.3 of the whole export's time and 25 MB for the last export.
 * Run: node bench/export.ts [--engine postgres]
 */
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Cron, Duration, Effect, Layer } from "effect"
import { sql } from "kysely"
import { stores } from "../pipelines/stores.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import { Export } from "../src/Lake/Export.ts"
import * as Folder from "../src/Lake/Folder.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import { AnalystCopy } from "../src/Lake/AnalystCopy.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import { copyOut } from "./BareCopy.ts"
import { settings } from "./BenchSettings.ts"
import { median, peakMb, round as rounded, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { connected } from "./PostgresServer.ts"

const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000)
const ipcs = Number(process.env["BENCH_ENTITIES"] ?? events)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? (Engine.name === "postgres" ? 1 : 3))

await using engine = await Engine.open()
const place = await engine.place()
const bottom = Layer.fresh(Layer.provideMerge(stores, settings(place.environment)))

/** In its own process, so its memory isn't counted. */
const fill = async (from: number, to: number): Promise<void> => {
  const where = place.url ?? join(place.directory, "warehouse.duckdb")
  await start("ExportRows.ts", "--engine", Engine.name, where, events, ipcs, from, to)
}

const publish = Layer.succeed(AnalystCopy, {
  now: Effect.void,
  beside: Effect.void,
  check: Effect.void,
  query: () => Effect.undefined,
  status: Effect.succeed({ at: null, ageMs: null })
})

/** Each round has its own lake, so that no file of a date is reused from an earlier round. */
const exportOnce = (name: string) =>
  Effect.flatMap(Export, (service) => service.run).pipe(
    Effect.provide(
      Export.layerWith({
        dataDir: place.directory,
        exportCron: Cron.parseUnsafe("0 2 * * *", "UTC"),
        lakeKeep: { newest: 30, for: Duration.days(30) },
        lakeDelta: false
      }).pipe(
        Layer.provide([Inbox.layer, Reasons.layer, publish, Folder.layerAt(join(place.directory, `lake-${name}`))])
      )
    )
  )

const copied = ["events", "ipcs"]

/** With DuckDB's own settings, so with as much memory as it wants. */
const parquet = Effect.promise(async () => {
  const instance = await DuckDBInstance.create(join(place.directory, "warehouse.duckdb"), { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  for (const name of copied) {
    const path = join(place.directory, `${name}.parquet`)
    await connection.run(`copy construction.${name} to '${path}' (format parquet, compression zstd)`)
  }
  connection.disconnectSync()
  instance.closeSync()
})

const toClient = (url: string) =>
  Effect.promise(() =>
    connected(url, async (client) => {
      for (const name of copied) await copyOut(client, `copy (select * from construction.${name}) to stdout`)
    })
  )

const bareCopy = place.url === undefined ? parquet : toClient(place.url)

const secondsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toSeconds(duration))

/** The worker has the stores open during the effect; they are filled between effects. */
const withStores = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof bottom>>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, bottom, { local: true })))

/** Into a lake that already has an export of the same rows. */
const repeated = (name: string) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    const [duration, { bytesWritten }] = yield* Effect.timed(exportOnce(name))
    const { system, user } = process.cpuUsage(before)
    return {
      seconds: rounded(Duration.toSeconds(duration), 2),
      cpuSeconds: rounded((system + user) / 1e6, 2),
      mbWritten: rounded(bytesWritten / 1e6, 2)
    }
  })

const changeNewest = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) =>
    sql`
      update construction.ipcs set certified_amount = certified_amount + 1
      where _first_seen_at >= (select max(_first_seen_at) - (max(_first_seen_at) - min(_first_seen_at)) / 100 from construction.ipcs)`.execute(
      db
    )
  )
)

const compare = async () => {
  const own: Array<number> = []
  const bare: Array<number> = []
  let peak = 0
  for (let round = 0; round < rounds; round++) {
    own.push(await withStores(secondsOf(exportOnce(String(round)))))
    // Measured before the other side has used any memory.
    if (round === 0) peak = peakMb()
    bare.push(await Effect.runPromise(secondsOf(bareCopy)))
  }
  return { own: median(own), bare: median(bare), peak }
}

await withStores(Effect.void)
const emptySeconds = await withStores(secondsOf(exportOnce("empty")))
await fill(0, events / 5)
await withStores(exportOnce("fifth"))
const peakMbFifth = peakMb()
await fill(events / 5, events)
const { bare, own, peak } = await compare()
const again = await withStores(repeated(String(rounds - 1)))
await withStores(changeNewest)
const changed = await withStores(repeated(String(rounds - 1)))
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
    peakMb: peak,
    unchanged: again,
    changed: { ...changed, share: rounded(changed.seconds / own, 2) }
  })}\n`
)
