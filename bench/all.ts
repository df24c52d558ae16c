/**
 * Runs every benchmark on every engine, each in its own process, one after the other, and prints the JSON line of each
 * without logs. Their header comments state the goals. Exits with 0 if every benchmark finished.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
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

/** As the launcher runs the worker. */
const flags = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=50"]
const env = { ...process.env, MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "262144" }

for (const [name, engine] of benches) {
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
