/**
 * Runs every benchmark as a process of its own, one after the other, and passes on the JSON line of each (logs are
 * left out). Their header comments say the goals. Ends with 0 when every benchmark came to its end.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

const benches = ["load", "pace", "ingest", "apply", "export"]

for (const name of benches) {
  const path = join(import.meta.dirname, `${name}.ts`)
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path], { stdio: [...stdio] })
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => line.startsWith("{") && process.stdout.write(`${line}\n`))
  const [code] = (await once(child, "close")) as [number | null]
  if (code === 0) continue
  process.stdout.write(`${JSON.stringify({ bench: name, failed: code })}\n`)
  process.exitCode = 1
}
