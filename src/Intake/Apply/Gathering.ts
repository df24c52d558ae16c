/**
 * How long events are gathered after a batch: a pause that trades latency for time of the CPU. Pure.
 */
import { Duration } from "effect"

/** As many as this are a stream, of which each costs less if more of them wait together. */
const manyPerSecond = 500

const longest = Duration.millis(250)

/**
 * A batch costs as much as dozens of events, so those that arrive close together are gathered into one: as long as an event
 * is visible within 0.1 s all the same, which a batch that is under way and its own may take part of. Batches that take
 * longer leave the machine as much time for others, up to 0.1 s.
 */
export const gathering = (perSecond: number, lasted: Duration.Duration): Duration.Duration => {
  const lastedMs = Duration.toMillis(lasted)
  return perSecond >= manyPerSecond
    ? longest
    : Duration.millis(Math.max(50, 90 - 2 * lastedMs, Math.min(lastedMs, 100)))
}
