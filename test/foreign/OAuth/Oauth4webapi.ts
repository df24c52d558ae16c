/** `oauth4webapi`: every request and every check of an answer is a call of its own. */
import * as oauth from "oauth4webapi"
import type { Identity, Library, Tokens } from "./ForeignClient.ts"

const insecure = { [oauth.allowInsecureRequests]: true }

const authentications = {
  client_secret_basic: oauth.ClientSecretBasic,
  client_secret_post: oauth.ClientSecretPost,
  none: oauth.None
}

const authentication = ({ clientSecret, method }: Identity): oauth.ClientAuth => authentications[method](clientSecret)

const tokensOf = (answer: oauth.TokenEndpointResponse): Tokens => ({
  access: answer.access_token,
  refresh: answer.refresh_token,
  scopes: answer.scope?.split(" ") ?? []
})

/** An answer with a challenge is thrown with its body unread. */
export const codeOf: Library["codeOf"] = async (thrown) => {
  if (thrown instanceof oauth.ResponseBodyError || thrown instanceof oauth.AuthorizationResponseError) {
    return thrown.error
  }
  if (!(thrown instanceof oauth.WWWAuthenticateChallengeError)) return thrown
  const { error } = (await thrown.response.json()) as { readonly error?: unknown }
  return thrown.cause.some(({ scheme }) => scheme === "basic") ? error : thrown
}

export const library: Library = {
  discover: async (identity) => {
    const issuer = new URL(identity.issuer)
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
    const server = await oauth.processDiscoveryResponse(issuer, found)
    const client: oauth.Client = { client_id: identity.clientId }
    const auth = authentication(identity)
    return {
      tokenEndpoint: server.token_endpoint ?? "",
      credentials: async (scopes) => {
        const scope = scopes.join(" ")
        const answer = await oauth.clientCredentialsGrantRequest(server, client, auth, { scope }, insecure)
        return tokensOf(await oauth.processClientCredentialsResponse(server, client, answer))
      },
      begin: async (redirectUri, scopes) => {
        const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
        const url = new URL(server.authorization_endpoint ?? "")
        url.search = new URLSearchParams({
          response_type: "code",
          client_id: client.client_id,
          redirect_uri: redirectUri,
          scope: scopes.join(" "),
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256"
        }).toString()
        return { url: url.href, redirectUri, state, verifier }
      },
      finish: async ({ redirectUri, state, verifier }, redirected) => {
        const valid = oauth.validateAuthResponse(server, client, new URL(redirected), state)
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          valid,
          redirectUri,
          verifier,
          insecure
        )
        return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, answer))
      },
      refresh: async (refreshToken) => {
        const answer = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, insecure)
        return tokensOf(await oauth.processRefreshTokenResponse(server, client, answer))
      },
      revoke: async (refreshToken) =>
        oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, refreshToken, insecure))
    }
  },
  codeOf
}
