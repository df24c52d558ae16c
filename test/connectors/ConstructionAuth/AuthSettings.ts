/**
 * The settings of the tests' authorization server; each may be changed while it runs. It deliberately shares nothing with
 * the product.
 */
export interface AuthSettings {
  clientId: string
  /** Null: a public client. */
  clientSecret: string | null
  lifeSeconds: number
  /** False: a refresh brings only an access token, and the refresh token stays valid. */
  rotates: boolean
  /** False: a login brings no refresh token. */
  refreshes: boolean
  /** Answers this at the token endpoint instead. */
  refusal: {
    readonly status: number
    readonly error?: string
    readonly headers?: Readonly<Record<string, string>>
  } | null
  /** What it answers to a secret in the form, because it takes only HTTP Basic; null: it takes only the form. */
  basic: { readonly error?: string; readonly challenge?: string } | null
  /** How many of the token endpoint's next answers are lost after it has acted. */
  losesAnswers: number
  /** Granted instead of what was asked for. */
  grants: string | null
  /** Refused at the API without it. */
  requiredScope: string | null
  /** Forbids every request with this challenge. */
  challenge: string | null | undefined
  /** How many requests an access token is valid for. */
  uses: number
  /** Awaited before a token request is answered. */
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
  basic: null,
  losesAnswers: 0,
  grants: null,
  requiredScope: null,
  challenge: null,
  uses: Number.POSITIVE_INFINITY,
  hold: () => Promise.resolve(),
  refusesRevocation: false
}
