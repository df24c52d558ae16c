/**
 * What became of each delivery, told to the log: to be run once it is kept.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import type { ReadEvent } from "./Readings.ts"

export const tell = Effect.fnUntraced(function* (written: ReadonlyArray<ReadEvent>) {
  const isDetailed = yield* LogLine.isDetailed
  const nowMs = yield* Clock.currentTimeMillis
  for (const { event, reading } of written) {
    if (reading.reason === null && !isDetailed) continue
    const given = {
      event_id: event.eventId,
      event_type: reading.type,
      sequence: event.sequence,
      entity: reading.entity,
      entity_id: reading.entityId
    }
    if (reading.reason !== null) yield* LogLine.write("delivery.quarantined", { ...given, why: reading.reason })
    else {
      const age = Duration.millis(Math.max(0, nowMs - Instant.toMicros(event.receivedAt) / 1000))
      yield* LogLine.write("delivery.applied", { ...given, seconds: LogLine.seconds(age) })
    }
  }
})
