/**
 * The whole worker, `bin/siteledger start`, under deliveries: first as fast as 64 connections send them, with everything
 * that it does beside (applying, posting, publishing), next to a bare node:http server that checks the same HMAC; then 100
 * a second. Measured from outside: processor time of all its threads, bytes written, how long events wait.
 *
 * Goals: 0.30 of bare, at most 60 µs a delivery, the oldest waiting for 2 s at most; at 100 a second at most 1 ms of
 * processor time an event. Run: node bench/stream.ts [--engine postgres]
 */
import { readFileSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { type Child, median, quantile, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import type { Sent } from "./Sender.ts"
import { receiving } from "./Receiving.ts"
import { pause } from "./Waiting.ts"
import type { Status, Worker } from "./WorkerProcess.ts"

const connections = 64
const perRound = Number(process.env["BENCH_DELIVERIES"] ?? 40_000)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const trickle = { perSecond: 100, count: Number(process.env["BENCH_TRICKLE"] ?? 3000) }
const sampleMs = 100

const writtenBytes = (pid: number): number =>
  Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0)

/** What one phase cost, and how long events waited in it. */
const watched = async <A>(worker: Worker, phase: () => Promise<A>) => {
  const [cpu, written] = [worker.cpuMs, writtenBytes(worker.pid)]
  const waits: Array<number> = []
  const asked: Array<number> = []
  const isOver = new AbortController()
  const sampling = (async () => {
    while (!isOver.signal.aborted) {
      const from = performance.now()
      const status = (await worker.status()) as (Status & { inbox: { oldestPendingAgeMs: number } }) | undefined
      asked.push(performance.now() - from)
      waits.push(status?.inbox.oldestPendingAgeMs ?? Number.POSITIVE_INFINITY)
      await pause(sampleMs)
    }
  })()
  const result = await phase()
  isOver.abort()
  await sampling
  return {
    result,
    cpuMicros: (worker.cpuMs - cpu) * 1000,
    written: writtenBytes(worker.pid) - written,
    oldestMs: round(Math.max(...waits), 0),
    oldestP99Ms: round(quantile(waits, 0.99), 0),
    statusP99Ms: round(quantile(asked, 0.99), 0)
  }
}

const sent = async (port: string, series: string): Promise<Sent> => {
  const child = await start("Sender.ts", port, series, perRound, connections)
  return JSON.parse(child.line) as Sent
}

await using engine = await Engine.open()
const place = await engine.place()
const scope = Scope.makeUnsafe()
const sandbox = await Effect.runPromise(
  Sandbox.start({ eventsPerSecond: 0, projects: 60, plan: Number.POSITIVE_INFINITY }).pipe(Scope.provide(scope))
)
const { port, worker } = await receiving({
  SITELEDGER_BASE_URL: sandbox.baseUrl,
  SITELEDGER_AUTH_URL: sandbox.authUrl,
  SITELEDGER_CLIENT_ID: sandbox.options.clientId,
  SITELEDGER_CLIENT_SECRET: sandbox.options.clientSecret,
  SITELEDGER_SCOPES: "projects.read webhooks.write",
  ...place.environment
})
const bare: Child = await start("IngestServer.ts", "bare")
await worker.reaches("it is live", ({ phase }) => phase === "live")

const streams: Array<Awaited<ReturnType<typeof watched<Sent>>> & { readonly drainMs: number; readonly bare: Sent }> = []
for (let at = 0; at < rounds; at++) {
  const taken = await watched(worker, () => sent(port, `s${at}`))
  const from = performance.now()
  const drained = await watched(worker, () => worker.reaches("all is applied", ({ inbox }) => inbox.pending === 0))
  const all = { ...taken, cpuMicros: taken.cpuMicros + drained.cpuMicros, written: taken.written + drained.written }
  streams.push({ ...all, drainMs: round(performance.now() - from, 0), bare: await sent(bare.line, `s${at}`) })
}
await pause(6000)
const slow = await watched(worker, () => start("Trickle.ts", port, "t", trickle.count, trickle.perSecond))
const idle = await watched(worker, () => pause(10_000))

const of = (read: (stream: (typeof streams)[number]) => number, digits = 0) => round(median(streams.map(read)), digits)
process.stdout.write(
  `${JSON.stringify({
    bench: "stream",
    engine: Engine.name,
    connections,
    stored: rounds * perRound,
    perSecond: of(({ result }) => result.perSecond),
    barePerSecond: of((stream) => stream.bare.perSecond),
    ratio: of(({ result, bare: other }) => result.perSecond / other.perSecond, 3),
    p99Ms: of(({ result }) => result.p99Ms, 1),
    cpuMicrosPerDelivery: of(({ cpuMicros: micros }) => micros / perRound, 1),
    writtenPerDelivery: of(({ written }) => written / perRound),
    oldestMs: Math.max(...streams.map(({ oldestMs }) => oldestMs)),
    drainMs: Math.max(...streams.map(({ drainMs }) => drainMs)),
    statusP99Ms: of(({ statusP99Ms }) => statusP99Ms),
    trickle: {
      perSecond: trickle.perSecond,
      cpuMsPerEvent: round((slow.cpuMicros - idle.cpuMicros * (trickle.count / 1000)) / 1000 / trickle.count, 2),
      writtenPerEvent: round(slow.written / trickle.count, 0),
      oldestP99Ms: slow.oldestP99Ms
    },
    residentMb: round(worker.residentMb, 0)
  })}\n`
)
await worker.stop()
bare.process.kill()
await Effect.runPromise(Scope.close(scope, Exit.void))
