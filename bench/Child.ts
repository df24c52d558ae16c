/**
 * A benchmark's processes: another file of this folder, started with arguments, and the first line that it prints.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

export interface Child {
  readonly process: ChildProcess
  /** The first line: a port, or a result. */
  readonly line: string
}

export const start = (file: string, ...parameters: ReadonlyArray<string | number>): Promise<Child> =>
  new Promise((resolve, reject) => {
    const path = join(import.meta.dirname, file)
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path, ...parameters.map(String)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code} before it printed a line`)))
    createInterface({ input: child.stdout }).once("line", (line) => resolve({ process: child, line }))
  })

/** The first line, once the process has ended. */
export const ended = async (file: string, ...parameters: ReadonlyArray<string | number>): Promise<string> => {
  const { line, process: child } = await start(file, ...parameters)
  if (child.exitCode === null) await once(child, "exit")
  return line
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const round = (value: number, digits = 3): number => Number(value.toFixed(digits))

/** The peak memory of this process (VmHWM), in MB; 0 without /proc. */
export const peakMb = (): number => {
  const path = "/proc/self/status"
  const line = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, "utf8")) : null
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
