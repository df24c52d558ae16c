/**
 * How long entries took from the receipt of their event until they were posted: for the metrics since the start, for
 * Status over the last thousand.
 */
import { Clock, Duration, Effect, Metric } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Timings from "../Runtime/Timings.ts"
import type { Entry } from "./Fact.ts"

export class Posted {
  /** A registry of its own, because the metrics already have the histogram. */
  readonly #registry: Metric.MetricRegistry = new Map()
  readonly #last = Metric.summary("posted", {
    maxAge: Duration.infinity,
    maxSize: 1000,
    quantiles: [0.5, 0.99]
  })

  readonly measure = Effect.fnUntraced(function* (this: Posted, entries: ReadonlyArray<Entry>) {
    const nowMs = yield* Clock.currentTimeMillis
    for (const { event_id, known_at } of entries) {
      if (event_id === null) continue
      const seconds = Math.max(0, nowMs / 1000 - Instant.toMicros(known_at) / 1_000_000)
      yield* Timings.observe("posted", seconds)
      yield* this.#own(Metric.update(this.#last, seconds))
    }
  })

  get ms(): Effect.Effect<{ readonly p50: number | null; readonly p99: number | null }> {
    return Effect.map(this.#own(Metric.value(this.#last)), ({ quantiles }) => {
      const [p50, p99] = quantiles.map(([, seconds]) => (seconds === undefined ? null : seconds * 1000))
      return { p50: p50 ?? null, p99: p99 ?? null }
    })
  }

  #own<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.provideService(effect, Metric.MetricRegistry, this.#registry)
  }
}
