/** Other processes on a DuckDB file (duckdb-child.ts). */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("duckdb-child.ts", import.meta.url))
const children = new Set<ChildProcess>()

export const killAll = (): void => {
  for (const child of children) child.kill("SIGKILL")
}

export interface Outcome {
  readonly results?: ReadonlyArray<unknown>
  readonly error?: string
}

/** Starts a child and waits for its first line. */
export const start = async (path: string, commands: ReadonlyArray<string>, readOnly = false) => {
  const child = spawn(process.execPath, [script, JSON.stringify({ path, commands, readOnly })], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.add(child)
  const exited = once(child, "exit").then(() => children.delete(child))
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, "line"), exited.then(() => [`{"error":"no answer"}`])])) as [string]
  const outcome = JSON.parse(line) as Outcome
  return {
    outcome,
    exited,
    kill: async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
}
