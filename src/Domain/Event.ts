/**
 * An Event is a signed body that the Inbox holds; a Reading is what a connector makes of it.
 *
 * Reading is pure. An event either says something (a Change, or nothing to change, like a ping) or waits in quarantine with
 * a reason. Either way it keeps its place in the stored order and blocks nothing.
 */
import { Context } from "effect"
import type { Change } from "./Change.ts"
import type { Instant } from "./Instant.ts"
import type { EntityName } from "./Resource.ts"

/** A signed body in the Inbox, with the unsigned headers of its first delivery. */
export interface Event {
  readonly sequence: number
  /** Hex. Identifies the event: a body is stored once, under any number of ids. */
  readonly bodySha256: string
  /** As it was signed, so it may be compressed (`Domain/Body`). */
  readonly body: Uint8Array
  readonly eventId: string
  readonly headerType: string | null
  /** Other types in the headers of later deliveries: the first header may have been forged. */
  readonly otherTypes?: ReadonlyArray<string>
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
  readonly deliveries: number
  /** The same body also arrived under another id. */
  readonly replayed: boolean
  /** An earlier, different body has the same id. */
  readonly isReused?: boolean
}

export type QuarantineReason =
  /** Unpacked, it would be larger than a delivery may be. */
  | "too-large"
  | "not-utf8"
  | "not-json"
  | "not-an-object"
  | "unknown-type"
  | "type-not-provable"
  | "no-key"
  | "no-event-time"
  | "event-time-ahead"
  | "amount-does-not-fit"

/**
 * An event time further ahead than this would freeze its fields, so the event waits in quarantine until its time is
 * near enough.
 */
export const aheadMicros = 24 * 60 * 60 * 1_000_000

/** Applied to rows, but quarantined for the ledger: only the label of a later delivery names its type. */
export const labelOnly = "label-only"

/** Oddities of an event that was accepted all the same. */
export const alarms = ["id-reused", "replayed", "relabelled"] as const
export type Alarm = (typeof alarms)[number]

export interface Reading {
  /** The whole body, unpacked if it was compressed; null if it isn't text. */
  readonly text: string | null
  /** The type that the body proves; otherwise the header's. */
  readonly type: string | null
  /**
   * The body proves several types, and the header of a later delivery chose this one. Enough for rows, not for money.
   */
  readonly isByLabel: boolean
  /** The header names a different type than the body proves. */
  readonly relabelled: boolean
  readonly eventTimestamp: Instant | null
  readonly entity: EntityName | null
  readonly entityId: string | null
  readonly reason: QuarantineReason | null
  /** What the event says; undefined when it waits in quarantine or says nothing (a ping). */
  readonly change: Change | undefined
  /** The number of values that didn't fit their column and are kept in `_extra`. */
  readonly misfits: number
}

/** How deliveries are read: the service's names for their fields, and where these fields are. */
export interface Naming {
  readonly aliases: Readonly<Record<string, ReadonlyArray<string>>>
  readonly contentsAt: ReadonlyArray<string>
  readonly trustTypeHeader: boolean
}

/**
 * Implemented by the connector. Reads one event as of `nowMicros`. `as`: the naming of another time; by default the
 * configured one. Returns a promise only for a large event.
 */
export class EventReader extends Context.Service<
  EventReader,
  {
    /** Types that the ledger hears of, as named in headers, which prove nothing. */
    readonly ledgerTypes: ReadonlyArray<string>
    /** Those among them that someone waits for: payments. */
    readonly awaitedTypes: ReadonlyArray<string>
    readonly read: (event: Event, nowMicros: number, as?: Naming) => Reading | Promise<Reading>
  }
>()("siteledger/Event/EventReader") {}
