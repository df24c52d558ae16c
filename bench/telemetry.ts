/**
 * What telemetry costs. Two workers take the same deliveries in turns: one sends logs, metrics and traces to a
 * collector in another process, the other sends nothing. First bursts over 64 connections until everything is applied,
 * then a hundred a second, where each delivery has its trace.
 *
 * Goals: applied 0.9 as fast, with 1.1 times the processor time, and 1.2 times at 100 a second. Run: node
 * bench/telemetry.ts [--engine postgres]
 */
import { round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Live from "./Live.ts"
import { burst, trickle } from "./Phases.ts"
import { ranged } from "./Ranges.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 4)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const trickleSeconds = Number(process.env["BENCH_TRICKLE"] ?? 600) / 100

await using engine = await Engine.open()
const collector = await start("CollectorServer.ts")
await using silent = await Live.at(engine)
await using telling = await Live.at(engine, undefined, {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.line}`,
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_TRACES_EXPORTER: "otlp"
})
const both = [await silent.begin(), await telling.begin()] as const
for (const { worker } of both) await worker.reaches("it is live", ({ phase }) => phase === "live")

/** The worker that is first in one round is second in the next. */
const inTurns = async <A>(at: number, phase: (which: 0 | 1) => Promise<A>): Promise<readonly [off: A, on: A]> => {
  const first = await phase(at % 2 === 0 ? 0 : 1)
  const second = await phase(at % 2 === 0 ? 1 : 0)
  return at % 2 === 0 ? [first, second] : [second, first]
}

// Warms up, so that the code is compiled.
await inTurns(0, (which) => burst(engine, both[which], "warm", Math.min(seconds, 3)))
const lines = []
for (let at = 0; at < rounds; at++) {
  const [off, on] = await inTurns(at, (which) => burst(engine, both[which], `r${at}`, seconds))
  const [slowOff, slowOn] = await inTurns(at, (which) => trickle(engine, both[which], `t${at}`, trickleSeconds))
  lines.push({
    acceptedRatio: on.acceptedPerSecond / off.acceptedPerSecond,
    ratio: on.appliedPerSecond / off.appliedPerSecond,
    cpuRatio: on.cpuMicrosPerEvent / off.cpuMicrosPerEvent,
    cpuMicrosPerEvent: off.cpuMicrosPerEvent,
    trickleCpuRatio: slowOn.cpuMsPerEvent / slowOff.cpuMsPerEvent,
    trickleCpuMsPerEvent: slowOff.cpuMsPerEvent
  })
}
process.stdout.write(
  `${JSON.stringify({ bench: "telemetry", engine: Engine.name, rounds, seconds: round(seconds), ...ranged(lines) })}\n`
)
collector.process.kill()
