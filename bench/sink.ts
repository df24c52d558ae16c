/**
 * From a signed payment to the accounting sink, through a whole worker (`bin/siteledger start`): one payment at a time,
 * 200 per second, and 100 per second to a sink that takes 200 ms for each answer. Each payment's time counts from when
 * it was due until its entry arrives at the sink. For comparison, bare POSTs go to the same sink at the same rate.
 * Payments, worker and sink are separate processes. Goals: alone ≤ 50 ms, at 200 per second p99 ≤ 100 ms, and the slow
 * sink's backlog doesn't grow. Run: node bench/sink.ts [--engine postgres]
 */
import { type Child, quantile, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { type Receiving, receiving } from "./Receiving.ts"
import { bare, delays, paidBy, type Times } from "./Arrivals.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10)

interface Scenario {
  readonly perSecond: number
  /** How long before its payment an IPC is certified. */
  readonly earlierMs: number
  readonly answerAfterMs: number
}

const scenarios = {
  // Slower than a worker polls for what others wrote, and never in step with it.
  alone: { perSecond: 0.8, earlierMs: 600, answerAfterMs: 0 },
  fast: { perSecond: 200, earlierMs: 0, answerAfterMs: 0 },
  slow: { perSecond: 100, earlierMs: 0, answerAfterMs: 200 }
} satisfies Record<string, Scenario>

const warming = 400
const warmingPerSecond = 100
const mostBare = 1000

await using engine = await Engine.open()

/** A worker that sends its entries to this sink. */
const working = async (sink: string): Promise<Receiving> => {
  const { environment } = await engine.place()
  return receiving({
    SITELEDGER_LEDGER_SINK_URL: `http://127.0.0.1:${sink}/entries`,
    SITELEDGER_LEDGER_SINK_SECRET: "bench-sink-secret",
    ...environment
  })
}

const dueAt = (sender: Child): Times =>
  Object.fromEntries(Object.entries(paidBy(sender)).map(([id, each]) => [id, each.dueAt]))

const measured = (waits: ReadonlyArray<number>) => ({
  p50Ms: Math.max(1, round(quantile(waits, 0.5), 0)),
  p99Ms: Math.max(1, round(quantile(waits, 0.99), 0)),
  mostMs: round(Math.max(...waits), 0)
})

const run = async (name: string, { answerAfterMs, earlierMs, perSecond }: Scenario) => {
  const sink = await start("SinkServer.ts", answerAfterMs)
  const { port, worker } = await working(sink.line)
  const count = Math.ceil(perSecond * seconds)
  // Warms up, so that the code is compiled.
  const warm = await start("Payments.ts", port, warming, warmingPerSecond, `${name}-warm`)
  await delays(sink, dueAt(warm))
  const before = worker.cpuMs
  const paid = await start("Payments.ts", port, count, perSecond, name, earlierMs)
  const waits = await delays(sink, dueAt(paid))
  const cpu = worker.cpuMs - before
  const waitsBare = await bare(sink, Math.min(count, mostBare), Math.max(perSecond, 20))
  await worker.stop()
  sink.process.kill()
  const [own, without] = [measured(waits), measured(waitsBare)]
  return {
    perSecond,
    paid: count,
    ...own,
    bare: without,
    ratioP50: round(own.p50Ms / without.p50Ms, 1),
    workerCpuMs: round(cpu / count, 1)
  }
}

const only = process.env["BENCH_SCENARIO"]
const results: Record<string, unknown> = {}
for (const [name, scenario] of Object.entries(scenarios)) {
  if (only === undefined || only === name) results[name] = await run(name, scenario)
}
process.stdout.write(`${JSON.stringify({ bench: "sink", engine: Engine.name, ...results })}\n`)
