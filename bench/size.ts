/**
 * What the whole worker costs as its store grows, on a small store and on one of BENCH_STORED events (5,000,000): at
 * 100 deliveries a second, in a burst, publishing, restarting after a stop and after kill -9, and idle: after a start with
 * a whole copy for analysts, and after the burst. One-off
 * costs (a whole copy for analysts, and the first copy after a stop) have lines of their own; the cost of copies at
 * 100/s is added to each delivery. The worker applies the first events. The others are of kinds that move no money, and
 * are filled in directly (`AppliedFill.ts`) while it is down. On the large store it then catches up for about
 * BENCH_BACKLOG_SECONDS, and rebuilds for half a minute.
 *
 * Goals: 30,000 events a second caught up with `/status` in 50 ms; live in 1 s after a stop and 3 s after a kill;
 * applied within 0.2 s; 100 µs an event of a burst; a copy in 2 s, 1 s of processor time and 20 MB; idle 0.5 % of a
 * core and 180 MB. Run: node bench/size.ts [--engine postgres]
 */
import { ended, quantile, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Live from "./Live.ts"
import { burst, drained, idle, ofEachDelivery, perSecond, published, trickle, used } from "./Phases.ts"
import type { Receiving } from "./Receiving.ts"
import { statusP99Ms, watched } from "./Watching.ts"
import { pause, within } from "./Waiting.ts"
import { isUp, type Worker } from "./WorkerProcess.ts"

const most = Number(process.env["BENCH_STORED"] ?? 5_000_000)
const few = Math.min(100_000, most / 5)
const backlogSeconds = Number(process.env["BENCH_BACKLOG_SECONDS"] ?? 15)
const seconds = Number(process.env["BENCH_SECONDS"] ?? 20)
/** For steps that would take a minute on a small store. */
const patienceMs = 600_000
/** Each answer costs the worker something. */
const sampleMs = 250
/**
 * Younger copies for analysts aren't changed, for the sake of their readers; copies of smaller stores are always made
 * whole.
 */
const copyAgeMs = 55_000
const manyForCopies = 90_000
const isQuick = seconds < 10
const warmSeconds = Math.min(seconds, 5)
/**
 * Each minute a worker checks whether anything has changed since the last check; if not, it gives back the memory that
 * it held for speed.
 */
const restingMs = isQuick ? 2000 : 100_000
/** After a burst, posting and the last copies of entries take some seconds. */
const settlingMs = isQuick ? 500 : 10_000
const idleSeconds = isQuick ? seconds : 20
/** A small store is rebuilt before a poll can see it. */
const begunWithinMs = isQuick ? 2000 : 60_000
const rebuildMs = Math.min(30, seconds * 3) * 1000

const isLive = (worker: Worker, mostMs: number) =>
  within(
    mostMs,
    async () => {
      if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
      const status = await worker.status()
      return status !== undefined && isUp(status) && status.inbox.pending === 0 ? true : undefined
    },
    sampleMs
  )

await using engine = await Engine.open()
await using live = await Live.at(engine)
let stored = 0

/** Returns how many seconds it took. */
const fill = async (count: number, program = "Fill.ts", ...what: ReadonlyArray<string>): Promise<number> => {
  const { directory, url } = live.place
  const from = performance.now()
  const places = [directory, `stored${stored}`, count, ...(url === undefined ? [] : [url])]
  stored += Number(await ended(program, ...what, ...places))
  return (performance.now() - from) / 1000
}

/** Returns a worker that has caught up; throws if it didn't in time. */
const caughtUp = async (count: number) => {
  await fill(count)
  const from = performance.now()
  const receiving = await live.begin()
  const taken = await watched(engine, receiving.worker, sampleMs, () => isLive(receiving.worker, patienceMs))
  const ms = performance.now() - from
  if (taken.result === undefined) throw new Error(`${count} events weren't caught up within ${patienceMs / 1000} s`)
  const perSecond = Math.round((count / ms) * 1000)
  const cpuMicrosPerEvent = round((taken.cpuMicros + taken.serverCpuMicros) / count, 1)
  return {
    receiving,
    perSecond,
    line: { events: count, perSecond, cpuMicrosPerEvent, statusP99Ms: statusP99Ms(taken.samples) }
  }
}

/** Measured from the start of the process. */
const restarted = async (end: (worker: Worker) => Promise<unknown>, receiving: Receiving) => {
  await end(receiving.worker)
  const atMs = Date.now()
  const from = performance.now()
  const next = await live.begin()
  const listeningMs = round(performance.now() - from, 0)
  await next.worker.reaches("it is live", ({ phase }) => phase === "live")
  return { next, atMs, ms: { listeningMs, liveMs: round(performance.now() - from, 0) } }
}

/** The copy that a start makes by itself, beside everything else that it does then. */
const firstCopy = async ({ atMs, next: { worker } }: Awaited<ReturnType<typeof restarted>>) => {
  const isThere = async () => {
    const at = (await worker.status())?.published.at ?? null
    return at !== null && Date.parse(at) >= atMs ? true : undefined
  }
  const taken = await watched(engine, worker, undefined, () => within(patienceMs, isThere, sampleMs))
  if (taken.result === undefined) throw new Error(`no copy for analysts within ${patienceMs / 1000} s of a start`)
  return used(taken)
}

/** Publishes once the copy before the newest may be changed. */
const publishedLater = async ({ worker }: Receiving, sinceMs: number) => {
  const areMadeFromOthers = stored >= manyForCopies
  if (areMadeFromOthers) await pause(Math.max(0, sinceMs + copyAgeMs - performance.now()))
  return { copy: await published(engine, worker), isWhole: !areMadeFromOthers }
}

/**
 * A hundred deliveries a second, once the worker is warm and has made two copies, one of which then becomes the next.
 */
const steady = async (receiving: Receiving, name: string) => {
  await start("Trickle.ts", receiving.port, `${name}-warm`, warmSeconds * perSecond, perSecond)
  await drained(receiving.worker)
  const second = await published(engine, receiving.worker)
  const atMs = performance.now()
  const alone = await trickle(engine, receiving, name, seconds)
  const later = await publishedLater(receiving, atMs)
  const each = ofEachDelivery(later.copy, alone.events, later.isWhole)
  return {
    line: {
      ...alone,
      cpuMsPerEvent: round(alone.cpuMsPerEvent + each.cpuMs, 2),
      writtenPerEvent: Math.round(alone.writtenPerEvent + each.written),
      withoutCopies: { cpuMsPerEvent: alone.cpuMsPerEvent, writtenPerEvent: alone.writtenPerEvent },
      copy: { ...later.copy, events: alone.events, everySeconds: each.everySeconds }
    },
    second
  }
}

/** A copy for analysts that was made meanwhile isn't idling; then it waits again. */
const resting = async ({ worker }: Receiving): Promise<Awaited<ReturnType<typeof idle>> | undefined> => {
  if (stored < most) return undefined
  const copiedAt = async () => (await worker.status())?.published.at
  for (let attempt = 0; attempt < 4; attempt++) {
    const before = await copiedAt()
    await pause(restingMs)
    const measured = await idle(engine, worker, idleSeconds)
    if (before !== undefined && (await copiedAt()) === before) return measured
  }
  throw new Error("copies for analysts were made all the time, though nothing was delivered")
}

const measured = async (given: Receiving) => {
  let receiving = given
  const name = `at${stored}`
  const whole = await published(engine, receiving.worker)
  const quiet = await resting(receiving)
  const slow = await steady(receiving, name)
  const fast = await burst(engine, receiving, `${name}-burst`, Math.min(seconds, 5))
  // The copy that a burst makes due is made at once, so that none comes later.
  if (stored >= most) {
    await pause(settlingMs)
    await published(engine, receiving.worker)
  }
  const afterBurst = await resting(receiving)
  const stopped = await restarted((worker) => worker.stop(), receiving)
  receiving = stopped.next
  const afterStop = await firstCopy(stopped)
  const killed = await restarted((worker) => worker.kill(), receiving)
  receiving = killed.next
  return {
    receiving,
    line: {
      stored,
      trickle: slow.line,
      burst: fast,
      ...(quiet && { idle: quiet }),
      ...(afterBurst && { afterBurst }),
      publish: { whole, second: slow.second, afterStop },
      restartMs: { stopped: stopped.ms, killed: killed.ms },
      residentMb: receiving.worker.residentMb
    }
  }
}

/**
 * Measured for half a minute from when the rebuild begins, or until it is done. A server's tables are emptied first.
 */
const rebuilt = async (worker: Worker) => {
  // After a kill the copy is made whole, which takes longer.
  await published(engine, worker)
  const pending = async () => (await worker.status())?.inbox.pending ?? 0
  const asked = performance.now()
  if ((await worker.verb("rebuild")) === undefined) return { refused: worker.refusal }
  // The worker starts over within the same process.
  const all = (await within(begunWithinMs, async () => [await pending()].find((count) => count > stored / 2))) ?? stored
  const from = performance.now()
  const { result, samples } = await watched(engine, worker, sampleMs, () => isLive(worker, rebuildMs))
  const left = result === true ? 0 : await pending()
  const times = samples.map(({ answeredAt, askedAt }) => answeredAt - askedAt)
  return {
    begunAfterSeconds: round((from - asked) / 1000, 1),
    eventsPerSecond: Math.round(((all - left) / (performance.now() - from)) * 1000),
    isDone: result === true,
    statusP50Ms: quantile(times, 0.5),
    statusP99Ms: statusP99Ms(samples)
  }
}

const first = await caughtUp(few)
const small = await measured(first.receiving)
await small.receiving.worker.stop()
const fillSeconds = await fill(most - stored, "AppliedFill.ts", "all")
const backlog = await caughtUp(Math.min(most / 5, first.line.perSecond * backlogSeconds))
const large = await measured(backlog.receiving)
const rebuild = await rebuilt(large.receiving.worker)
await large.receiving.worker.kill()
process.stdout.write(
  `${JSON.stringify({
    bench: "size",
    engine: Engine.name,
    stored,
    wanted: most,
    fillSeconds: round(fillSeconds, 0),
    catchingUp: { ...backlog.line, small: first.line },
    rebuild,
    small: small.line,
    large: large.line
  })}\n`
)
