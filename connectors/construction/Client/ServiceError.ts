/**
 * The client's only error: its reason says who can act, and its message says what to check, by the names of the
 * client's options. Nothing in it contains a secret or a token.
 */

/**
 * Options: an argument of the call is invalid. Refused: the service refuses (credentials, scope, address, the request
 * itself), and retrying doesn't help. Unavailable: it didn't answer within `giveUpAfter`, or a request that isn't safe
 * to repeat failed and may have been carried out. NotAsPromised: its answer contradicts the interface document or the
 * schema, and would do so again. Closed: the client was closed before the answer.
 */
export type Reason = "Options" | "Refused" | "Unavailable" | "NotAsPromised" | "Closed"

/** What is known about the last answer. */
export interface Answered {
  /** The HTTP status; undefined if there was no answer. */
  readonly status?: number | undefined
  /** The service's own words, at most 300 characters. */
  readonly serviceMessage?: string | undefined
  /** The service's id of the request, from `X-Request-Id` or similar. */
  readonly requestId?: string | undefined
  /** Without an answer, fetch's error; if a schema doesn't accept an answer, its issues. */
  readonly cause?: unknown
}

export class ServiceError extends Error implements Answered {
  readonly _tag = "ServiceError"
  override readonly name = "ServiceError"
  readonly reason: Reason
  readonly status: number | undefined
  readonly serviceMessage: string | undefined
  readonly requestId: string | undefined

  constructor(reason: Reason, message: string, { cause, requestId, serviceMessage, status }: Answered = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.status = status
    this.serviceMessage = serviceMessage
    this.requestId = requestId
  }
}
