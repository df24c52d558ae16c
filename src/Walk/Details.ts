/**
 * What a connector offers to look-ups: single records of a list, by their ids. Requests are retried like those of a
 * walk. They fail only with what a person must decide, or with what the service says about this record.
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
  /** The path of the request, below the base address. */
  readonly path: string
  /**
   * What the answer says about the record; undefined if it isn't a record with this id, or one that an engine can't
   * hold.
   */
  readonly change: Change | undefined
  /** The text of the body. */
  readonly text: string
  /** Hex; of the body as it came. */
  readonly sha256: string
  /** The version as of which the record was read. */
  readonly version: Version
  readonly receivedAt: Instant
}

export interface Detail {
  /** The table of the records. */
  readonly resource: string
  /** How a person refers to it: `GET /ipcs/{id}`. */
  readonly read: string
  /** Where an answer has the certificate of an IPC; undefined if it isn't asked for one. */
  readonly certificate: CertificatePlaces | undefined
  readonly fetch: (id: string, lane: Lane) => Effect.Effect<Single, SourceError>
}

/** The look-ups that a person has switched on. */
export const Details = Context.Reference<ReadonlyArray<Detail>>("siteledger/Details", { defaultValue: () => [] })
