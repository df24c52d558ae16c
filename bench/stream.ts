/**
 * The whole worker, `bin/siteledger start`, under deliveries from a third-party generator: all event types in equal
 * parts, so that one in fourteen pays an IPC, as fast as 64 connections send them, for BENCH_SECONDS (two minutes) and
 * then in shorter rounds. The worker does everything else at the same time (applying, posting, publishing). Before and
 * after each round, a bare node:http server that checks the same HMAC is measured for comparison. Measured from
 * outside: processor time of all threads, bytes written, how long events wait.
 *
 * Goals: 0.30 of bare for two minutes, 60 µs a delivery, the oldest event waits at most 2 s, paid → posted in 1 s.
 * `size.ts` measures 100 a second. Run: node bench/stream.ts [--engine postgres]
 */
import { median, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Generator from "./Generator.ts"
import * as Live from "./Live.ts"
import { drained } from "./Phases.ts"
import { ranged } from "./Ranges.ts"
import { cpuMicros } from "./Used.ts"
import { oldestMs, postedP99Ms, statusP99Ms, watched } from "./Watching.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 120)
const shorter = Math.min(seconds, 10)
const bareSeconds = Math.min(seconds, 5)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const sampleMs = 100
/** As a ratio of the bare server's rate: this many deliveries are prepared, so that none is sent twice. */
const mostRatio = 0.6

await using engine = await Engine.open()
await using live = await Live.at(engine)
const bare = await start("IngestServer.ts", "bare")
const { port, worker } = await live.begin()
await worker.reaches("it is live", ({ phase }) => phase === "live")

// It keeps nothing, so it may be sent the same deliveries again.
const same = await Generator.prepared(engine.root, "bare", 20_000)
const bareOnce = async () => {
  const cpu = cpuMicros(bare.process.pid ?? 0)
  const sent = await same.send(bare.line, bareSeconds)
  return { ...sent, cpuMicros: (cpuMicros(bare.process.pid ?? 0) - cpu) / sent.acknowledged }
}

// Warms up, so that the code is compiled.
const warmSeconds = Math.min(seconds, 4)
const warm = await Generator.prepared(engine.root, "warm", warmSeconds * 7500)
await warm.send(port, warmSeconds)
warm.remove()
await drained(worker)
await bareOnce()
let before = await bareOnce()
const lines = []
const drainMs: Array<number> = []
let [acknowledged, broken, refused, isRepeated] = [0, 0, 0, false]
for (let at = 0; at < rounds; at++) {
  const lasting = at === 0 ? seconds : shorter
  const load = await Generator.prepared(engine.root, `s${at}`, before.perSecond * mostRatio * lasting)
  const taken = await watched(engine, worker, sampleMs, () => load.send(port, lasting))
  load.remove()
  const rest = await watched(engine, worker, undefined, () => drained(worker))
  const after = await bareOnce()
  const { result } = taken
  acknowledged += result.acknowledged
  broken += result.broken
  refused += result.refused
  isRepeated ||= result.isRepeated
  drainMs.push(rest.ms)
  const barePerSecond = (before.perSecond + after.perSecond) / 2
  lines.push({
    perSecond: result.perSecond,
    barePerSecond,
    ratio: result.perSecond / barePerSecond,
    p99Ms: result.p99Ms,
    bareP99Ms: after.p99Ms,
    cpuMicrosPerDelivery: (taken.cpuMicros + rest.cpuMicros) / result.acknowledged,
    bareCpuMicrosPerDelivery: after.cpuMicros,
    serverCpuMicrosPerDelivery: (taken.serverCpuMicros + rest.serverCpuMicros) / result.acknowledged,
    writtenPerDelivery: (taken.written + rest.written) / result.acknowledged,
    oldestMs: oldestMs(taken.samples),
    postedP99Ms: postedP99Ms(taken.samples),
    statusP99Ms: statusP99Ms(taken.samples)
  })
  before = after
}
const [sustained] = lines
const peakMb = worker.peakMb
const status = await worker.status()

process.stdout.write(
  `${JSON.stringify({
    bench: "stream",
    engine: Engine.name,
    generator: Generator.generator,
    connections: Generator.connections,
    seconds,
    stored: acknowledged,
    ...ranged(lines),
    sustained: { perSecond: sustained?.perSecond, ratio: round(sustained?.ratio ?? 0), p99Ms: sustained?.p99Ms },
    oldestMs: Math.max(...lines.map((line) => line.oldestMs)),
    drainMs: round(Math.max(...drainMs), 0),
    drainMedianMs: round(median(drainMs), 0),
    refused,
    broken,
    isRepeated,
    entries: status?.ledger.entries,
    residentMb: worker.residentMb,
    peakMb
  })}\n`
)
bare.process.kill()
same.remove()
