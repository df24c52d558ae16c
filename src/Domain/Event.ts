/**
 * An Event is a signed body that the Inbox holds; a Reading is what a connector makes of it.
 *
 * Reading decides purely: either the event says something (a Change, or nothing to change, as a ping), or
 * it waits in quarantine with a reason. Either way it keeps its place in the stored order and blocks nothing.
 */
import { Context } from "effect"
import type { Change } from "./Change.ts"
import type { Instant } from "./Instant.ts"
import type { EntityName } from "./Resource.ts"

/** A signed body as it lies in the Inbox, with what the unsigned headers of its first delivery said. */
export interface Event {
  readonly sequence: number
  /** Hex. The identity of the event: a body is stored once, whatever ids it arrives under. */
  readonly bodySha256: string
  readonly body: Uint8Array
  readonly eventId: string
  readonly headerType: string | null
  /** What else the headers of later deliveries called it: the first one may have been forged. */
  readonly otherTypes?: ReadonlyArray<string>
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
  readonly deliveries: number
  /** The same body came under another id. */
  readonly replayed: boolean
}

export type QuarantineReason =
  | "not-utf8"
  | "not-json"
  | "not-an-object"
  | "unknown-type"
  | "type-not-provable"
  | "no-key"
  | "no-event-time"
  | "event-time-ahead"
  | "amount-does-not-fit"

export type Alarm = "id-reused" | "replayed" | "relabelled"

export interface Reading {
  /** The type that the body proves; else the header's. */
  readonly type: string | null
  /** The header named another type than the one that the body proves. */
  readonly relabelled: boolean
  readonly eventTimestamp: Instant | null
  readonly entity: EntityName | null
  readonly entityId: string | null
  readonly reason: QuarantineReason | null
  /** What the event says; undefined when it waits in quarantine or says nothing (a ping). */
  readonly change: Change | undefined
  /** Values that did not fit their column and are kept in `_extra`. */
  readonly misfits: number
}

/** The connector's part of Apply: reads one event as of `nowMicros`. */
export class EventReader extends Context.Service<
  EventReader,
  {
    readonly read: (event: Event, nowMicros: number) => Reading
  }
>()("siteledger/Event/EventReader") {}
