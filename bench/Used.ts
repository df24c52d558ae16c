/**
 * What other processes have used so far, as Linux counts it in /proc; 0 where there is no /proc. A family is a process
 * with its children, including those that have ended: PostgreSQL has one process for each connection.
 */
import { readdirSync, readFileSync } from "node:fs"

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

/** The fields after the name, which may contain blanks: state, parent, … */
const statOf = (pid: number): ReadonlyArray<string> => read(pid, "stat").split(") ").at(-1)?.split(" ") ?? []

const ticks = (pid: number, from: number, to: number): number =>
  statOf(pid)
    .slice(from, to)
    .reduce((sum, field) => sum + Number(field), 0)

const microsPerTick = 10_000

/** Of all its threads. */
export const cpuMicros = (pid: number): number => ticks(pid, 11, 13) * microsPerTick

/**
 * Bytes written to files, as an upper bound: Linux counts a whole large page of the page cache for a few bytes that are
 * flushed alone (1 GB for 13 MB of a database's log), and also counts bytes sent to sockets.
 */
export const written = (pid: number): number => {
  const io = read(pid, "io")
  const counted = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1] ?? 0)
  return Math.min(counted("write_bytes"), counted("wchar"))
}

const memory = (pid: number, name: string): number =>
  Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(read(pid, "status"))?.[1] ?? 0) / 1024)

export const residentMb = (pid: number): number => memory(pid, "VmRSS")

export const peakMb = (pid: number): number => memory(pid, "VmHWM")

const children = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => statOf(each)[1] === String(pid))

export const cpuMicrosOfFamily = (pid: number): number =>
  children(pid).reduce((sum, child) => sum + cpuMicros(child), ticks(pid, 11, 15) * microsPerTick)
