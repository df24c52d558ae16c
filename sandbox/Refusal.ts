/**
 * The single form of errors, which the interface document doesn't show (§7): {"error", "message"}.
 */
import { HttpServerResponse } from "effect/http"

export const refusal = (
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
) => HttpServerResponse.jsonUnsafe({ error, message }, { status, headers })
