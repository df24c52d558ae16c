/**
 * What a connector offers to a Walk: one paged list per resource.
 *
 * `fetch` retries transient failures (429, 5xx, time-outs, malformed pages) and fails only with what a Walk or a person
 * must decide.
 */
import { Context, type Duration, type Effect, Schema } from "effect"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Lane } from "./Pace.ts"

/** A record that can't be copied: its JSON text, and the hash that identifies it. */
export interface BadRecord {
  /** It has no usable key, or holds what an engine can't (`Domain/Limits`). */
  readonly reason: "no-key" | "not-storable"
  /** Its usable key, by which it is still listed: its earlier row isn't buried. */
  readonly id?: string
  readonly sha256: string
  readonly record: string
}

/** One page of a list, as far as a Walk needs it; the records themselves aren't kept. */
export interface Page {
  readonly changes: ReadonlyArray<Change>
  readonly bad: ReadonlyArray<BadRecord>
  /** How many records the page held, including bad ones. */
  readonly records: number
  /** Of the whole list. */
  readonly total: number
  readonly page: number
  readonly perPage: number
  /** The earliest time whose state the page may show, in µs: the request's start, minus a margin. */
  readonly observedMicros: number
  readonly receivedAt: Instant
}

export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  /**
   * PageSizeRefused: ask for a smaller page. OtherPage: the service answered with a different page.
   * Refused: only a person can help (credentials, scope, address); `message` says what to check.
   */
  reason: Schema.Literals(["PageSizeRefused", "OtherPage", "Refused"]),
  message: Schema.String,
  /** There is nothing at the address (404). */
  isAbsent: Schema.optionalKey(Schema.Boolean)
}) {}

interface Walked {
  /** Its table. */
  readonly resource: string
  /** How often it is walked; by default as often as the worker walks (`SITELEDGER_WALK_EVERY`). */
  readonly every?: Duration.Duration
}

/** Its pages are numbered, and each says how many records there are: they can be asked for at once. */
export interface PagedList extends Walked {
  /** `perPage` undefined: the service's default. */
  readonly fetch: (page: number, perPage: number | undefined, lane: Lane) => Effect.Effect<Page, SourceError>
}

/** A page that says, at most, where the next one is. */
export interface SerialPage extends Omit<Page, "page" | "perPage" | "total"> {
  /** How many records begin here by the service's count: on the first page of a list, or of a list below each parent. */
  readonly total: number
  /** Where to go on; undefined: this was the last page. */
  readonly next: string | undefined
  /** Why what was seen may not be the whole list. */
  readonly disturbance?: string
}

/** Each page says where the next one is. */
export interface SerialList extends Walked {
  /** The table of its parents, for each of which it has a list: it is walked once they are there. */
  readonly parent?: string
  /** The service counts its records. */
  readonly isCounted: boolean
  /** `from`: `next` of the page before it; undefined: the first page. */
  readonly follow: (from: string | undefined, lane: Lane) => Effect.Effect<SerialPage, SourceError>
}

export type List = PagedList | SerialList

export const isSerial = (list: List): list is SerialList => "follow" in list

export class Source extends Context.Service<Source, { readonly lists: ReadonlyArray<List> }>()("siteledger/Source") {}
