/**
 * What is done to a live worker, and measured from outside: a hundred deliveries a second, a burst, idling, and a new
 * copy for analysts. The one-off costs of a start, and those of occasional copies, are measured apart from the cost of
 * each delivery: a window of 20 s that happened to contain a copy reported ten times as much.
 */
import { quantile, round, start } from "./Child.ts"
import type { Engine } from "./Engine.ts"
import * as Generator from "./Generator.ts"
import type { Receiving } from "./Receiving.ts"
import type { Trickled } from "./Trickle.ts"
import { oldestMs, visibleAfterMs, type Watched, watched } from "./Watching.ts"
import { pause, within } from "./Waiting.ts"
import type { Worker } from "./WorkerProcess.ts"

export const perSecond = 100
const sampleMs = 20

/** A worker that accepts faster than it applies has a long backlog afterwards. */
const drainMs = 600_000

export const drained = async (worker: Worker): Promise<void> => {
  const isApplied = await within(drainMs, async () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    return (await worker.status())?.inbox.pending === 0 ? true : undefined
  })
  if (isApplied === undefined) throw new Error(`not within ${drainMs / 1000} s: all is applied`)
}

const trickled = async (port: string, series: string, seconds: number): Promise<Trickled> =>
  JSON.parse((await start("Trickle.ts", port, series, Math.round(seconds * perSecond), perSecond)).line) as Trickled

/**
 * First without polling the status, then for half as long while polling it. No copy for analysts may be due meanwhile.
 * A database would still write pages of earlier work minutes later: that is done first. The writes that these
 * deliveries cause later are counted with them.
 */
export const trickle = async (engine: Engine, { port, worker }: Receiving, series: string, seconds: number) => {
  await engine.vacuumed()
  await engine.checkpointed()
  const quiet = await watched(engine, worker, undefined, async () => {
    const result = await trickled(port, series, seconds)
    await drained(worker)
    await engine.checkpointed()
    return result
  })
  const asked = await watched(engine, worker, sampleMs, async () => {
    const result = await trickled(port, `${series}-asked`, Math.max(1, seconds / 2))
    await drained(worker)
    await pause(sampleMs * 5)
    return result
  })
  const waits = visibleAfterMs(Object.values(asked.result.acknowledgedAt), asked.samples)
  const count = seconds * perSecond
  return {
    perSecond,
    /** Everything that the analysts' copy lacks afterwards. */
    events: count + Object.keys(asked.result.acknowledgedAt).length,
    cpuMsPerEvent: round(quiet.cpuMicros / 1000 / count, 2),
    serverCpuMsPerEvent: round(quiet.serverCpuMicros / 1000 / count, 2),
    writtenPerEvent: Math.round(quiet.written / count),
    answeredP99Ms: quiet.result.p99Ms,
    visibleAfterP50Ms: quantile(waits, 0.5),
    visibleAfterP99Ms: quantile(waits, 0.99),
    oldestP99Ms: oldestMs(asked.samples)
  }
}

/** As fast as 64 connections send, for some seconds, until everything is applied. */
export const burst = async (engine: Engine, { port, worker }: Receiving, series: string, seconds: number) => {
  const load = await Generator.prepared(engine.root, series, seconds * 12_000)
  const taken = await watched(engine, worker, undefined, async () => {
    const result = await load.send(port, seconds)
    await drained(worker)
    return result
  })
  load.remove()
  const { acknowledged, broken, perSecond: rate } = taken.result
  return {
    acceptedPerSecond: rate,
    cpuMicrosPerEvent: round(taken.cpuMicros / acknowledged, 1),
    serverCpuMicrosPerEvent: round(taken.serverCpuMicros / acknowledged, 1),
    appliedPerSecond: Math.round((acknowledged / taken.ms) * 1000),
    broken
  }
}

export const idle = async (engine: Engine, worker: Worker, seconds: number) => {
  const { cpuMicros, ms } = await watched(engine, worker, undefined, () => pause(seconds * 1000))
  return { cpuShare: round(cpuMicros / 1000 / ms, 4), residentMb: worker.residentMb }
}

/** Runs `siteledger publish`, as a person or a schedule does. */
export const published = async (engine: Engine, worker: Worker) =>
  used(await watched(engine, worker, undefined, () => worker.verb("publish")))

export const used = ({ cpuMicros, ms, written }: Watched<unknown>) => ({
  seconds: round(ms / 1000, 2),
  cpuSeconds: round(cpuMicros / 1e6, 2),
  writtenMb: round(written / 1e6, 1)
})

export type Published = Awaited<ReturnType<typeof published>>

/** In seconds, as `AnalystCopy` defines them. */
const rest = { factor: 100, least: 60, most: 300 }

/**
 * What a copy for analysts adds to the cost of each delivery at a hundred a second. A whole copy costs the same for any
 * number of deliveries. A copy that is made from an earlier one costs more the more deliveries it covers, so its cost
 * is spread over exactly those.
 */
export const ofEachDelivery = ({ cpuSeconds, seconds, writtenMb }: Published, changed: number, isWhole: boolean) => {
  const everySeconds = seconds + Math.min(rest.most, Math.max(rest.least, rest.factor * seconds))
  const between = everySeconds * perSecond
  const events = isWhole ? between : Math.min(changed, between)
  return {
    cpuMs: (cpuSeconds * 1000) / events,
    written: (writtenMb * 1e6) / events,
    everySeconds: round(everySeconds, 0)
  }
}
