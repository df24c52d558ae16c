/**
 * Whether a delivery is the service's (interface document §6.2), for your own receivers. If it isn't, answer 401;
 * otherwise answer 2xx at once and do the work afterwards.
 *
 * A valid signature proves the body and nothing else: the event id, type and timestamp in the headers aren't signed.
 */
import { createSecretKey } from "node:crypto"
import { readSignature, verify } from "../ConstructionWebhooks.ts"

/** Node's `request.headers`, the `Headers` of fetch, or any record; names in any case. */
export type DeliveryHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const header = "x-service-signature"

/**
 * `rawBody`: the bytes as received, before any parsing. `secrets`: those of all subscriptions that may deliver here,
 * including earlier ones; all are compared, in constant time. False unless there is exactly one signature of 64 hex
 * digits (either case). An empty secret is ignored, because anyone could sign with it.
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
  const signatures = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === header ? [value].flat() : []
  )
  return signatures.length === 1 ? signatures[0] : undefined
}
