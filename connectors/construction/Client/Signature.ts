/**
 * Whether a delivery is the service's (interface document §6.2), for your own receivers. If it isn't, answer 401;
 * otherwise store it, answer 2xx and do the work afterwards.
 *
 * A valid signature proves only the body: the event id, type and timestamp in the headers aren't signed.
 */
import { createSecretKey } from "node:crypto"
import { readSignature, verify } from "../ConstructionSigning.ts"

/** Node's `request.headers`, the `Headers` of fetch, or any record; names in any case. */
export type DeliveryHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The bytes as received, before any parsing; a string is taken as UTF-8. Node's Buffer is a Uint8Array. */
export type RawBody = Uint8Array | ArrayBuffer | string

/** The secrets of all subscriptions that may deliver here, including earlier ones. */
export type Secrets = string | ReadonlyArray<string>

const header = "x-service-signature"

/**
 * All secrets are compared, in constant time. False unless there is exactly one signature of 64 hex digits (either case).
 * An empty secret is ignored, because anyone could sign with it.
 */
export const verifyDelivery = (rawBody: RawBody, headers: DeliveryHeaders, secrets: Secrets): boolean => {
  const signature = readSignature({ [header]: signatureOf(headers) })
  const keys = [secrets]
    .flat()
    .filter((secret) => secret !== "")
    .map((secret) => createSecretKey(secret, "utf8"))
  return signature !== undefined && verify(keys, bytesOf(rawBody), signature)
}

const bytesOf = (rawBody: RawBody): Uint8Array =>
  typeof rawBody === "string" ? Buffer.from(rawBody) : rawBody instanceof Uint8Array ? rawBody : new Uint8Array(rawBody)

const isFetchHeaders = (headers: DeliveryHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const signatureOf = (headers: DeliveryHeaders): string | undefined => {
  if (isFetchHeaders(headers)) return headers.get(header) ?? undefined
  const signatures = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === header ? [value].flat() : []
  )
  return signatures.length === 1 ? signatures[0] : undefined
}
