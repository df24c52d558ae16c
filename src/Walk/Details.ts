/**
 * What a connector offers to look-ups: single records of a list, by their ids. Requests are retried as a walk's are, and fail
 * only with what a person must decide, or with what the service says of this record.
 */
import { Context, type Effect } from "effect"
import type { CertificatePlaces } from "../Domain/Certificate.ts"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Version } from "../Domain/Version.ts"
import type { Lane } from "./Pace.ts"
import type { SourceError } from "./Source.ts"

/** An answer about one record. */
export interface Single {
  /** Of the request, below the base address. */
  readonly path: string
  /** What it says of the record; undefined if it isn't a record with this id, or one that no engine holds. */
  readonly change: Change | undefined
  /** The body. */
  readonly text: string
  /** Hex, of the body as it came. */
  readonly sha256: string
  /** As of which the record was read. */
  readonly version: Version
  readonly receivedAt: Instant
}

export interface Detail {
  /** Its table. */
  readonly resource: string
  /** How a person knows it: `GET /ipcs/{id}`. */
  readonly read: string
  /** Where an answer has the certificate of an IPC; undefined: it isn't asked for that. */
  readonly certificate: CertificatePlaces | undefined
  readonly fetch: (id: string, lane: Lane) => Effect.Effect<Single, SourceError>
}

/** Those that a person has switched on. */
export const Details = Context.Reference<ReadonlyArray<Detail>>("siteledger/Details", { defaultValue: () => [] })
