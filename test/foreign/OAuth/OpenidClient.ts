/** `openid-client`. */
import * as openid from "openid-client"
import type { Identity, Library, Tokens } from "./ForeignClient.ts"
import { codeOf } from "./Oauth4webapi.ts"

const authentications = {
  client_secret_basic: openid.ClientSecretBasic,
  client_secret_post: openid.ClientSecretPost,
  none: openid.None
}

const authentication = ({ clientSecret, method }: Identity): openid.ClientAuth => authentications[method](clientSecret)

const tokensOf = (answer: openid.TokenEndpointResponse): Tokens => ({
  access: answer.access_token,
  refresh: answer.refresh_token,
  scopes: answer.scope?.split(" ") ?? []
})

export const library: Library = {
  discover: async (identity) => {
    const { clientId, issuer } = identity
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication(identity), {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests]
    })
    return {
      tokenEndpoint: config.serverMetadata().token_endpoint ?? "",
      credentials: async (scopes) => tokensOf(await openid.clientCredentialsGrant(config, { scope: scopes.join(" ") })),
      begin: async (redirectUri, scopes) => {
        const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()]
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopes.join(" "),
          state,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256"
        })
        return { url: url.href, redirectUri, state, verifier }
      },
      finish: async ({ state, verifier }, redirected) =>
        tokensOf(
          await openid.authorizationCodeGrant(config, new URL(redirected), {
            expectedState: state,
            pkceCodeVerifier: verifier
          })
        ),
      refresh: async (refreshToken) => tokensOf(await openid.refreshTokenGrant(config, refreshToken)),
      revoke: (refreshToken) => openid.tokenRevocation(config, refreshToken, { token_type_hint: "refresh_token" })
    }
  },
  codeOf
}
