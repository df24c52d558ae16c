/**
 * Webhook secrets as a table: fingerprints, never the secrets themselves.
 */
import type { Answer } from "../../src/Operate/AdminApi.ts"
import * as Said from "../Said.ts"

type Secret = Answer<"secret-list">["secrets"][number]

/** At most 80 columns: the ones that people need for a decision. */
export const table = (secrets: ReadonlyArray<Secret>): ReadonlyArray<string> =>
  secrets.length === 0
    ? ["There is no secret yet: the worker asks for one when it subscribes."]
    : Said.table(
        secrets.map(({ expiresAt, fingerprint, lastUsedAt, source, state }) => ({
          fingerprint,
          state,
          last_used: lastUsedAt?.slice(0, 19) ?? "never",
          ends: expiresAt?.slice(0, 19) ?? "",
          source
        }))
      )
