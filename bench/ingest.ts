/**
 * Signed deliveries accepted per second over 64 connections, each on disk before its 2xx (real Receiver, Inbox and
 * SQLite Store), beside a bare node:http server that checks the same HMAC and keeps nothing. The two alternate;
 * servers and sender are processes of their own. Goals: 0.40 of bare; as many rows as acknowledgements; in a round of
 * its own, where each 2xx's row is looked for by another connection to the file, none is missing.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Child, median, round, start } from "./Child.ts"
import type { Sent } from "./Sender.ts"

const connections = 64
const perRound = Number(process.env["BENCH_DELIVERIES"] ?? 30_000)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7)
const looked = 10_000

const directory = mkdtempSync(join(tmpdir(), "siteledger-ingest-"))
const storePath = join(directory, "store.sqlite")
const receiver = await start("IngestServer.ts", "receiver", storePath)
const bare = await start("IngestServer.ts", "bare")

/** Processor time of another process so far, in µs; undefined where there is no /proc. */
const cpuMicros = ({ process: child }: Child): number | undefined => {
  const stat = `/proc/${child.pid}/stat`
  if (!existsSync(stat)) return undefined
  const [user, system] = readFileSync(stat, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? []
  return (Number(user) + Number(system)) * 10_000
}

const send = async (port: string, series: string, count: number, ...more: ReadonlyArray<string>): Promise<Sent> =>
  JSON.parse((await start("Sender.ts", port, series, count, connections, ...more)).line) as Sent

const warm = await send(receiver.line, "warm", 10_000)
await send(bare.line, "warm", 10_000)
const cpuBefore = { own: cpuMicros(receiver), other: cpuMicros(bare) }
const own: Array<Sent> = []
const other: Array<Sent> = []
for (let n = 0; n < rounds; n++) {
  other.push(await send(bare.line, `round${n}`, perRound))
  own.push(await send(receiver.line, `round${n}`, perRound))
}
const cpuOf = (from: number | undefined, to: number | undefined): number | null =>
  from === undefined || to === undefined ? null : round((to - from) / (rounds * perRound), 1)
const cpuMicrosEach = { own: cpuOf(cpuBefore.own, cpuMicros(receiver)), bare: cpuOf(cpuBefore.other, cpuMicros(bare)) }
const proof = await send(receiver.line, "proof", looked, storePath)

const store = new DatabaseSync(storePath, { readOnly: true })
const stored = Number(store.prepare("select count(*) as rows from inbox").get()?.["rows"])
store.close()
receiver.process.kill()
bare.process.kill()
rmSync(directory, { recursive: true })

const all = [warm, ...own, proof]
const ratios = own.map(({ perSecond }, n) => perSecond / (other[n]?.perSecond ?? 0))
process.stdout.write(
  `${JSON.stringify({
    bench: "ingest",
    connections,
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    barePerSecond: median(other.map(({ perSecond }) => perSecond)),
    ratio: round(median(ratios)),
    ratioLeast: round(Math.min(...ratios)),
    ratioMost: round(Math.max(...ratios)),
    cpuMicrosEach,
    p50Ms: median(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    refused: all.reduce((sum, { refused }) => sum + refused, 0),
    broken: all.reduce((sum, { broken }) => sum + broken, 0),
    stored,
    looked: proof.acknowledged,
    answeredBeforeCommit: proof.notThere
  })}\n`
)
