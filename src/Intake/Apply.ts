/**
 * Apply drains the Inbox in stored order, a batch at a time: events → the Ledger's decision (facts, entries, holds) →
 * one write of the Warehouse → settled in the Inbox (`Apply/Batch`). In between, the Ledger hears of what waits
 * (`Apply/Hearing`).
 *
 * A batch is settled after it is written, so a process that dies in between applies the same events once more, which
 * changes nothing. Apply alone retries, with growing pauses, until the stores answer again.
 *
 * An event whose time was too far ahead is read again automatically once its time is near enough or our clock was
 * corrected.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Schedule, Semaphore } from "effect"
import type { Event, EventReader } from "../Domain/Event.ts"
import * as Instant from "../Domain/Instant.ts"
import type { Copies } from "../Ledger/Copies.ts"
import type { Ledger } from "../Ledger/Ledger.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Restart } from "../Runtime/Restart.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import { firstOf, type TakenBatch } from "../Stores/Deliveries.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { apply, atOnce } from "./Apply/Batch.ts"
import { gathering } from "./Apply/Gathering.ts"
import { hearBeside, Hearing, hearMeanwhile } from "./Apply/Hearing.ts"
import type { ReadEvent } from "./Apply/Readings.ts"
import { Inbox, type Which } from "./Inbox.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Trace from "../Runtime/Trace.ts"
import { tell } from "./Apply/Told.ts"

export interface Replayed {
  readonly read: number
  readonly applied: number
}

type Services = EventReader | Inbox | Ledger | Copies | Store | Warehouse

export class Apply extends Context.Service<
  Apply,
  {
    /** Reads the quarantine again with today's configuration and applies what has become readable. */
    readonly replay: Effect.Effect<Replayed, StoreError | WarehouseError>
    /** The same for these events, as far as they are in quarantine. */
    readonly replayOf: (sequences: ReadonlyArray<number>) => Effect.Effect<Replayed, StoreError | WarehouseError>
    /** Applies these events once more. */
    readonly again: (sequences: ReadonlyArray<number>) => Effect.Effect<void, StoreError | WarehouseError>
    /** Since the start, by name: events applied or quarantined, values that didn't fit their column, alarms. */
    readonly counts: Effect.Effect<Readonly<Record<string, number>>>
  }
>()("siteledger/Apply") {
  static readonly layer: Layer.Layer<Apply, never, Services | Reasons> = Layer.effect(
    Apply,
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const { deliveries, pollEvery } = yield* Store
      const { opened } = yield* Warehouse
      const counts = new Counts()
      const turn = yield* Semaphore.make(1)
      const hearing = new Hearing()
      const steps = yield* Trace.steps
      /** When the last batch ended. */
      let ended = 0
      const drain = Effect.gen(function* () {
        yield* opened
        // Deliveries stored by other workers don't open the latch here.
        const hasArrived = yield* Effect.raceFirst(
          Effect.as(inbox.arrived.await, true),
          Effect.as(Beat.next(pollEvery), false)
        )
        if (!hasArrived && !(yield* deliveries.isWaiting)) return
        // Closed before looking, so that events that arrive from here on open it again.
        yield* inbox.arrived.close
        yield* hearMeanwhile(hearing, Duration.zero, Duration.zero)
        while (true) {
          const batch = Effect.retry(turn.withPermit(step(counts, hearing, steps)), atOnce)
          const [lasted, taken] = yield* hearBeside(hearing, batch)
          if (taken === 0) return
          const before = ended
          ended = yield* Clock.currentTimeMillis
          const perSecond = (taken / Math.max(ended - before, 1)) * 1000
          yield* hearMeanwhile(hearing, taken < batchEvents ? gathering(perSecond, lasted) : Duration.zero, lasted)
        }
      })
      yield* Effect.forkScoped(supervised("applying events", retrying(drain)))
      yield* Effect.forkScoped(
        led("events of the future", Effect.andThen(release(counts, turn), Effect.sleep("1 minute")))
      )
      const context = yield* Effect.context<Services>()
      return Apply.of({
        replay: Effect.provideContext(replay(counts, turn, {}), context),
        replayOf: (among) =>
          among.length === 0
            ? Effect.succeed({ read: 0, applied: 0 })
            : Effect.provideContext(replay(counts, turn, { among }), context),
        again: (sequences) => Effect.provideContext(again(sequences, turn), context),
        counts: Effect.sync(() => counts.all)
      })
    })
  )
}

const batchEvents = 2000

const eventsOf = ({ taken }: TakenBatch): ReadonlyArray<Event> => taken.map(({ event }) => event)

