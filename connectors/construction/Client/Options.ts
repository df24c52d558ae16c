/**
 * What a client of the service is made with, and what every call takes.
 */

/** Milliseconds, or like `"90 seconds"`. */
export type Period = number | `${number} ${"second" | "minute" | "hour"}${"" | "s"}`

export interface Options {
  /** Address of the API with its version segment, like `https://service.example.com/v1` (§1). */
  readonly baseUrl: string
  /** Address under which `/oauth/token` lives (§4.3). */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /**
   * How the token endpoint gets the secret. `post`: in the form, and with HTTP Basic only if a 401 asks for it; `basic`:
   * always with HTTP Basic. Default `post`.
   */
  readonly tokenAuth?: "post" | "basic" | undefined
  /** Like `projects.read` (§5.1). Default: the token request names none. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The plan's limit (§8), or your share of it: 600, or 3000 for Premium. Default 600. */
  readonly requestsPerMinute?: number | undefined
  /** Projects asked for at once; the service may grant fewer. Default 1000. */
  readonly pageSize?: number | undefined
  /** Largest list page, or other answer to a GET, that is read, in bytes after unpacking. Default 32 MiB. */
  readonly pageMaxBytes?: number | undefined
  /** The same for any other request. Default 1 MiB. */
  readonly answerMaxBytes?: number | undefined
  /** The same for an answer of the token endpoint. Default 1 MiB. */
  readonly tokenMaxBytes?: number | undefined
  /** Query parameter of the page number; its name is not shown (§4.1). Default `page`. */
  readonly pageParam?: string | undefined
  /** Query parameter of the page size. Default `per_page`. */
  readonly perPageParam?: string | undefined
  /**
   * How long one call may take with all its waiting: for its turn in the plan, for a 429 to pass, for the next try.
   * Default 5 minutes.
   */
  readonly giveUpAfter?: Period | undefined
}

export interface CallOptions {
  /** Aborting rejects the call at once with the signal's reason, also while it waits for its turn or a token. */
  readonly signal?: AbortSignal | undefined
}
