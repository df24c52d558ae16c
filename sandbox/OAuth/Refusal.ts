/**
 * A refusal with the error codes of RFC 6749 (§4.1.2.1 for the authorization endpoint, §5.2 for the token endpoint) and
 * of RFC 8628 §3.5 for a device's code.
 * The description is for the client's developer, never for a program; it uses only the characters that the RFC allows.
 */
import { Result } from "effect"

export type ErrorCode =
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "slow_down"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"

export interface Refusal {
  readonly error: ErrorCode
  readonly description: string
}

const longestDescription = 200

/** No quotation marks, backslashes or non-ASCII characters: the text may quote the request. */
const describe = (text: string): string =>
  text.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "?").slice(0, longestDescription)

export const refusal = (error: ErrorCode, description: string): Refusal => ({
  error,
  description: describe(description)
})

export const refuse = (error: ErrorCode, description: string): Result.Result<never, Refusal> =>
  Result.fail(refusal(error, description))
