/**
 * How a service signs its deliveries. A connector exports this as `signing`, in a module without Effect, because the
 * receiver's thread loads it.
 */
import type { KeyObject } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Event } from "../../Domain/Event.ts"
import type { Instant } from "../../Domain/Instant.ts"

/** The unsigned headers; they prove nothing. */
export interface DeliveryHeaders {
  readonly eventId: string | undefined
  readonly type: string | null
  readonly issuedAt: Instant | null
}

/** A secret, in the form that checking a signature needs. */
export interface Held {
  readonly key: KeyObject
}

export type Delivered = Pick<Event, "body" | "eventId" | "headerType" | "issuedAt">

export interface Checking<S extends Held> {
  readonly add: (part: Uint8Array) => void
  readonly signer: () => S | undefined
}

export interface Signing {
  /** The bytes of the signature; undefined if it is missing or malformed. */
  readonly read: (headers: IncomingHttpHeaders) => Uint8Array | undefined
  /** The secret that signed this body. Takes constant time over all of them. */
  readonly signer: <S extends Held>(secrets: ReadonlyArray<S>, body: Uint8Array, signature: Uint8Array) => S | undefined
  /** The same for a body in parts, which is too large to be held as a whole. */
  readonly checking: <S extends Held>(secrets: ReadonlyArray<S>, signature: Uint8Array) => Checking<S>
  readonly said: (headers: IncomingHttpHeaders) => DeliveryHeaders
  /** The headers for redelivering an event, signed with this key. */
  readonly headersOf: (key: KeyObject, event: Delivered) => Readonly<Record<string, string>>
  /** A ping is sent once, to verify a subscription. */
  readonly isPing: (headers: DeliveryHeaders) => boolean
}
