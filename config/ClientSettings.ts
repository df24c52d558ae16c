/**
 * Who we are towards the service's authorization server (interface document §5): all that logging in needs, so that a
 * person can log in before the worker is configured. The rest of what talks to the service is in ServiceSettings.ts.
 *
 * There are two ways to a token, and the worker starts with either: a client secret (client credentials), or a
 * person's login, which lies in the data directory.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Context, Result } from "effect"
import type { Redacted } from "effect"
import type { Environment, Field } from "./Environment.ts"
import { all, check, field, optional } from "./Environment.ts"
import * as Parse from "./Parse.ts"

export interface ClientFields {
  /** Without a trailing slash (a bare origin excepted), query or credentials. The token endpoint is `/oauth/token`. */
  readonly authUrl: URL
  readonly clientId: string
  /** Undefined: a public client (RFC 6749 §2.1), whose tokens come from a person's login only. */
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<string>
}

export class ClientSettings extends Context.Service<ClientSettings, ClientFields>()("siteledger/ClientSettings") {}

/** Where a login lies, sealed. */
export const loginPath = (dataDir: string): string => join(dataDir, "login")

export const clientSettings = (environment: Environment): Field<ClientFields> =>
  all({
    authUrl: field(environment, "SITELEDGER_AUTH_URL", Parse.serviceUrl),
    clientId: field(environment, "SITELEDGER_CLIENT_ID", Parse.plain),
    clientSecret: optional(environment, "SITELEDGER_CLIENT_SECRET", Parse.secret),
    scopes: optional(environment, "SITELEDGER_SCOPES", Parse.words(/\s+/))
  }).pipe(Result.map(({ scopes, ...client }) => ({ ...client, scopes: scopes ?? [] })))

/** What is bad by itself is reported where it is read. */
export const someWayToAToken = (environment: Environment): Field<unknown> =>
  all({
    clientSecret: optional(environment, "SITELEDGER_CLIENT_SECRET", Parse.secret),
    dataDir: field(environment, "SITELEDGER_DATA_DIR", Parse.folder)
  }).pipe(
    Result.match({
      onFailure: () => Result.succeed(undefined),
      onSuccess: ({ clientSecret, dataDir }) =>
        check(
          clientSecret !== undefined || existsSync(loginPath(dataDir)),
          "SITELEDGER_CLIENT_SECRET",
          "is missing, and nobody has logged in. Set it (client credentials), or run `siteledger login`."
        )
    })
  )
