/**
 * What the Receiver needs from a connector: how the service signs its deliveries, and how to read its headers.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Context } from "effect"
import type { Instant } from "../../Domain/Instant.ts"
import type { Secret } from "../Secrets/Keyring.ts"

/** The unsigned headers; they prove nothing. */
export interface DeliveryHeaders {
  readonly eventId: string | undefined
  readonly type: string | null
  readonly issuedAt: Instant | null
}

export interface Checking {
  readonly add: (part: Uint8Array) => void
  readonly signer: () => Secret | undefined
}

/** Implemented by the connector. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** The bytes of the signature; undefined if it is missing or malformed. */
    readonly read: (headers: IncomingHttpHeaders) => Uint8Array | undefined
    /** The valid secret that signed this body. Constant time, over all valid secrets. */
    readonly signer: (body: Uint8Array, signature: Uint8Array) => Secret | undefined
    /** The same for a body in parts, which is too large to be held whole. */
    readonly checking: (signature: Uint8Array) => Checking
    readonly said: (headers: IncomingHttpHeaders) => DeliveryHeaders
    /** Paths of earlier callback URLs: the service keeps retrying and replaying there. */
    readonly isFormerPath: (path: string) => boolean
    /** Resolves once new secrets may be known: immediately, unless a subscription is being created. */
    readonly settled: () => Promise<void>
    /** Called once per delivery, after it is on disk. */
    readonly accepted: (headers: DeliveryHeaders, secret: Secret) => void
  }
>()("siteledger/Receiver/Signatures") {}
