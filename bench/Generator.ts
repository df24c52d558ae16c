/**
 * Load from a third-party generator: `wrk` (Debian has it), over 64 connections, each of which sends its next delivery
 * as soon as it has an answer, and reconnects when its connection ends. Without wrk, `Sender.ts` sends.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { start } from "./Child.ts"
import type { Sent } from "./Sender.ts"

export const connections = 64
const threads = 2

const version = /^wrk (\S+)/.exec(spawnSync("wrk", ["-v"], { encoding: "utf8" }).stdout ?? "")?.[1]

export const generator = version === undefined ? "own" : `wrk ${version.replace(/^debian\//, "")}`

export interface Loaded extends Pick<Sent, "acknowledged" | "broken" | "p50Ms" | "p99Ms" | "perSecond" | "refused"> {
  /** The deliveries ran out, so some were sent twice. */
  readonly isRepeated: boolean
}

interface Printed extends Pick<Sent, "broken" | "p50Ms" | "p99Ms" | "refused"> {
  readonly requests: number
  readonly seconds: number
  readonly rounds: number
}

/** `stripe`: a peer's events. `long`: our deliveries, as long as those. */
export type Kind = "usual" | "long" | "stripe"

export interface Prepared {
  readonly send: (port: string, seconds: number) => Promise<Loaded>
  readonly remove: () => void
}

/** Deliveries of a series, made ahead of time; `folder` holds them. */
export const prepared = async (
  folder: string,
  series: string,
  count: number,
  kind: Kind = "usual"
): Promise<Prepared> => {
  const files = Array.from({ length: threads }, (_, n) => join(folder, `${series}-${n}.requests`))
  if (version !== undefined) await start("Requests.ts", kind, series, Math.ceil(count), ...files)
  return {
    send: (port, seconds) => (version === undefined ? own(port, series, count) : byWrk(port, files, seconds)),
    remove: () => files.forEach((file) => rmSync(file, { force: true }))
  }
}

const byWrk = async (port: string, files: ReadonlyArray<string>, seconds: number): Promise<Loaded> => {
  const script = join(import.meta.dirname, "wrk.lua")
  const options = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script]
  const child = spawn("wrk", [...options, `http://127.0.0.1:${port}/`, ...files], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")])
  const line = printed.split("\n").findLast((each) => each.startsWith("{"))
  if (line === undefined) throw new Error(`wrk printed no result: ${printed}`)
  const { requests, rounds, seconds: took, ...others } = JSON.parse(line) as Printed
  const acknowledged = requests - others.refused
  return { ...others, acknowledged, perSecond: Math.round(acknowledged / took), isRepeated: rounds > 0 }
}

const own = async (port: string, series: string, count: number): Promise<Loaded> => {
  const child = await start("Sender.ts", port, series, count, connections)
  return { ...(JSON.parse(child.line) as Sent), isRepeated: false }
}
