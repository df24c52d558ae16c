/**
 * A warehouse that nobody uses gives back what it holds only to be fast: DuckDB's cache, and the rows that events changed last,
 * with the garbage of the thread that wrote them.
 *
 * It does so a minute after the last change, copy for analysts or export, and ten after somebody has looked something up, as
 * looks come again and again. Never while somebody writes or reads, who would run out of memory: then it waits as long again.
 */
import { Effect, Latch, Option, Semaphore } from "effect"

/** How many may read at once: as many as want to. */
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

/** Both wrap what uses the warehouse. */
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
