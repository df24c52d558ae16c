/** What a client library can do at an authorization server. Each library has a file that says how. */

export interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  readonly scopes: ReadonlyArray<string>
}

/** A login that a person has yet to consent to. */
export interface Begun {
  /** Where the browser is sent. */
  readonly url: string
  readonly redirectUri: string
  readonly state: string
  readonly verifier: string
}

export interface ForeignClient {
  readonly tokenEndpoint: string
  readonly credentials: (scopes: ReadonlyArray<string>) => Promise<Tokens>
  readonly begin: (redirectUri: string, scopes: ReadonlyArray<string>) => Promise<Begun>
  /** `redirected`: where the browser came back to. */
  readonly finish: (begun: Begun, redirected: string) => Promise<Tokens>
  readonly refresh: (refreshToken: string) => Promise<Tokens>
  readonly revoke: (refreshToken: string) => Promise<void>
}

export const methods = ["client_secret_basic", "client_secret_post", "none"] as const

export interface Identity {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly method: (typeof methods)[number]
}

export interface Library {
  /** Knows only the issuer's address; the rest comes from its metadata. */
  readonly discover: (identity: Identity) => Promise<ForeignClient>
  /** The error code of RFC 6749 in what the library has thrown. */
  readonly codeOf: (thrown: unknown) => Promise<unknown>
}
