/**
 * How the service signs its deliveries (interface document §6.2). Without Effect, because the receiver's thread loads it.
 *
 * The signature is the hex of HMAC-SHA256 over the raw body bytes. It is compared in constant time with that of every
 * valid secret, without an early exit. The other headers aren't signed and prove nothing.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Hmac from "../../src/Runtime/Hmac.ts"
import type { Delivered, DeliveryHeaders, Signing } from "../../src/Intake/Receiver/Signing.ts"
import { ping } from "./ConstructionPing.ts"

const hexSignature = /^[0-9a-f]{64}$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const text = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value.trim() : undefined

/** 32 bytes; undefined if the header is missing or isn't 64 hex digits of either case. */
export const readSignature = (headers: IncomingHttpHeaders): Buffer | undefined => {
  const value = text(headers["x-service-signature"])
  // Checked first: Buffer.from stops silently at the first character that isn't hex.
  return value !== undefined && hexSignature.test(value) ? Buffer.from(value, "hex") : undefined
}

/** The same for a body in parts. */
const checking = <Held extends { readonly key: KeyObject }>(secrets: ReadonlyArray<Held>, signature: Uint8Array) => {
  const macs = secrets.map((secret) => ({ secret, mac: createHmac("sha256", secret.key) }))
  return {
    add: (part: Uint8Array): void => {
      for (const { mac } of macs) mac.update(part)
    },
    signer: (): Held | undefined => {
      let signer: Held | undefined
      for (const { mac, secret } of macs) signer = timingSafeEqual(mac.digest(), signature) ? secret : signer
      return signer
    }
  }
}

/**
 * The secret that signed a body; of several with the same key, the last. Takes constant time, without an early exit.
 */
export const signerOf = <Held extends { readonly key: KeyObject }>(
  secrets: ReadonlyArray<Held>,
  body: Uint8Array,
  signature: Uint8Array
): Held | undefined => {
  let signer: Held | undefined
  for (const secret of secrets) signer = Hmac.isOf(secret.key, body, signature) ? secret : signer
  return signer
}

export const verify = (keys: ReadonlyArray<KeyObject>, body: Uint8Array, signature: Uint8Array): boolean =>
  signerOf(
    keys.map((key) => ({ key })),
    body,
    signature
  ) !== undefined

const readHeaders = (headers: IncomingHttpHeaders): DeliveryHeaders => {
  const id = text(headers["x-service-event-id"])
  const issued = text(headers["x-service-timestamp"])
  return {
    eventId: id !== undefined && uuid.test(id) ? id.toLowerCase() : undefined,
    type: text(headers["x-service-event-type"]) ?? null,
    issuedAt: issued === undefined ? null : readIssued(issued)
  }
}

/** Deliveries of a burst often have the same time. */
let lastIssued: { readonly text: string; readonly at: Instant.Instant | null } = { text: "", at: null }

const readIssued = (written: string): Instant.Instant | null => {
  if (lastIssued.text !== written) {
    const micros = Instant.readMicros(written)
    lastIssued = { text: written, at: micros === undefined ? null : Instant.fromMicros(micros) }
  }
  return lastIssued.at
}

const headersOf = (key: KeyObject, { body, eventId, headerType, issuedAt }: Delivered) => ({
  "x-service-signature": createHmac("sha256", key).update(body).digest("hex"),
  "x-service-event-id": eventId,
  ...(headerType === null ? {} : { "x-service-event-type": headerType }),
  ...(issuedAt === null ? {} : { "x-service-timestamp": issuedAt })
})

export const signing: Signing = {
  read: readSignature,
  signer: signerOf,
  checking,
  said: readHeaders,
  headersOf,
  isPing: ({ type }) => type === ping
}
