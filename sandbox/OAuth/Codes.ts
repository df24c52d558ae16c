/**
 * Authorization codes (RFC 6749 §4.1.2): each is valid once, for `codeSeconds`, for the client, redirect URI and PKCE
 * challenge that it was issued for. The client's first well-formed attempt spends a code even if it fails, so verifiers
 * can't be tried one by one. A second attempt ends the grant that the first one got, because one of the two users stole
 * the code.
 */
import { Result } from "effect"
import type { Client } from "./Clients.ts"
import * as Expiring from "./Expiring.ts"
import { begin, type Grant } from "./Grants.ts"
import { challengeOf } from "./Pkce.ts"
import { refuse, type Refusal } from "./Refusal.ts"
import { opaque, same } from "./Secrets.ts"

/** What a person has allowed. */
export interface Allowed {
  readonly client: Client
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  readonly challenge: string
}

export interface CodesOptions {
  readonly codeSeconds: number
  /** A second use is noticed for as long as tokens of the first may live. */
  readonly refreshSeconds: number
}

export interface Redemption {
  readonly client: Client
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
}

export interface Codes {
  readonly issue: (allowed: Allowed, nowMillis: number) => string
  readonly redeem: (asked: Redemption, nowMillis: number) => Result.Result<Grant, Refusal>
}

interface Code extends Allowed {
  readonly endsAtMillis: number
  spent: boolean
  grant: Grant | undefined
}

export const make = ({ codeSeconds, refreshSeconds }: CodesOptions): Codes => {
  const codes = Expiring.make<Code>(codeSeconds + refreshSeconds)

  const complaint = (code: Code, { redirectUri, verifier }: Redemption, nowMillis: number): string | undefined => {
    if (code.endsAtMillis <= nowMillis) return "the code has expired"
    if (code.redirectUri !== redirectUri) return "redirect_uri is not the one that the code was sent to"
    return same(code.challenge, challengeOf(verifier)) ? undefined : "code_verifier doesn't match the code_challenge"
  }
  return {
    issue: (allowed, nowMillis) => {
      const code = opaque()
      codes.add(
        code,
        { ...allowed, endsAtMillis: nowMillis + codeSeconds * 1000, spent: false, grant: undefined },
        nowMillis
      )
      return code
    },
    redeem: (asked, nowMillis) => {
      const code = codes.get(asked.code, nowMillis)
      if (code === undefined || code.client !== asked.client) return refuse("invalid_grant", "no such code")
      if (code.spent) {
        if (code.grant !== undefined) code.grant.ended = true
        return refuse("invalid_grant", "the code was used before")
      }
      code.spent = true
      const wrong = complaint(code, asked, nowMillis)
      if (wrong !== undefined) return refuse("invalid_grant", wrong)
      code.grant = begin(code.client, code.scopes)
      return Result.succeed(code.grant)
    }
  }
}
