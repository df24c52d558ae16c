/**
 * What a worker costs while something happens, and how it is doing meanwhile, measured from outside: processor time of
 * all its threads, bytes written (with a database, also by the server), and `/status` over and over.
 */
import { quantile } from "./Child.ts"
import type { Engine } from "./Engine.ts"
import { pause } from "./Waiting.ts"
import type { Status, Worker } from "./WorkerProcess.ts"

export interface Sample {
  readonly askedAt: number
  readonly answeredAt: number
  readonly status: Status
}

export interface Watched<A> {
  readonly result: A
  readonly ms: number
  readonly cpuMicros: number
  /** Of the database's server. */
  readonly serverCpuMicros: number
  readonly written: number
  readonly samples: ReadonlyArray<Sample>
}

/** If `everyMs` is undefined, the status isn't polled, because an answer costs the worker something. */
export const watched = async <A>(
  engine: Engine,
  worker: Worker,
  everyMs: number | undefined,
  phase: () => Promise<A>
): Promise<Watched<A>> => {
  const all = async () => worker.written + (await engine.written())
  const written = await all()
  const [from, cpu, server] = [performance.now(), worker.cpuMs, engine.serverCpuMicros()]
  const samples: Array<Sample> = []
  let isOver = everyMs === undefined
  const sampling = (async () => {
    while (!isOver) {
      const askedAt = Date.now()
      const status = await worker.status()
      if (status !== undefined) samples.push({ askedAt, answeredAt: Date.now(), status })
      await pause(everyMs)
    }
  })()
  const result = await phase()
  const ms = performance.now() - from
  const used = {
    cpuMicros: (worker.cpuMs - cpu) * 1000,
    serverCpuMicros: engine.serverCpuMicros() - server,
    written: (await all()) - written
  }
  isOver = true
  await sampling
  return { result, ms, ...used, samples }
}

/** The longest time that the oldest event waited. */
export const oldestMs = (samples: ReadonlyArray<Sample>): number =>
  Math.round(Math.max(0, ...samples.map(({ status }) => status.inbox.oldestPendingAgeMs)))

/**
 * From received to posted: the worst p99 that the worker reported over its last thousand entries; NaN if nothing was
 * posted.
 */
export const postedP99Ms = (samples: ReadonlyArray<Sample>): number => {
  const said = samples.flatMap(({ status }) => status.ledger.postedMs.p99 ?? [])
  return said.length === 0 ? Number.NaN : Math.round(Math.max(...said))
}

export const statusP99Ms = (samples: ReadonlyArray<Sample>): number =>
  quantile(
    samples.map(({ answeredAt, askedAt }) => answeredAt - askedAt),
    0.99
  )

/**
 * From each 2xx until its event is applied. Its rows and entries are committed once an answer of `/status` proves it,
 * because fewer events are pending than were acknowledged after it. The result is never too small; it is too large by
 * at most one interval.
 */
export const visibleAfterMs = (acknowledged: ReadonlyArray<number>, samples: ReadonlyArray<Sample>): Array<number> => {
  const inOrder = acknowledged.toSorted((a, b) => a - b)
  const waits: Array<number> = []
  let before = 0
  for (const { answeredAt, askedAt, status } of samples) {
    while (before < inOrder.length && inOrder[before]! <= askedAt) before++
    const visible = before - status.inbox.pending
    while (waits.length < visible) waits.push(answeredAt - inOrder[waits.length]!)
  }
  return waits
}
