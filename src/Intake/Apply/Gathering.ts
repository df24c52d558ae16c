/**
 * How long events are gathered after a batch: a pause that trades latency for CPU time. Pure.
 */
import { Duration } from "effect"

/** This many are a stream, in which each event costs less if more of them wait together. */
const manyPerSecond = 500

const longest = Duration.millis(250)

/**
 * A batch costs as much as dozens of events, so events that arrive close together are gathered into one. An event must
 * still be visible within 0.1 s, part of which the batch under way and the event's own batch may need. After a longer
 * batch, the pause is as long as the batch was, up to 0.1 s, to leave the machine to others.
 */
export const gathering = (perSecond: number, lasted: Duration.Duration): Duration.Duration => {
  const lastedMs = Duration.toMillis(lasted)
  return perSecond >= manyPerSecond
    ? longest
    : Duration.millis(Math.max(50, 90 - 2 * lastedMs, Math.min(lastedMs, 100)))
}
