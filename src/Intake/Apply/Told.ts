/**
 * Reports what became of each delivery to the log, the metrics and its trace. Run it after the batch is stored.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import * as Timings from "../../Runtime/Timings.ts"
import * as Trace from "../../Runtime/Trace.ts"
import type { ReadEvent } from "./Readings.ts"

/** When the events began to be applied. */
export interface Begun {
  readonly begunMs: number
  readonly steps: Trace.Steps | undefined
}

const trace = (steps: Trace.Steps, { event, reading }: ReadEvent, startMs: number, endMs: number): void =>
  steps.add({
    name: "delivery.apply",
    eventId: event.eventId,
    startMs,
    endMs,
    kind: "consumer",
    attributes: {
      "event.type": reading.type,
      sequence: event.sequence,
      entity: reading.entity,
      "entity.id": reading.entityId,
      quarantined: reading.reason
    }
  })

export const tell = Effect.fnUntraced(function* (written: ReadonlyArray<ReadEvent>, { begunMs, steps }: Begun) {
  const isDetailed = yield* LogLine.isDetailed
  const observe = yield* Timings.observer("visible")
  const nowMs = yield* Clock.currentTimeMillis
  for (const each of written) {
    const { event, reading } = each
    const seconds = Math.max(0, nowMs / 1000 - Instant.toMicros(event.receivedAt) / 1_000_000)
    if (steps !== undefined) trace(steps, each, begunMs, nowMs)
    if (reading.reason === null) observe(seconds)
    if (reading.reason !== null || isDetailed) yield* Trace.within(event.eventId, line(each, seconds))
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
