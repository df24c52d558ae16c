/**
 * What a connector offers to a Walk: one paged list per resource.
 *
 * `fetch` retries what may pass by itself (429, 5xx, time-outs, pages that are not what they should be) and
 * returns only what a Walk or a person must decide.
 */
import { Context, type Effect, Schema } from "effect"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Lane } from "./Pace.ts"
import type { EntityName } from "../Domain/Resource.ts"

/** A record without a usable key: its JSON text, and the hash by which it is known again. */
export interface BadRecord {
  readonly sha256: string
  readonly record: string
}

/** One page of a list, as far as a Walk needs it: its records are let go. */
export interface Page {
  readonly changes: ReadonlyArray<Change>
  readonly bad: ReadonlyArray<BadRecord>
  /** How many records the page held, bad ones among them. */
  readonly records: number
  /** Of the whole list. */
  readonly total: number
  readonly page: number
  readonly perPage: number
  /** The earliest time that the page can stand for, in µs: the request's start, minus a margin. */
  readonly observedMicros: number
  readonly receivedAt: Instant
}

export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  /**
   * PageSizeRefused: ask for a smaller page. OtherPage: the service answered another page than was asked.
   * Refused: only a person can help (credentials, scope, address); `message` says what to check.
   */
  reason: Schema.Literals(["PageSizeRefused", "OtherPage", "Refused"]),
  message: Schema.String
}) {}

export interface PagedList {
  readonly resource: EntityName
  /** `perPage` undefined: as many as the service lists by default. */
  readonly fetch: (page: number, perPage: number | undefined, lane: Lane) => Effect.Effect<Page, SourceError>
}

export class Source extends Context.Service<Source, { readonly lists: ReadonlyArray<PagedList> }>()(
  "siteledger/Source"
) {}
