/**
 * Events with their readings: what the ledger hears of each, and the row that analysts see. Pure.
 */
import {
  aheadMicros,
  type Alarm,
  type Event,
  type EventReader,
  labelOnly,
  type Naming,
  type Reading
} from "../../Domain/Event.ts"
import * as Instant from "../../Domain/Instant.ts"
import * as Limits from "../../Domain/Limits.ts"
import { type AppliedEvent, factsOf } from "../../Ledger/EventFacts.ts"
import type { EventRow } from "../../Stores/WarehouseTables.ts"

/** An event and its reading, ready to be written. */
export interface ReadEvent {
  readonly event: Event
  readonly reading: Omit<Reading, "reason"> & { readonly reason: string | null }
  readonly alarms: ReadonlyArray<Alarm>
}

export const read = (
  event: Event,
  reader: EventReader["Service"],
  nowMicros: number,
  as?: Naming
): ReadEvent | Promise<ReadEvent> => {
  const reading = reader.read(event, nowMicros, as)
  return reading instanceof Promise ? reading.then((each) => judged(event, each)) : judged(event, reading)
}

const judged = (event: Event, reading: Reading): ReadEvent => {
  const alarms: Array<Alarm> = []
  if (event.isReused === true) alarms.push("id-reused")
  if (event.replayed) alarms.push("replayed")
  if (reading.relabelled) alarms.push("relabelled")
  const isForPerson = reading.isByLabel && heard({ event, reading }).flatMap(factsOf).length > 0
  return { event, reading: isForPerson ? { ...reading, reason: labelOnly } : reading, alarms }
}

/** The ledger hears only of events that are applied, and of none whose type only a label says. */
export const heard = ({ event, reading }: Pick<ReadEvent, "event" | "reading">): ReadonlyArray<AppliedEvent> =>
  reading.reason !== null || reading.change === undefined || reading.eventTimestamp === null
    ? []
    : [{ eventId: event.eventId, at: reading.eventTimestamp, receivedAt: event.receivedAt, change: reading.change }]

const notStorable = "not-storable"

/** Puts the event into quarantine, because an engine can't hold its contents. */
export const refused = ({ event, reading, alarms }: ReadEvent): ReadEvent => ({
  event,
  reading: { ...reading, entity: null, entityId: null, reason: notStorable, change: undefined },
  alarms
})

/** An event that is already in quarantine still shows which record it is about. */
export const ifStorable = (read: ReadEvent): ReadEvent => {
  const { change, entityId } = read.reading
  const isHeld = change === undefined ? Limits.isText(entityId ?? "") : Limits.canHold(change)
  return isHeld ? read : refused(read)
}

/** When an event of the future is due. */
export const dueAt = ({ eventTimestamp, reason }: ReadEvent["reading"]): Instant.Instant | null =>
  reason === "event-time-ahead" && eventTimestamp !== null
    ? Instant.fromMicros(Instant.toMicros(eventTimestamp) - aheadMicros)
    : null

export const isRefused = ({ reading }: ReadEvent): boolean => reading.reason === notStorable

export const toRow = (read: ReadEvent): EventRow => ({
  body_sha256: read.event.bodySha256,
  sequence: String(read.event.sequence),
  event_id: read.event.eventId,
  event_type: read.reading.type,
  event_timestamp: read.reading.eventTimestamp,
  entity: read.reading.entity,
  entity_id: read.reading.entityId,
  // The Store keeps the bytes.
  payload: isRefused(read) || !Limits.isText(read.reading.text ?? "") ? null : read.reading.text,
  issued_at: read.event.issuedAt,
  received_at: read.event.receivedAt,
  deliveries: String(read.event.deliveries),
  outcome: read.reading.reason === null || read.reading.reason === labelOnly ? "applied" : "quarantined",
  reason: read.reading.reason,
  alarms: JSON.stringify(read.alarms)
})
