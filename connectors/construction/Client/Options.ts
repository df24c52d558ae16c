/**
 * The options of a client of the service, and those of every call.
 */

/** Milliseconds, or a text such as `"90 seconds"`. */
export type Period = number | `${number} ${"second" | "minute" | "hour"}${"" | "s"}`

export interface Options {
  /** Address of the API with its version segment, such as `https://service.example.com/v1` (§1). */
  readonly baseUrl: string
  /** Address under which `/oauth/token` lives (§4.3). */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /**
   * How the secret is sent to the token endpoint. `post`: in the form, and with HTTP Basic only if a 401 asks for it;
   * `basic`: always with HTTP Basic. Defaults to `post`.
   */
  readonly tokenAuth?: "post" | "basic" | undefined
  /** Such as `projects.read` (§5.1). By default the token request names none. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The plan's limit (§8), or your share of it: 600, or 3000 for Premium. Defaults to 600. */
  readonly requestsPerMinute?: number | undefined
  /** Projects requested at once; the service may grant fewer. Defaults to 1000. */
  readonly pageSize?: number | undefined
  /** The largest list page, or other answer to a GET, that is read, in bytes after unpacking. Defaults to 32 MiB. */
  readonly pageMaxBytes?: number | undefined
  /** The same for any other request. Defaults to 1 MiB. */
  readonly answerMaxBytes?: number | undefined
  /** The same for an answer of the token endpoint. Defaults to 1 MiB. */
  readonly tokenMaxBytes?: number | undefined
  /** Query parameter of the page number; its name isn't documented (§4.1). Defaults to `page`. */
  readonly pageParam?: string | undefined
  /** Query parameter of the page size. Defaults to `per_page`. */
  readonly perPageParam?: string | undefined
  /**
   * How long one call may take including all waiting: for its turn in the plan, for a 429 to pass, for the next try.
   * Defaults to 5 minutes.
   */
  readonly giveUpAfter?: Period | undefined
}

export interface CallOptions {
  /** Aborting rejects the call at once with the signal's reason, even while it waits for its turn or a token. */
  readonly signal?: AbortSignal | undefined
}
