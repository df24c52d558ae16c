/**
 * What the authorization server of the tests can be told; each may be changed while it runs. Shares nothing with the
 * product, on purpose.
 */
export interface AuthSettings {
  clientId: string
  /** Null: a public client. */
  clientSecret: string | null
  lifeSeconds: number
  /** False: a refresh brings an access token only, and the refresh token stays good. */
  rotates: boolean
  /** False: a login brings no refresh token. */
  refreshes: boolean
  /** Answers this at the token endpoint instead. */
  refusal: { readonly status: number; readonly error?: string } | null
  /** The token endpoint acts, but its next answers are lost on the way. */
  losesAnswers: number
  /** Granted instead of what was asked for. */
  grants: string | null
  /** Refused at the API without it. */
  requiredScope: string | null
  /** Forbids every request in these words. */
  challenge: string | null | undefined
  /** An access token is good for so many requests. */
  uses: number
  /** Waited for before a token request is answered. */
  hold: (form: URLSearchParams) => Promise<unknown>
  refusesRevocation: boolean
}

export const defaults: AuthSettings = {
  clientId: "desk-app",
  clientSecret: null,
  lifeSeconds: 3600,
  rotates: true,
  refreshes: true,
  refusal: null,
  losesAnswers: 0,
  grants: null,
  requiredScope: null,
  challenge: null,
  uses: Number.POSITIVE_INFINITY,
  hold: () => Promise.resolve(),
  refusesRevocation: false
}
