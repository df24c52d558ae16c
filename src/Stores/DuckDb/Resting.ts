/**
 * An idle warehouse gives back memory that it holds only for speed: DuckDB's cache, the rows that events changed last and
 * the numbers of all rows, along with the garbage of the thread that wrote them.
 *
 * It does so one minute after the last change, copy for analysts or export, and ten minutes after someone last looked
 * something up, because people tend to look again. Never during a write or a read, which could run out of memory; then
 * it waits the same time again.
 */
import { Effect, Latch, Option, Semaphore } from "effect"

/** How many may read at once: effectively unlimited. */
export const readers = 1_000_000

export interface Turns {
  readonly oneWriter: Semaphore.Semaphore
  readonly reading: Semaphore.Semaphore
}

interface Rest {
  readonly giveBack: () => Promise<void>
  /** Grows with each change. */
  readonly version: () => number
}

/** Both wrap every use of the warehouse. */
export const make = Effect.fnUntraced(function* ({ oneWriter, reading }: Turns, { giveBack, version }: Rest) {
  const given = Effect.uninterruptible(Effect.promise(giveBack))
  const ifFree = oneWriter.withPermit(reading.withPermitsIfAvailable(readers)(given))
  const after = Effect.fnUntraced(function* (pause: "1 minute" | "10 minutes") {
    const used = yield* Latch.make(false)
    const turn = Effect.gen(function* () {
      yield* used.await
      const before = version()
      yield* Effect.sleep(pause)
      if (version() !== before) return
      yield* used.close
      if (Option.isNone(yield* ifFree)) yield* used.open
    })
    yield* Effect.forkScoped(Effect.forever(turn))
    return <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.ensuring(use, used.open)
  })
  return { working: yield* after("1 minute"), looking: yield* after("10 minutes") }
})
