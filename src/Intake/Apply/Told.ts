/**
 * What became of each delivery, told to the log and the metrics: to be run once it is kept.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import * as Timings from "../../Runtime/Timings.ts"
import type { ReadEvent } from "./Readings.ts"

export const tell = Effect.fnUntraced(function* (written: ReadonlyArray<ReadEvent>) {
  const isDetailed = yield* LogLine.isDetailed
  const observe = yield* Timings.observer("visible")
  const nowMs = yield* Clock.currentTimeMillis
  for (const each of written) {
    const { event, reading } = each
    const seconds = Math.max(0, nowMs / 1000 - Instant.toMicros(event.receivedAt) / 1_000_000)
    if (reading.reason === null) observe(seconds)
    if (reading.reason !== null || isDetailed) yield* line(each, seconds)
  }
})

const line = ({ event, reading }: ReadEvent, seconds: number): Effect.Effect<void> => {
  const given = {
    event_id: event.eventId,
    event_type: reading.type,
    sequence: event.sequence,
    entity: reading.entity,
    entity_id: reading.entityId
  }
  return reading.reason === null
    ? LogLine.write("delivery.applied", { ...given, seconds: LogLine.seconds(Duration.seconds(seconds)) })
    : LogLine.write("delivery.quarantined", { ...given, why: reading.reason })
}
