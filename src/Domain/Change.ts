/**
 * A Change is what one record of a list or one event says about some fields of one entity, with a version.
 *
 * Absent is not null: a field missing from `values` is left alone; a null field is set to null if its version wins. A
 * value that doesn't fit its column sets the column to null and is kept as JSON text in `misfits`, under the same
 * version. Fields without a column are kept in `extra`.
 */
import type { Version } from "./Version.ts"
import type { Instant } from "./Instant.ts"

export interface Change {
  /** The table of its resource. */
  readonly entity: string
  /** Canonical text, also for integer ids. */
  readonly id: string
  readonly version: Version
  readonly source: "event" | "page" | "absence"
  /** When it arrived here. */
  readonly seenAt: Instant
  /** Column → canonical text or null. */
  readonly values: Readonly<Record<string, string | null>>
  /** Column → JSON text of a value that doesn't fit it. */
  readonly misfits: Readonly<Record<string, string>>
  /** Unknown field → JSON text. */
  readonly extra: Readonly<Record<string, string>>
}

const none = {}

/** A tombstone: two agreeing passes did not show the entity. Any later sighting lifts it. */
export const absence = (entity: string, id: string, version: Version, at: Instant): Change => ({
  entity,
  id,
  version,
  source: "absence",
  seenAt: at,
  values: { _deleted_at: at },
  misfits: none,
  extra: none
})
