/**
 * Signed deliveries accepted per second over 64 connections, each on disk before its 2xx (real Receiver, Inbox and
 * Store), compared with a bare node:http server that checks the same HMAC and keeps nothing. The two alternate; servers
 * and senders are separate processes. Goals: 0.40 of bare with SQLite, 0.30 with PostgreSQL; as many rows as
 * acknowledgements. With SQLite, a separate round looks for each 2xx's body in the inbox's files; none may be missing.
 * With PostgreSQL, 1, 2 and 4 workers share a database. Run: node bench/ingest.ts [--engine postgres]
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Child, median, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { connected } from "./PostgresServer.ts"
import type { Sent } from "./Sender.ts"
import { Stored } from "./Stored.ts"

const connections = 64
const isPostgres = Engine.name === "postgres"
const perRound = Number(process.env["BENCH_DELIVERIES"] ?? 30_000)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? (isPostgres ? 3 : 5))
const looked = Math.min(perRound, 10_000)

await using engine = await Engine.open()
const { directory, url } = await engine.place()
const store = url ?? join(directory, "store.sqlite")
const receiver = await start("IngestServer.ts", "receiver", store)
const bare = await start("IngestServer.ts", "bare")

/** Another process's processor time so far, in µs; undefined without /proc. */
const cpuMicros = ({ process: child }: Child): number | undefined => {
  const stat = `/proc/${child.pid}/stat`
  if (!existsSync(stat)) return undefined
  const [user, system] = readFileSync(stat, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? []
  return (Number(user) + Number(system)) * 10_000
}

const sendOver = async (
  port: string,
  series: string,
  count: number,
  through: number,
  ...more: ReadonlyArray<string>
): Promise<Sent> => JSON.parse((await start("Sender.ts", port, series, count, through, ...more)).line) as Sent

const send = (port: string, series: string, count: number, ...more: ReadonlyArray<string>): Promise<Sent> =>
  sendOver(port, series, count, connections, ...more)

const storedIn = async (place: string): Promise<number> => {
  if (!isPostgres) return new Stored(place).count
  return connected(place, async (client) => {
    const { rows } = await client.query<{ rows: string }>("select count(*) as rows from siteledger.inbox")
    return Number(rows[0]?.rows)
  })
}

const sum = (all: ReadonlyArray<Sent>, of: (sent: Sent) => number): number =>
  all.reduce((total, sent) => total + of(sent), 0)

/** Several workers on one database, which share the same total of connections. */
const fleet = async (workers: number) => {
  const place = (await engine.place()).url ?? ""
  const receivers = await Promise.all(
    Array.from({ length: workers }, () => start("IngestServer.ts", "receiver", place))
  )
  const all = (series: string, count: number): Promise<ReadonlyArray<Sent>> =>
    Promise.all(receivers.map(({ line }, n) => sendOver(line, `${series}${n}`, count / workers, connections / workers)))
  const warm = await all("warm", Math.min(perRound, 8_000))
  const sent = await all("fleet", perRound)
  for (const { process: child } of receivers) child.kill()
  return {
    workers,
    perSecond: sum(sent, ({ perSecond }) => perSecond),
    p50Ms: Math.max(...sent.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...sent.map(({ p99Ms }) => p99Ms)),
    acknowledged: sum([...warm, ...sent], ({ acknowledged }) => acknowledged),
    stored: await storedIn(place)
  }
}

const warming = Math.min(perRound, 10_000)
const warm = await send(receiver.line, "warm", warming)
await send(bare.line, "warm", warming)
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
const proof = isPostgres ? undefined : await send(receiver.line, "proof", looked, store)
receiver.process.kill()
bare.process.kill()
const stored = await storedIn(store)
const shared = []
for (const workers of Engine.fleets) shared.push(await fleet(workers))

const all = [warm, ...own, ...(proof === undefined ? [] : [proof])]
const ratios = own.map(({ perSecond }, n) => perSecond / (other[n]?.perSecond ?? 0))
process.stdout.write(
  `${JSON.stringify({
    bench: "ingest",
    engine: Engine.name,
    connections,
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    barePerSecond: median(other.map(({ perSecond }) => perSecond)),
    ratio: round(median(ratios)),
    ratioLeast: round(Math.min(...ratios)),
    ratioMost: round(Math.max(...ratios)),
    cpuMicrosEach,
    p50Ms: median(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
    acknowledged: sum(all, ({ acknowledged }) => acknowledged),
    refused: sum(all, ({ refused }) => refused),
    broken: sum(all, ({ broken }) => broken),
    stored,
    ...(proof === undefined ? { shared } : { looked: proof.acknowledged, answeredBeforeCommit: proof.notThere })
  })}\n`
)
