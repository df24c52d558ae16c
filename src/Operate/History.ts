/**
 * History: what this worker did in each minute of the last day: deliveries that it took, how long their events took
 * until they were visible and posted, and requests that it sent. It is counted in memory and written once a minute,
 * when the minute ends, and when the worker stops; rows older than 25 hours are deleted.
 *
 * Nothing waits for it. If the process is killed, the current minute is lost; if the Store is unavailable, so are the
 * minutes that it misses. A minute in which the worker was down has no row. If there is only one worker, its next start
 * continues the same minute.
 */
import { Clock, Context, Duration, Effect, Fiber, Layer } from "effect"
import type { Selectable } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import { Receiver } from "../Intake/Receiver.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import * as Timings from "../Runtime/Timings.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { Pace } from "../Walk/Pace.ts"
import { Latencies } from "./History/Latencies.ts"
import { Workers } from "./Workers.ts"

type Row = Selectable<StoreTables["history"]>

const minuteMs = Duration.toMillis("1 minute")
const keptMs = Duration.toMillis("25 hours")
const longestEnd = Duration.seconds(2)

/** Counts things as they happen, from below all pipelines. */
export class Tally extends Context.Service<Tally, { readonly visible: Latencies; readonly posted: Latencies }>()(
  "siteledger/History/Tally"
) {}

/** Counts what `Timings` observes in the layers above. */
export const counting = Layer.effectContext(
  Effect.sync(() => {
    const tally = { visible: new Latencies(), posted: new Latencies() }
    const listeners = {
      visible: (seconds: number) => tally.visible.add(seconds * 1000),
      posted: (seconds: number) => tally.posted.add(seconds * 1000)
    }
    return Context.make(Tally, tally).pipe(Context.add(Timings.Listeners, listeners))
  })
)

/** The row of this worker's current minute; empty in a process that isn't a worker. */
export const UnderWay = Context.Reference<Effect.Effect<ReadonlyArray<Row>>>("siteledger/History/UnderWay", {
  defaultValue: () => Effect.succeed([])
})

/** The name where there is only one worker. */
const alone = "alone"

const added = (row: Row, { deliveries, posted, requests, visible }: Row): Row => {
  const both = (one: string, other: string): string => {
    const all = new Latencies()
    all.addKept(one)
    all.addKept(other)
    return all.kept
  }
  return {
    ...row,
    deliveries: row.deliveries + deliveries,
    visible: both(row.visible, visible),
    posted: both(row.posted, posted),
    requests: row.requests + requests
  }
}

const write = (row: Row) =>
  Effect.gen(function* () {
    const store = yield* Store
    const oldest = Instant.fromMillis((yield* Clock.currentTimeMillis) - keptMs)
    yield* store.transaction(
      async (tx) => {
        const { minute, worker } = row
        const all = tx.selectFrom("history").selectAll().where("minute", "=", minute).where("worker", "=", worker)
        const before = await all.executeTakeFirst()
        const whole = before === undefined ? row : added(row, before)
        await tx
          .insertInto("history")
          .values(whole)
          .onConflict((of) => of.columns(["minute", "worker"]).doUpdateSet(whole))
          .execute()
        await tx.deleteFrom("history").where("minute", "<", oldest).execute()
      },
      // A power cut may destroy it.
      { isRepeatable: true }
    )
  }).pipe(Effect.catchTag("StoreError", (error) => Effect.logDebug("A minute of the history is lost", error)))

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs) * minuteMs

/** Counts of this process since its start. */
const counted = Effect.gen(function* () {
  const { accepted } = yield* Receiver.use(({ status }) => status)
  return { deliveries: accepted, requests: yield* Pace.use(({ sent }) => sent) }
})

const make = Effect.gen(function* () {
  const { pollEvery } = yield* Store
  const { id } = yield* Workers
  const { posted, visible } = yield* Tally
  const { limitPerMinute } = yield* Pace.use(({ usage }) => usage)
  const worker = Duration.isFinite(pollEvery) ? id : alone
  const services = yield* Effect.context<Receiver | Pace | Store>()
  let begun = { atMs: minuteOf(yield* Clock.currentTimeMillis), deliveries: 0, requests: 0 }

  const rowOf = ({ deliveries, requests }: Effect.Success<typeof counted>): Row => ({
    worker,
    minute: Instant.fromMillis(begun.atMs),
    deliveries: deliveries - begun.deliveries,
    visible: visible.kept,
    posted: posted.kept,
    requests: requests - begun.requests,
    request_limit: limitPerMinute
  })

  /** Ends the minute, and begins the current one. */
  const next = Effect.gen(function* () {
    const counts = yield* counted
    const atMs = minuteOf(yield* Clock.currentTimeMillis)
    const row = rowOf(counts)
    visible.clear()
    posted.clear()
    begun = { atMs, ...counts }
    return row
  })

  const turn = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    // Forked, so that a slow Store doesn't delay the next minutes.
    if (minuteOf(nowMs) !== begun.atMs) yield* Effect.forkScoped(write(yield* next))
    yield* Effect.sleep(minuteOf(nowMs) + minuteMs - nowMs)
  })

  /** An unavailable Store doesn't keep the worker from stopping. */
  const end = Effect.gen(function* () {
    const writing = yield* Effect.forkDetach(write(yield* next))
    yield* Effect.timeoutOption(Effect.interruptible(Fiber.await(writing)), longestEnd)
  })

  yield* Effect.addFinalizer(() => Effect.provideContext(end, services))
  yield* Effect.forkScoped(supervised("the history", turn))
  return Effect.provideContext(
    Effect.map(counted, (counts) => [rowOf(counts)]),
    services
  )
})

export const layer = Layer.effect(UnderWay, make)
