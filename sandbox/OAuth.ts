/**
 * The sandbox's OAuth 2.0 server (interface document §5). Anything that the document doesn't show follows RFC 6749,
 * with PKCE as in RFC 7636, loopback redirects as in RFC 8252, device logins as in RFC 8628, and RFC 9700 where these
 * leave a choice. All its state is in memory: a restart voids every token, code and open form, and clients ask again.
 */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as ClientAuthentication from "./OAuth/ClientAuthentication.ts"
import * as Clients from "./OAuth/Clients.ts"
import * as Codes from "./OAuth/Codes.ts"
import * as Consents from "./OAuth/Consents.ts"
import * as Devices from "./OAuth/Devices.ts"
import * as Grants from "./OAuth/Grants.ts"
import * as Routes from "./OAuth/Routes.ts"
import * as TokenEndpoint from "./OAuth/TokenEndpoint.ts"

export interface OAuthOptions extends Clients.ClientsOptions, Codes.CodesOptions, Grants.GrantsOptions {
  /** A secret is accepted only by HTTP Basic. */
  readonly basicOnly: boolean
}

/** For testing how a client copes. */
export interface OAuthControl {
  /** Every access token expires at once; refresh tokens stay valid. */
  readonly revokeAll: Effect.Effect<void>
  /** Refresh tokens end too, as if every person had withdrawn their consent. */
  readonly endGrants: Effect.Effect<void>
  readonly counts: () => TokenEndpoint.TokenCounts
}

export interface OAuth extends OAuthControl {
  readonly clients: Clients.Clients
  /** The grant and scopes of this access token; undefined: it isn't valid. */
  readonly access: Grants.Grants["access"]
  readonly layer: ReturnType<typeof makeLayer>
}

const makeLayer = (parts: Routes.Parts) =>
  Layer.unwrap(
    Effect.map(HttpServer.HttpServer, ({ address }) => Routes.layerWith(parts, HttpServer.formatAddress(address)))
  )

export const make = (options: OAuthOptions): OAuth => {
  const clients = Clients.make(options)
  const codes = Codes.make(options)
  const devices = Devices.make()
  const grants = Grants.make(options)
  const { basicOnly, scopes, tokenSeconds } = options
  const authenticate = ClientAuthentication.make(clients, basicOnly)
  const tokenEndpoint = TokenEndpoint.make({ authenticate, codes, devices, grants, tokenSeconds })
  return {
    clients,
    access: grants.access,
    revokeAll: Effect.sync(grants.expireAccess),
    endGrants: Effect.sync(grants.endAll),
    counts: tokenEndpoint.counts,
    layer: makeLayer({
      authenticate,
      basicOnly,
      clients,
      codes,
      consents: Consents.make(),
      deviceConsents: Consents.make(),
      devices,
      grants,
      scopes,
      tokenEndpoint
    })
  }
}
