/**
 * Runs every benchmark on every engine, each in its own process, one after the other, and prints the JSON line of each
 * without logs. Their header comments state the goals. Exits with 0 if every benchmark finished.
 *
 * Run: npm run bench -- [--quick] [NAME…]. Quick ones are small and once, in ten minutes or less: they show that a change
 * broke nothing and roughly what it costs, not the figures of a large installation.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { engines } from "./Engine.ts"

/** Pace and uploads don't depend on the engine, and only a file has copies that are made from others. */
const benches = [
  ["pace", "duckdb"],
  ["upload", "duckdb"],
  ["publish", "duckdb"],
  ...["load", "ingest", "apply", "stream", "ledger", "sink", "export"].flatMap((name) =>
    engines.map((engine) => [name, engine] as const)
  )
] as const

const { positionals, values } = parseArgs({
  options: { quick: { type: "boolean" } },
  allowPositionals: true,
  strict: false
})
const unknown = [
  ...positionals.filter((name) => !benches.some(([bench]) => bench === name)),
  ...Object.keys(values).flatMap((name) => (name === "quick" ? [] : [`--${name}`]))
]
if (unknown.length > 0) {
  const names = [...new Set(benches.map(([name]) => name))].join(", ")
  process.stderr.write(`Unknown: ${unknown.join(", ")}. There is --quick, and these benchmarks: ${names}\n`)
  process.exit(2)
}

/** What each reads of these, it takes instead of its usual size. */
const quick = {
  BENCH_ROUNDS: "1",
  BENCH_ROWS: "100000",
  BENCH_EVENTS: "50000",
  BENCH_ENTRIES: "10000",
  BENCH_DELIVERIES: "5000",
  BENCH_TRICKLE: "500",
  BENCH_SECONDS: "5",
  BENCH_UPLOAD_MIB: "64"
}

/** As the launcher runs the worker. */
const flags = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=50"]
const sizes = values.quick === true ? quick : {}
const env = { ...sizes, ...process.env, MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "262144" }

for (const [name, engine] of benches) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const path = join(import.meta.dirname, `${name}.ts`)
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, [...flags, path, "--engine", engine], { stdio: [...stdio], env })
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => line.startsWith("{") && process.stdout.write(`${line}\n`))
  const [code] = (await once(child, "close")) as [number | null]
  if (code === 0) continue
  process.stdout.write(`${JSON.stringify({ bench: name, engine, failed: code })}\n`)
  process.exitCode = 1
}
