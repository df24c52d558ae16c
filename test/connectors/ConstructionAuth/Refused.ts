/**
 * How the tests' authorization server refuses, and whom: RFC 6749 §2.3.1 and §5.2. It deliberately shares nothing with the
 * product.
 */
import { type Answer, json } from "../../InterfaceServer/Wire.ts"
import type { AuthSettings } from "./AuthSettings.ts"

export const mark = "MARKED"

export const refused = (status: number, error?: string, headers: Answer["headers"] = {}): Answer =>
  json(status, { ...(error === undefined ? {} : { error }), error_description: `about ${mark}-description` }, headers)

/** Undefined: it is our client. */
export const strangerTo = (
  { basic, clientId, clientSecret }: AuthSettings,
  form: URLSearchParams,
  authorization = ""
): Answer | undefined => {
  const encoded = [clientId, clientSecret ?? ""].map((text) => encodeURIComponent(text).replaceAll("%20", "+"))
  if (basic === null || clientSecret === null) {
    const isOurs = form.get("client_id") === clientId && form.get("client_secret") === clientSecret
    return isOurs && authorization === "" ? undefined : refused(401, "invalid_client")
  }
  if (authorization === `Basic ${btoa(encoded.join(":"))}` && !form.has("client_secret")) return undefined
  return refused(401, basic.error, basic.challenge === undefined ? {} : { "www-authenticate": basic.challenge })
}
