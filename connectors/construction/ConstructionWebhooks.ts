/**
 * How the service signs its deliveries (interface document §6.2), and when it retries them (§8).
 *
 * The signature is the hex of HMAC-SHA256 over the raw body bytes. It is compared in constant time with that of every
 * valid secret, without an early exit. The other headers aren't signed and prove nothing. An old subscription's secret
 * stays valid until a person ends it, because its deliveries may be retried for a day and replayed at any time.
 */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Hmac from "../../src/Runtime/Hmac.ts"
import { type DeliveryHeaders, Signatures } from "../../src/Intake/Receiver/Signatures.ts"
import { Keyring, type Secret } from "../../src/Intake/Secrets/Keyring.ts"
import { ping } from "./ConstructionEvents.ts"

/** What the receiver and the subscription share: the paths for deliveries, and which deliveries were accepted. */
export class Callbacks extends Context.Service<
  Callbacks,
  {
    /** A callback URL that deliveries may come to, in addition to the configured one. */
    readonly addUrl: (url: string) => void
    readonly isPath: (path: string) => boolean
    /** While a subscription is being created, its secret may be missing for a moment. */
    readonly creating: () => void
    readonly settled: () => void
    readonly whenSettled: () => Promise<void>
    /** Set this to be called for each accepted delivery, with whether it is a ping and which secret signed it. */
    onAccepted: (isPing: boolean, secret: Secret) => void
  }
>()("siteledger/construction/Callbacks") {
  static readonly layer: Layer.Layer<Callbacks> = Layer.sync(Callbacks, () => {
    const paths = new Set<string>()
    let inFlight: PromiseWithResolvers<void> | undefined
    const settled = (): void => {
      inFlight?.resolve()
      inFlight = undefined
    }
    return Callbacks.of({
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

/** A ping may be ahead of the answer with its secret by this much. */
const creationPatienceMs = 5_000

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

/** The secret that signed a body; of several with the same key the last. Constant time, without an early exit. */
const signerOf = <Held extends { readonly key: KeyObject }>(
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

/** Those of a burst often have the same time. */
let lastIssued: { readonly text: string; readonly at: Instant.Instant | null } = { text: "", at: null }

const readIssued = (written: string): Instant.Instant | null => {
  if (lastIssued.text !== written) {
    const micros = Instant.readMicros(written)
    lastIssued = { text: written, at: micros === undefined ? null : Instant.fromMicros(micros) }
  }
  return lastIssued.at
}

export const layer: Layer.Layer<Signatures, never, Keyring | Callbacks> = Layer.effect(
  Signatures,
  Effect.gen(function* () {
    const keyring = yield* Keyring
    const callbacks = yield* Callbacks
    return Signatures.of({
      read: readSignature,
      signer: (body, signature) => signerOf(keyring.valid(), body, signature),
      checking: (signature) => checking(keyring.valid(), signature),
      said: readHeaders,
      isFormerPath: callbacks.isPath,
      // Concurrently: each may take half of the time after which the service gives up (interface document §3.2).
      settled: async () => {
        await Promise.all([keyring.lookAgain(), callbacks.whenSettled()])
      },
      accepted: ({ type }, secret) => {
        keyring.used(secret)
        callbacks.onAccepted(type === ping, secret)
      }
    })
  })
)

/** When the service retries a delivery, counted from its first attempt (interface document §8). */
export const retrySchedule: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.minutes(1),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(6),
  Duration.hours(24)
]
