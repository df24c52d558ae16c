/**
 * Runs benchmarks on every engine, each in its own process, one after the other, and prints the JSON line of each
 * without logs; to stderr how long each took. The header comment of each states its goals. Exits with 0 if every
 * benchmark finished.
 *
 * Run: npm run bench -- [--quick] [--write] [NAME…]. Without names it measures how fast a worker is as users run it, in
 * about 40 minutes; books, many lists, dashboards, telemetry and parts are measured only if they are named. Quick
 * benchmarks cover all but the parts. They are small and run once, three at a time, in about three minutes: they show
 * that a change broke nothing, not what it costs. `--write` keeps the lines and writes docs/performance.md from them.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { engines } from "./Engine.ts"
import { write } from "./Write.ts"

/** How fast a worker is as users run it, on both engines. */
const main = ["size", "load", "ingest", "stream", "export"]
/** The other benchmarks with goals. */
const others = ["ledger", "lists", "wide", "telemetry", "dashboard", "pages"]
/** Parts of those, measured alone. */
const parts = ["walk", "apply", "sink"]

type Group = "main" | "others" | "parts"

interface Bench {
  readonly name: string
  readonly engine: (typeof engines)[number]
  readonly group: Group
}

const onBoth = (names: ReadonlyArray<string>, group: Group): ReadonlyArray<Bench> =>
  names.flatMap((name) => engines.map((engine) => ({ name, engine, group })))

/** Discovery, pace and uploads don't depend on the engine, and the peer has only PostgreSQL. */
const benches: ReadonlyArray<Bench> = [
  { name: "discover", engine: "duckdb", group: "main" },
  { name: "peer", engine: "postgres", group: "main" },
  ...onBoth(main, "main"),
  ...onBoth(others, "others"),
  { name: "pace", engine: "duckdb", group: "parts" },
  { name: "upload", engine: "duckdb", group: "parts" },
  ...onBoth(parts, "parts")
]

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" }, write: { type: "boolean" } },
  allowPositionals: true,
  strict: false
})
const unknown = [
  ...positionals.filter((name) => !benches.some((bench) => bench.name === name)),
  ...Object.keys(values).flatMap((name) => (name === "quick" || name === "write" ? [] : [`--${name}`]))
]
if (unknown.length > 0) {
  const names = [...new Set(benches.map(({ name }) => name))].join(", ")
  process.stderr.write(`Unknown: ${unknown.join(", ")}. There are --quick, --write, and these benchmarks: ${names}\n`)
  process.exit(2)
}

/** Settings of the quick run, which replace the usual sizes that a benchmark reads. */
const quick = {
  BENCH_ROUNDS: "1",
  BENCH_ROWS: "6000",
  BENCH_MORE_ROWS: "0",
  BENCH_EVENTS: "10000",
  BENCH_ENTRIES: "1000",
  BENCH_DELIVERIES: "1500",
  BENCH_FLEETS: "2",
  BENCH_TRICKLE: "100",
  BENCH_SECONDS: "1",
  BENCH_STORED: "10000",
  BENCH_BACKLOG_SECONDS: "1",
  BENCH_UPLOAD_MIB: "16",
  BENCH_TABLES: "5",
  BENCH_LISTS: "24"
}

/** The flags with which the launcher runs the worker. */
const heap = [
  "--max-semi-space-size=8",
  "--heap-growing-percent=50",
  "--no-short-builtin-calls",
  "--flush-baseline-code"
]
const flags = ["--disable-warning=ExperimentalWarning", ...heap]
const sizes = values.quick === true ? quick : {}
const env = { ...sizes, ...process.env, MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "65536" }

const printed: Array<string> = []
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`)
  printed.push(line)
}
const since = (from: number): string => `${((performance.now() - from) / 1000).toFixed(0)} s`

const groups: ReadonlyArray<Group> = values.quick === true ? ["main", "others"] : ["main"]
const wanted = benches.filter(({ group, name }) =>
  positionals.length > 0 ? positionals.includes(name) : groups.includes(group)
)

const inTurn = async (): Promise<void> => {
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const { engine, name } = next
    const begun = performance.now()
    const path = join(import.meta.dirname, `${name}.ts`)
    const stdio = ["ignore", "pipe", "inherit"] as const
    const child = spawn(process.execPath, [...flags, path, "--engine", engine], { stdio: [...stdio], env })
    const lines = createInterface({ input: child.stdout })
    lines.on("line", (line) => line.startsWith("{") && tell(line))
    const [code] = (await once(child, "close")) as [number | null]
    process.stderr.write(`${name} ${engine}: ${since(begun)}\n`)
    if (code === 0) continue
    tell(JSON.stringify({ bench: name, engine, failed: code }))
    process.exitCode = 1
  }
}

const from = performance.now()
await Promise.all(Array.from({ length: values.quick === true ? 3 : 1 }, inTurn))
process.stderr.write(`all: ${since(from)}\n`)
if (values.write === true) write(printed, values.quick === true)
