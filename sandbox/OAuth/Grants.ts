/**
 * Access and refresh tokens, opaque and random. Each belongs to a grant: what one person's consent, or one request with
 * client credentials, allows one client. Ending a grant ends all its tokens at once.
 *
 * Refresh tokens rotate (RFC 9700 §4.14.2): each is valid once, and a second use ends the grant, because at most one of
 * the two users is the client. In memory only: all end with the process.
 */
import type { Client } from "./Clients.ts"
import * as Expiring from "./Expiring.ts"
import { opaque } from "./Secrets.ts"

export interface Grant {
  readonly client: Client
  readonly scopes: ReadonlyArray<string>
  ended: boolean
}

export interface Access {
  readonly grant: Grant
  /** The grant's scopes, or fewer. */
  readonly scopes: ReadonlyArray<string>
}

export interface Refresh {
  readonly grant: Grant
  used: boolean
}

export interface GrantsOptions {
  readonly tokenSeconds: number
  readonly refreshSeconds: number
}

export interface Grants {
  readonly issueAccess: (access: Access, nowMillis: number) => string
  readonly issueRefresh: (grant: Grant, nowMillis: number) => string
  /** Undefined: unknown, expired, revoked, or its grant has ended. */
  readonly access: (token: string, nowMillis: number) => Access | undefined
  /** Like `access`, but a used token is found until it would have expired. */
  readonly refresh: (token: string, nowMillis: number) => Refresh | undefined
  readonly revokeAccess: (token: string) => void
  /** Every access token of every client expires; refresh tokens stay valid. */
  readonly expireAccess: () => void
  /** Every token of every kind ends. */
  readonly endAll: () => void
}

export const begin = (client: Client, scopes: ReadonlyArray<string>): Grant => ({ client, scopes, ended: false })

export const make = ({ refreshSeconds, tokenSeconds }: GrantsOptions): Grants => {
  const accesses = Expiring.make<Access>(tokenSeconds)
  const refreshes = Expiring.make<Refresh>(refreshSeconds)
  const living = <A extends { readonly grant: Grant }>(found: A | undefined): A | undefined =>
    found?.grant.ended === false ? found : undefined
  const issue = <A>(kept: Expiring.Expiring<A>, value: A, nowMillis: number): string => {
    const token = opaque()
    kept.add(token, value, nowMillis)
    return token
  }
  return {
    issueAccess: (access, nowMillis) => issue(accesses, access, nowMillis),
    issueRefresh: (grant, nowMillis) => issue(refreshes, { grant, used: false }, nowMillis),
    access: (token, nowMillis) => living(accesses.get(token, nowMillis)),
    refresh: (token, nowMillis) => living(refreshes.get(token, nowMillis)),
    revokeAccess: accesses.remove,
    expireAccess: accesses.clear,
    endAll: () => {
      accesses.clear()
      refreshes.clear()
    }
  }
}
