/**
 * How the service signs its deliveries (interface document §6.2), and the secrets that are valid now.
 *
 * The signature is the hex of HMAC-SHA256 over the raw body bytes. It is compared in constant time with that of
 * every valid secret, without an early exit. Headers beside it aren't signed and prove nothing. An old
 * subscription's secret stays valid, since its deliveries may be retried for a day and replayed for ever.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../../src/Instant.ts"
import { type Said, Signatures } from "../../src/Receiver.ts"
import { ping } from "./ConstructionEvents.ts"

/** The secrets that deliveries may be signed with and the URLs they may come to; shared by the receiver and the subscription. */
export class Secrets extends Context.Service<
  Secrets,
  {
    readonly all: () => ReadonlyArray<KeyObject>
    readonly add: (secret: string) => void
    /** A callback URL that deliveries may come to, beside the configured one. */
    readonly addUrl: (url: string) => void
    readonly isPath: (path: string) => boolean
    /** While a subscription is being created, its secret may be missing for a moment. */
    readonly creating: () => void
    readonly settled: () => void
    readonly whenSettled: () => Promise<void>
    /** Set by whoever wants to know that a delivery was accepted, and whether it was a ping. */
    onAccepted: (isPing: boolean) => void
  }
>()("siteledger/construction/Secrets") {
  static readonly layer: Layer.Layer<Secrets> = Layer.sync(Secrets, () => {
    const secrets = new Map<string, KeyObject>()
    const paths = new Set<string>()
    let inFlight: PromiseWithResolvers<void> | undefined
    const settled = (): void => {
      inFlight?.resolve()
      inFlight = undefined
    }
    return Secrets.of({
      all: () => [...secrets.values()],
      // As a key: given a Buffer, createHmac spends 12 of its 14 µs on finding out that it is none.
      add: (secret) => void secrets.set(secret, createSecretKey(secret, "utf8")),
      addUrl: (url) => void paths.add(new URL(url).pathname),
      isPath: (path) => paths.has(path),
      creating: () => {
        inFlight ??= Promise.withResolvers()
      },
      settled,
      whenSettled: async () => {
        if (inFlight === undefined) return
        const patience = AbortSignal.timeout(creationPatienceMs)
        const outOfPatience = new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve()))
        await Promise.race([inFlight.promise, outOfPatience])
      },
      onAccepted: () => undefined
    })
  })
}

/** A ping may overtake the answer that brings its secret by this much. */
const creationPatienceMs = 5_000

const hexSignature = /^[0-9a-f]{64}$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const text = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value.trim() : undefined

/** 32 bytes, or undefined when the header is missing or is anything but 64 hex digits of either case. */
export const readSignature = (headers: IncomingHttpHeaders): Buffer | undefined => {
  const value = text(headers["x-service-signature"])
  // Checked first: Buffer.from stops silently at the first character that isn't hex.
  return value !== undefined && hexSignature.test(value) ? Buffer.from(value, "hex") : undefined
}

export const verify = (secrets: ReadonlyArray<KeyObject>, body: Uint8Array, signature: Uint8Array): boolean => {
  let isValid = false
  for (const secret of secrets) {
    const expected = createHmac("sha256", secret).update(body).digest()
    isValid = timingSafeEqual(expected, signature) || isValid
  }
  return isValid
}

const said = (headers: IncomingHttpHeaders): Said => {
  const id = text(headers["x-service-event-id"])
  const micros = Instant.readMicros(text(headers["x-service-timestamp"]))
  return {
    eventId: id !== undefined && uuid.test(id) ? id.toLowerCase() : undefined,
    type: text(headers["x-service-event-type"]) ?? null,
    issuedAt: micros === undefined ? null : Instant.fromMicros(micros)
  }
}

export const layer: Layer.Layer<Signatures, never, Secrets> = Layer.effect(
  Signatures,
  Effect.map(Secrets, (secrets) =>
    Signatures.of({
      read: readSignature,
      verify: (body, signature) => verify(secrets.all(), body, signature),
      said,
      isFormerPath: secrets.isPath,
      settled: secrets.whenSettled,
      accepted: ({ type }) => secrets.onAccepted(type === ping)
    })
  )
)

/** When the service tries a delivery again, counted from its first attempt (interface document §8). */
export const retrySchedule: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.minutes(1),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(6),
  Duration.hours(24)
]
