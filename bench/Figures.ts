/**
 * The figures of docs/performance.md: where each is in a benchmark's JSON line, what it measures, and its goal.
 */
import type { Figure } from "./Figure.ts"
import { exportFigures } from "./ExportFigures.ts"
import { listFigures } from "./ListFigures.ts"

const stream = "wrk, 64 connections, applying beside it"
const stored = "at `stored` events"
const alone = "a whole worker, cumulative certificates, payable rules"
const atOnce = "by a sink that answers at once"
const posting = { bench: "ledger", unit: "ms" }
const telemetry = { bench: "telemetry", of: "a worker that sends none, in turns" }
const dashboards = { bench: "dashboard", of: "the same worker without any, in turns" }
const pages = { bench: "pages", unit: "ms", of: "1,000,000 events, 100,000 entries, through HTTP" }
const memory = { bench: "size", unit: "MB", of: stored, atMost: 180 } as const
const copy = { bench: "size", of: "made from the one before, at `stored` events" }

export const figures: ReadonlyArray<Figure> = [
  { figure: "accepted, sustained", bench: "stream", at: "sustained.perSecond", unit: "/s", of: stream },
  { figure: "the same, of bare", bench: "stream", at: "ratio", of: "bare node:http + HMAC", atLeast: 0.3 },
  {
    figure: "processor time of a delivery",
    bench: "stream",
    at: "cpuMicrosPerDelivery",
    unit: "µs",
    of: "all threads of the worker",
    atMost: 60
  },
  {
    figure: "the same of bare",
    bench: "stream",
    at: "bareCpuMicrosPerDelivery",
    unit: "µs",
    of: "bare node:http + HMAC"
  },
  {
    figure: "the same of the database",
    bench: "stream",
    at: "serverCpuMicrosPerDelivery",
    unit: "µs",
    of: "all of PostgreSQL's processes"
  },
  { figure: "answered, p99", bench: "stream", at: "p99Ms", unit: "ms", of: stream },
  { figure: "oldest pending", bench: "stream", at: "oldestMs", unit: "ms", of: stream, atMost: 2000 },
  { figure: "paid → posted, worst p99", bench: "stream", at: "postedP99Ms", unit: "ms", of: stream, atMost: 1000 },
  { ...posting, figure: "paid → entry at 50/s, p99", at: "at50.postedP99Ms", of: alone, atMost: 40 },
  { ...posting, figure: "paid → acknowledged at 50/s, p99", at: "at50.acknowledgedP99Ms", of: atOnce, atMost: 50 },
  { ...posting, figure: "bare POSTs at 50/s, p99", at: "at50.bareP99Ms", of: "to the same sink" },
  { ...posting, figure: "paid → entry at 200/s, p99", at: "at200.postedP99Ms", of: alone, atMost: 100 },
  { ...posting, figure: "paid → acknowledged at 200/s, p99", at: "at200.acknowledgedP99Ms", of: atOnce, atMost: 100 },
  {
    ...posting,
    figure: "paid → entry at 50/s, p99",
    at: "fleet.at50.postedP99Ms",
    of: "several workers on one database"
  },
  {
    ...posting,
    figure: "`ledger verify`",
    at: "verifySeconds",
    unit: "s",
    of: "100,000 entries, all bodies",
    atMost: 6
  },
  {
    figure: "accepted, of the closest peer",
    bench: "peer",
    at: "ratio",
    of: "stripe-sync-engine 0.48.5, same server",
    atLeast: 5
  },
  {
    figure: "p99 at the peer's greatest rate",
    bench: "peer",
    at: "openLoop.ofPeersP99",
    of: "of the peer's p99; open loop",
    atMost: 1
  },
  { ...telemetry, figure: "applied, with all telemetry sent", at: "ratio", atLeast: 0.9 },
  { ...telemetry, figure: "its processor time", at: "cpuRatio", atMost: 1.1 },
  {
    ...telemetry,
    figure: "the same at 100/s",
    at: "trickleCpuRatio",
    of: "each delivery has all its spans",
    atMost: 1.2
  },
  { ...dashboards, figure: "20 dashboards at 100/s", at: "core", unit: "of a core", atMost: 0.05 },
  { ...dashboards, figure: "accepted → applied meanwhile, p99", at: "visibleRatio", atMost: 1.1 },
  { ...pages, figure: "a list of the dashboard, the median one", at: "lists.p50Ms" },
  { ...pages, figure: "the slowest answer of the slowest list", at: "lists.slowestMs", atMost: 200 },
  { ...pages, figure: "a report of the books, the slowest", at: "reports.slowestMs" },
  { figure: "receiver alone, of bare", bench: "ingest", at: "ratio", of: "bare node:http + HMAC", atLeast: 0.6 },
  {
    figure: "load of wide records",
    bench: "load",
    at: "rowsPerSecond",
    unit: "rows/s",
    of: "12 fields, 9 of them unknown"
  },
  {
    figure: "the same, of a script or COPY",
    bench: "load",
    at: "ratio",
    of: "DuckDB: fetch, JSON.parse, Appender; PostgreSQL: a COPY of the rows that the worker stores, made before",
    atLeast: { duckdb: 0.5, postgres: 0.6 }
  },
  { figure: "the same, of dlt", bench: "load", at: "dlt.ratio", of: "dlt, same pages", atLeast: 5 },
  {
    figure: "peak memory of a load",
    bench: "load",
    at: "peakMb",
    unit: "MB",
    of: "with the copy for analysts",
    atMost: 400
  },
  {
    figure: "the same, three times the rows",
    bench: "load",
    at: "peakMbOfMore",
    unit: "MB",
    of: "it must not grow",
    atMost: 400
  },
  {
    figure: "processor time at 100/s",
    bench: "size",
    at: "small.trickle.cpuMsPerEvent",
    unit: "ms/event",
    of: "a small store, publishing included",
    atMost: 1
  },
  {
    figure: "processor time at 100/s",
    bench: "size",
    at: "large.trickle.cpuMsPerEvent",
    unit: "ms/event",
    of: "at `stored` events, publishing included",
    atMost: 1
  },
  {
    figure: "the same without publishing",
    bench: "size",
    at: "large.trickle.withoutCopies.cpuMsPerEvent",
    unit: "ms/event",
    of: stored
  },
  {
    figure: "accepted → applied at 100/s, p99",
    bench: "size",
    at: "small.trickle.visibleAfterP99Ms",
    unit: "ms",
    of: "a small store",
    atMost: 100
  },
  {
    figure: "accepted → applied at 100/s, p99",
    bench: "size",
    at: "large.trickle.visibleAfterP99Ms",
    unit: "ms",
    of: stored,
    atMost: 200
  },
  {
    figure: "bytes written for a delivery",
    bench: "size",
    at: "large.trickle.writtenPerEvent",
    unit: "B",
    of: "all files, at 100/s, publishing included",
    atMost: 6000
  },
  {
    figure: "the same without publishing",
    bench: "size",
    at: "large.trickle.withoutCopies.writtenPerEvent",
    unit: "B",
    of: stored
  },
  {
    figure: "burst, processor time",
    bench: "size",
    at: "small.burst.cpuMicrosPerEvent",
    unit: "µs/event",
    of: "a small store",
    atMost: 80
  },
  {
    figure: "burst, processor time",
    bench: "size",
    at: "large.burst.cpuMicrosPerEvent",
    unit: "µs/event",
    of: stored,
    atMost: 100
  },
  {
    figure: "events stored",
    bench: "size",
    at: "stored",
    of: "most of kinds that move no money, filled in at once",
    atLeast: 5_000_000
  },
  {
    figure: "catching up",
    bench: "size",
    at: "catchingUp.perSecond",
    unit: "/s",
    of: "a backlog of IPCs, at `stored` events",
    atLeast: 30_000
  },
  {
    figure: "`rebuild`",
    bench: "size",
    at: "rebuild.eventsPerSecond",
    unit: "/s",
    of: "its first half minute, at `stored` events",
    atLeast: 30_000
  },
  { figure: "`/status` meanwhile, p99", bench: "size", at: "rebuild.statusP99Ms", unit: "ms", of: stored, atMost: 50 },
  {
    figure: "live after a stop",
    bench: "size",
    at: "large.restartMs.stopped.liveMs",
    unit: "ms",
    of: stored,
    atMost: 1000
  },
  {
    figure: "live after kill -9",
    bench: "size",
    at: "large.restartMs.killed.liveMs",
    unit: "ms",
    of: stored,
    atMost: 3000
  },
  { figure: "whole copy for analysts", bench: "size", at: "large.publish.whole.seconds", unit: "s", of: stored },
  { figure: "its processor time", bench: "size", at: "large.publish.whole.cpuSeconds", unit: "s", of: stored },
  { figure: "its bytes written", bench: "size", at: "large.publish.whole.writtenMb", unit: "MB", of: stored },
  { figure: "first copy after a stop", bench: "size", at: "large.publish.afterStop.seconds", unit: "s", of: stored },
  { figure: "its processor time", bench: "size", at: "large.publish.afterStop.cpuSeconds", unit: "s", of: stored },
  { ...copy, figure: "copy for analysts, some events changed", at: "large.trickle.copy.seconds", unit: "s", atMost: 2 },
  { ...copy, figure: "its processor time", at: "large.trickle.copy.cpuSeconds", unit: "s", atMost: 1 },
  { ...copy, figure: "its bytes written", at: "large.trickle.copy.writtenMb", unit: "MB", atMost: 20 },
  { figure: "idle", bench: "size", at: "large.idle.cpuShare", unit: "of a core", of: stored, atMost: 0.005 },
  { ...memory, figure: "memory, idle", at: "large.idle.residentMb" },
  { ...memory, figure: "memory, idle after a burst", at: "large.afterBurst.residentMb" },
  ...listFigures,
  ...exportFigures
]
