/**
 * Whether a delivery is the service's (interface document §6.2), for receivers of your own. Answer 401 when it is not,
 * and otherwise 2xx at once, with the work after it.
 *
 * A good signature proves the body and nothing else: the event id, type and timestamp beside it aren't signed.
 */
import { createSecretKey } from "node:crypto"
import { readSignature, verify } from "../ConstructionWebhooks.ts"

/** Node's `request.headers`, the `Headers` of fetch, or any record; names in any case. */
export type DeliveryHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const header = "x-service-signature"

/**
 * `rawBody`: the bytes as they came, before any parsing. `secrets`: those of all subscriptions that may deliver here,
 * an earlier one's too; they are compared in constant time, none skipped. False without exactly one signature of 64
 * hex digits (either case), and for an empty secret, which anybody could sign with.
 */
export const verifyDelivery = (
  rawBody: Uint8Array,
  headers: DeliveryHeaders,
  secrets: ReadonlyArray<string>
): boolean => {
  const signature = readSignature({ [header]: signatureOf(headers) })
  const keys = secrets.filter((secret) => secret !== "").map((secret) => createSecretKey(secret, "utf8"))
  return signature !== undefined && verify(keys, rawBody, signature)
}

const isFetchHeaders = (headers: DeliveryHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const signatureOf = (headers: DeliveryHeaders): string | undefined => {
  if (isFetchHeaders(headers)) return headers.get(header) ?? undefined
  const found = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === header ? [value].flat() : []
  )
  return found.length === 1 ? found[0] : undefined
}
