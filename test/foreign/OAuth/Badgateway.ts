/** `@badgateway/oauth2-client`. A token of its own is the access token with its refresh token. */
import { generateCodeVerifier, OAuth2Client, OAuth2Error, type OAuth2Token } from "@badgateway/oauth2-client"
import { randomUUID } from "node:crypto"
import type { Library, Tokens } from "./ForeignClient.ts"

const tokensOf = ({ accessToken, refreshToken, scope }: OAuth2Token): Tokens => ({
  access: accessToken,
  refresh: refreshToken ?? undefined,
  scopes: scope ?? []
})

const tokenOf = (refreshToken: string): OAuth2Token => ({ accessToken: "", expiresAt: null, refreshToken })

export const library: Library = {
  discover: async ({ clientId, clientSecret, issuer, method }) => {
    const client = new OAuth2Client({
      server: issuer,
      clientId,
      ...(method === "none" ? {} : { clientSecret, authenticationMethod: method })
    })
    return {
      tokenEndpoint: await client.getEndpoint("tokenEndpoint"),
      credentials: async (scopes) => tokensOf(await client.clientCredentials({ scope: [...scopes] })),
      begin: async (redirectUri, scopes) => {
        const [codeVerifier, state] = [await generateCodeVerifier(), randomUUID()]
        const asked = { redirectUri, state, codeVerifier, scope: [...scopes] }
        return {
          url: await client.authorizationCode.getAuthorizeUri(asked),
          redirectUri,
          state,
          verifier: codeVerifier
        }
      },
      finish: async ({ redirectUri, state, verifier }, redirected) =>
        tokensOf(
          await client.authorizationCode.getTokenFromCodeRedirect(redirected, {
            redirectUri,
            state,
            codeVerifier: verifier
          })
        ),
      refresh: async (refreshToken) => tokensOf(await client.refreshToken(tokenOf(refreshToken))),
      revoke: (refreshToken) => client.revoke(tokenOf(refreshToken), "refresh_token")
    }
  },
  codeOf: async (thrown) => (thrown instanceof OAuth2Error ? thrown.oauth2Code : thrown)
}
