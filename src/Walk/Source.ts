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
  message: Schema.String
}) {}

export interface PagedList {
  /** Its table. */
  readonly resource: string
  /** How often it is walked; by default as often as the worker walks (`SITELEDGER_WALK_EVERY`). */
  readonly every?: Duration.Duration
  /** `perPage` undefined: the service's default. */
  readonly fetch: (page: number, perPage: number | undefined, lane: Lane) => Effect.Effect<Page, SourceError>
}

export class Source extends Context.Service<Source, { readonly lists: ReadonlyArray<PagedList> }>()(
  "siteledger/Source"
) {}
