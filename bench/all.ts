/**
 * Runs every benchmark on every engine as a process of its own, one after the other, and passes on the JSON line of each (logs are
 * left out). Their header comments say the goals. Ends with 0 when every benchmark came to its end.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { engines } from "./Engine.ts"

/** What the pace and an upload do is the same on both. */
const benches = [
  ["pace", "duckdb"],
  ["upload", "duckdb"],
  ...["load", "ingest", "apply", "ledger", "export"].flatMap((name) => engines.map((engine) => [name, engine] as const))
] as const

/** As the launcher runs the worker. */
const flags = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=50"]

for (const [name, engine] of benches) {
  const path = join(import.meta.dirname, `${name}.ts`)
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, [...flags, path, "--engine", engine], { stdio: [...stdio] })
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => line.startsWith("{") && process.stdout.write(`${line}\n`))
  const [code] = (await once(child, "close")) as [number | null]
  if (code === 0) continue
  process.stdout.write(`${JSON.stringify({ bench: name, engine, failed: code })}\n`)
  process.exitCode = 1
}
