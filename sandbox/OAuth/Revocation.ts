/**
 * What POST /oauth/revoke decides (RFC 7009; the interface document shows no revocation: assumed). A refresh token,
 * used or not, ends its whole grant; an access token ends alone. An unknown token counts as already revoked.
 * `token_type_hint` is ignored, because one look-up finds either kind.
 */
import { Result } from "effect"
import type { Authenticate } from "./ClientAuthentication.ts"
import type { Grants } from "./Grants.ts"
import type { Parameters } from "./Parameters.ts"
import { refuse, type Refusal } from "./Refusal.ts"

export const revoke = (
  { authenticate, grants }: { readonly authenticate: Authenticate; readonly grants: Grants },
  { repeated, values }: Parameters,
  authorization: string | undefined,
  nowMillis: number
): Result.Result<void, Refusal> =>
  Result.gen(function* () {
    if (repeated.length > 0) return yield* refuse("invalid_request", `sent more than once: ${repeated.join(", ")}`)
    const client = yield* authenticate({ ...values, authorization })
    const token = values["token"]
    if (token === undefined) return yield* refuse("invalid_request", "token is required")
    const refresh = grants.refresh(token, nowMillis)
    const found = refresh ?? grants.access(token, nowMillis)
    if (found === undefined) return
    if (found.grant.client !== client) return yield* refuse("invalid_grant", "the token was issued to another client")
    if (refresh === undefined) grants.revokeAccess(token)
    else refresh.grant.ended = true
  })