/** One batch; returns how many events it had. */
const step = Effect.fnUntraced(function* (counts: Counts, hearing: Hearing, steps: Trace.Steps | undefined) {
  const begunMs = yield* Clock.currentTimeMillis
  const inbox = yield* Inbox
  const store = yield* Store
  const { took, written } = yield* store.atomically(
    Effect.gen(function* () {
      const took = yield* inbox.take(batchEvents)
      const isHeard = (event: Event) => hearing.has(event)
      return { took, written: took.taken.length === 0 ? [] : yield* apply(eventsOf(took), { took, isHeard }) }
    })
  )
  hearing.applied(firstOf(took, written.length))
  // Counted once its batch is stored.
  const fresh = new Set(took.taken.filter(({ isFresh }) => isFresh).map(({ event }) => event.sequence))
  const isFresh = ({ event }: ReadEvent): boolean => fresh.has(event.sequence)
  counts.add(written, isFresh)
  yield* tell(written.filter(isFresh), { begunMs, steps })
  return took.taken.length
})

const pauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

const retrying = <R>(turn: Effect.Effect<void, StoreError | WarehouseError, R>) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const reasons = yield* Reasons
    const noticed = Effect.tapError(turn, (error) =>
      Effect.gen(function* () {
        yield* inbox.arrived.open
        yield* reasons.set("apply", `Events can't be applied for now: ${error.message}`)
        if (error.reason === "Fatal") yield* openAgain
      })
    )
    yield* Effect.orDie(Effect.retry(noticed, pauses))
    yield* reasons.clear("apply")
  })

const fatal = "a file has to be closed and opened again after an error"

/** After a fatal error, an engine works again only after its file was closed and reopened. */
const openAgain = Effect.flatMap(
  Effect.serviceOption(Restart),
  Option.match({ onNone: () => Effect.void, onSome: ({ request }) => request(fatal) })
)

/** Events that can't be applied now are due again in a minute. */
const release = (counts: Counts, turn: Semaphore.Semaphore) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => replay(counts, turn, { dueBy: Instant.fromMillis(nowMs) })).pipe(
    Effect.tap(({ applied }) => (applied === 0 ? Effect.void : LogLine.write("deliveries.released", { applied }))),
    Effect.catch((error) => Effect.logDebug("Events of the future can't be applied now", error))
  )

/**
 * Each batch is read and written in one turn. Otherwise an event that is delivered again meanwhile would lose that
 * delivery.
 */
const replay = Effect.fnUntraced(function* (counts: Counts, turn: Semaphore.Semaphore, which: Which) {
  const inbox = yield* Inbox
  const store = yield* Store
  let after = 0
  let read = 0
  let applied = 0
  const next = Effect.gen(function* () {
    const events = yield* inbox.quarantined(after, batchEvents, which)
    return events.length === 0 ? [] : yield* store.atomically(apply(events, undefined))
  })
  while (true) {
    const begunMs = yield* Clock.currentTimeMillis
    const done = yield* turn.withPermit(next)
    if (done.length === 0) return { read, applied }
    counts.add(done)
    const free = done.filter(({ reading }) => reading.reason === null)
    yield* tell(free, { begunMs, steps: undefined })
    read += done.length
    applied += free.length
    after = done.at(-1)?.event.sequence ?? after
  }
})

const again = Effect.fnUntraced(function* (sequences: ReadonlyArray<number>, turn: Semaphore.Semaphore) {
  const store = yield* Store
  for (let left = sequences; left.length > 0;) {
    const done = yield* turn.withPermit(
      Effect.gen(function* () {
        const events = yield* store.deliveries.read(left.slice(0, batchEvents))
        return events.length === 0 ? [] : yield* store.atomically(apply(events, undefined))
      })
    )
    const last = done.at(-1)?.event.sequence ?? Infinity
    left = left.filter((sequence) => sequence > last)
  }
})

/** More than are redelivered at the same time. */
const mostAlarmed = 10_000

/** An event that is redelivered counts once, and so does each of its alarms, unless many others came in between. */
class Counts {
  readonly #counts = new Map<string, number>()
  readonly #alarmed = new Set<string>()

  /** `isFresh`: false for events that were applied before and are counted only by the inbox. */
  add(events: ReadonlyArray<ReadEvent>, isFresh: (event: ReadEvent) => boolean = () => true): void {
    for (const each of events) {
      const { alarms, event, reading } = each
      if (isFresh(each)) {
        this.#add(reading.reason === null ? "applied" : "quarantined", 1)
        this.#add("misfits", reading.misfits)
      }
      for (const alarm of alarms) {
        const key = `${event.sequence} ${alarm}`
        if (!this.#alarmed.has(key)) this.#add(alarm, 1)
        this.#alarmed.add(key)
      }
    }
    for (const oldest of this.#alarmed) {
      if (this.#alarmed.size <= mostAlarmed) break
      this.#alarmed.delete(oldest)
    }
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }

  #add(name: string, amount: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount)
  }
}
