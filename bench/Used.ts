/**
 * What other processes have used so far, as Linux counts it in /proc; 0 where there is none. A family is a process with
 * its children, those that have ended too: PostgreSQL has one for each connection.
 */
import { readdirSync, readFileSync } from "node:fs"

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

/** Those after the name, which may hold blanks: state, parent, … */
const statOf = (pid: number): ReadonlyArray<string> => read(pid, "stat").split(") ").at(-1)?.split(" ") ?? []

const ticks = (pid: number, from: number, to: number): number =>
  statOf(pid)
    .slice(from, to)
    .reduce((sum, field) => sum + Number(field), 0)

const microsPerTick = 10_000

/** Of all its threads. */
export const cpuMicros = (pid: number): number => ticks(pid, 11, 13) * microsPerTick

/**
 * Written to files, in bytes, at most: Linux counts all of a large page of its cache for a few bytes that are flushed alone
 * (1 GB for 13 MB of a database's log), and what goes into sockets among what a process has written.
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
