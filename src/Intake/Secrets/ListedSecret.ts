/**
 * A webhook secret as people see it: everything but the secret.
 */
import * as Instant from "../../Domain/Instant.ts"
import type { Secret } from "./Keyring.ts"
import { isOver, type Row } from "./KeptSecrets.ts"

/** A secret as people see it. */
export interface ListedSecret {
  readonly fingerprint: string
  /** `subscription N`, `by hand`, or the variable it comes from. */
  readonly source: string
  /** lost: we never learned it. unreadable: sealed with a key that we don't have. */
  readonly state: "valid" | "ending" | "retired" | "lost" | "unreadable"
  readonly addedAt: string | null
  readonly retiredAt: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export const variable = "SITELEDGER_WEBHOOK_SECRET"

const instant = (millis: number | undefined): string | null =>
  millis === undefined ? null : Instant.fromMillis(millis)

/** One of the environment. */
export const listedLoan = ({ fingerprint, lastUsedMs }: Secret): ListedSecret => ({
  fingerprint,
  source: variable,
  state: "valid",
  addedAt: null,
  retiredAt: null,
  expiresAt: null,
  lastUsedAt: instant(lastUsedMs)
})

export const listed = (row: Row, at: Instant.Instant, used?: Secret): ListedSecret => ({
  fingerprint: row.fingerprint,
  source: row.subscription_id === null ? "by hand" : `subscription ${row.subscription_id}`,
  state: isOver(row, at) ? "retired" : row.sealed === null ? "lost" : row.retired_at === null ? "valid" : "ending",
  addedAt: row.added_at,
  retiredAt: row.retired_at,
  expiresAt: row.expires_at,
  lastUsedAt: instant(used?.lastUsedMs) ?? row.last_used_at
})
