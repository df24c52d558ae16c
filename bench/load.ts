/**
 * A walk of a million projects end to end (HTTP → parse → merge → DuckDB → checkpoint), beside the bare DuckDB
 * Appender on the same rows in the same run; and with 200 ms latency beside the floor that latency sets.
 * The Appender is measured twice: value by value, as its documentation shows it, and in whole columns, which is the
 * fastest way that is known to fill it. Goals: 0.4 of the Appender's documented way, 400 MB at the peak, 0.95 of the
 * floor one at a time, 0.85 with 8 in flight.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DuckDBAppender, DuckDBInstance, DuckDBTimestampTZValue } from "@duckdb/node-api"
import { ConfigProvider, Duration, Effect, Layer } from "effect"
import * as Settings from "../config/Settings.ts"
import * as Construction from "../connectors/construction/Construction.ts"
import { service } from "../pipelines/service.ts"
import { stores } from "../pipelines/stores.ts"
import { Subscription } from "../src/Subscription.ts"
import { Walk } from "../src/Walk.ts"
import { appendColumns } from "../src/Warehouse/DuckDbDialect/Values.ts"
import { entityTable } from "../src/Warehouse/Tables.ts"

const subscribed = Layer.succeed(
  Subscription,
  Subscription.of({
    attempted: Effect.void,
    status: Effect.succeed({ url: "", verifiedAt: null, obsolete: [], toDelete: [] })
  })
)

const seconds = (from: number): number => (performance.now() - from) / 1000

const walk = async (total: number, latencyMs: number, concurrency: number): Promise<number> => {
  const dataDir = mkdtempSync(join(tmpdir(), "siteledger-load-"))
  const server = spawn(process.execPath, [join(import.meta.dirname, "ListServer.ts"), String(total), String(latencyMs)])
  const [port] = (await once(server.stdout, "data")) as [Buffer]
  const origin = `http://127.0.0.1:${String(port).trim()}`
  const provider = ConfigProvider.fromEnvRecord({
    SITELEDGER_BASE_URL: `${origin}/v1`,
    SITELEDGER_AUTH_URL: origin,
    SITELEDGER_CLIENT_ID: "bench",
    SITELEDGER_CLIENT_SECRET: "bench-secret",
    SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:1/",
    SITELEDGER_REQUESTS_PER_MINUTE: "600000",
    SITELEDGER_DATA_DIR: dataDir
  })
  const worker = Walk.layerWith({ every: Duration.hours(1), pageSize: 1000, concurrency }).pipe(
    Layer.provideMerge(Construction.layer),
    Layer.provideMerge(subscribed),
    Layer.provideMerge(service),
    Layer.provideMerge(stores),
    Layer.provideMerge(Settings.layerAll),
    Layer.provide(ConfigProvider.layer(provider))
  )
  const through = Effect.gen(function* () {
    const service = yield* Walk
    const from = performance.now()
    while (!(yield* service.isThrough)) yield* Effect.sleep("5 millis")
    return seconds(from)
  })
  const took = await Effect.runPromise(Effect.scoped(Effect.provide(through, worker)))
  server.kill()
  rmSync(dataDir, { recursive: true, force: true })
  return total / took
}

const at = "2026-11-20T02:00:00.000000Z"
const atMicros = BigInt(Date.parse(at)) * 1000n
const clock = "1795190324983000.0.f3de379ffa315019"
const clocks = JSON.stringify({ _deleted_at: clock, name: clock, status: clock })
const projects = entityTable("projects")

/** Rows/s of the Appender alone, filled with the rows of a walk into a table with the same key. */
const bareAppender = async (total: number, fill: (appender: DuckDBAppender, total: number) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-bare-"))
  const instance = await DuckDBInstance.create(join(folder, "bare.duckdb"), { threads: "2" })
  const connection = await instance.connect()
  const columns = projects.columns.map(([name, type]) => `"${name}" ${type}${name === "id" ? " primary key" : ""}`)
  await connection.run(`create table projects (${columns.join(", ")})`)
  const from = performance.now()
  const appender = await connection.createAppender("projects")
  fill(appender, total)
  appender.closeSync()
  const rate = total / seconds(from)
  connection.disconnectSync()
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
  return rate
}

const byValue = (appender: DuckDBAppender, total: number): void => {
  for (let id = 1; id <= total; id++) {
    appender.appendBigInt(BigInt(id))
    appender.appendVarchar(`Project number ${id}`)
    appender.appendVarchar("in-progress")
    appender.appendNull()
    appender.appendVarchar(clocks)
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(atMicros))
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(atMicros))
    appender.appendNull()
    appender.endRow()
  }
}

const byColumn = (appender: DuckDBAppender, total: number): void => {
  for (let first = 1; first <= total; first += 20_000) {
    const ids = Array.from({ length: 20_000 }, (_, index) => String(first + index))
    const same = (text: string | null) => ids.map(() => text)
    const names = ids.map((id) => `Project number ${id}`)
    const values = [ids, names, same("in-progress"), same(null), same(clocks), same(at), same(at), same(null)]
    const types = projects.columns.map(([, type]) => type)
    appendColumns(appender, types, values)
  }
}

/** The most memory that this process ever held (VmHWM), in MB. */
const peakMb = (): number => {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}

const total = Number(process.env["BENCH_ROWS"] ?? 1_000_000)
const rowsPerSecond = await walk(total, 0, 8)
const walkPeakMb = peakMb()
const bareRowsPerSecond = await bareAppender(total, byValue)
const bareColumnsRowsPerSecond = await bareAppender(total, byColumn)
const oneAtATime = await walk(100_000, 200, 1)
const eightInFlight = await walk(200_000, 200, 8)
const round = (value: number): number => Math.round(value * 1000) / 1000
process.stdout.write(
  `${JSON.stringify({
    bench: "load",
    rows: total,
    rowsPerSecond: Math.round(rowsPerSecond),
    bareRowsPerSecond: Math.round(bareRowsPerSecond),
    ratio: round(rowsPerSecond / bareRowsPerSecond),
    bareColumnsRowsPerSecond: Math.round(bareColumnsRowsPerSecond),
    ratioToColumns: round(rowsPerSecond / bareColumnsRowsPerSecond),
    peakMb: walkPeakMb,
    shareOfFloorOneAtATime: round(oneAtATime / 5_000),
    shareOfFloorEightInFlight: round(eightInFlight / 40_000)
  })}\n`
)
