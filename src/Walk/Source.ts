/**
 * What a connector offers to a Walk: one paged list per resource.
 *
 * `fetch` retries transient failures (429, 5xx, timeouts, malformed pages). It fails only with what a Walk or a person
 * must decide.
 */
import { Context, type Duration, type Effect, Schema } from "effect"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Lane } from "./Pace.ts"

/** A record that can't be copied: its JSON text, and the hash that identifies it. */
export interface BadRecord {
  /** It has no usable key, or contains something that an engine can't hold (`Domain/Limits`). */
  readonly reason: "no-key" | "not-storable"
  /** Its usable key, under which it still counts as listed, so that its earlier row isn't buried. */
  readonly id?: string
  readonly sha256: string
  readonly record: string
}

/** One page of a list, as far as a Walk needs it. The records themselves aren't kept. */
export interface Page {
  readonly changes: ReadonlyArray<Change>
  readonly bad: ReadonlyArray<BadRecord>
  /** How many records the page held, including bad ones. */
  readonly records: number
  /** Records in the whole list. */
  readonly total: number
  readonly page: number
  readonly perPage: number
  /** The earliest time whose state the page may show, in µs: the request's start, minus a margin. */
  readonly observedMicros: number
  readonly receivedAt: Instant
}

export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  /**
   * PageSizeRefused: ask for a smaller page. OtherPage: the service answered with a different page. Refused: only a
   * person can help (credentials, scope, address); `message` says what to check. Unanswered: this request got no good
   * answer although it was repeated; used only where that says nothing about other requests.
   */
  reason: Schema.Literals(["PageSizeRefused", "OtherPage", "Refused", "Unanswered"]),
  message: Schema.String,
  /** There is nothing at the address (404). */
  isAbsent: Schema.optionalKey(Schema.Boolean)
}) {}

export interface Walked {
  /** The table of its records. */
  readonly resource: string
  /** How often it is walked; by default as often as the worker walks (`SITELEDGER_WALK_EVERY`). */
  readonly every?: Duration.Duration
  /** It can also be asked for what changed since a time. It is then read whole only this often. */
  readonly whole?: Duration.Duration
  /** Identifies how the list is read. If it differs, an interrupted pass begins again. */
  readonly definition?: string
}

/** Its pages are numbered, and each says how many records there are, so they can be requested concurrently. */
export interface PagedList extends Walked {
  /** `perPage`: undefined for the service's default. `since`: only what changed since then, by the service's clock. */
  readonly fetch: (
    page: number,
    perPage: number | undefined,
    lane: Lane,
    since?: Instant
  ) => Effect.Effect<Page, SourceError>
}

/** A page that says at most where the next one is. */
export interface SerialPage extends Omit<Page, "page" | "perPage" | "total"> {
  /** By the service's count, on the first page; otherwise 0. */
  readonly total: number
  /** Where to continue; undefined if this was the last page. */
  readonly next: string | undefined
}

/** A list in which each page says where the next one is. */
export interface SerialList extends Walked {
  /** The service counts its records. */
  readonly isCounted: boolean
  /** `from`: `next` of the previous page; undefined for the first page. `since`: only what changed since then. */
  readonly follow: (from: string | undefined, lane: Lane, since?: Instant) => Effect.Effect<SerialPage, SourceError>
}

/** A row of another list's table, below which there is a list. */
export interface Parent {
  readonly key: string
  /** By column; null if this row has no value. */
  readonly values: Readonly<Record<string, string | null>>
}

/** Many lists, one below each row of another list's table. It is walked once those rows exist. */
export interface ChildList extends Walked {
  readonly parent: { readonly table: string; readonly columns: ReadonlyArray<string> }
  /** The service counts the records of each list. */
  readonly isCounted: boolean
  readonly followBelow: (parent: Parent, from: string | undefined, lane: Lane) => Effect.Effect<SerialPage, SourceError>
}

export type List = PagedList | SerialList | ChildList

export const isPaged = (list: List): list is PagedList => "fetch" in list
export const isSerial = (list: List): list is SerialList => "follow" in list
export const isChild = (list: List): list is ChildList => "followBelow" in list

export class Source extends Context.Service<Source, { readonly lists: ReadonlyArray<List> }>()("siteledger/Source") {}
