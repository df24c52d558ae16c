/**
 * What the Receiver needs of a connector: how the service signs its deliveries, and what its headers say.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Context } from "effect"
import type { Instant } from "../../Domain/Instant.ts"
import type { Secret } from "../Secrets/Keyring.ts"

/** What the unsigned headers say; they prove nothing. */
export interface Said {
  readonly eventId: string | undefined
  readonly type: string | null
  readonly issuedAt: Instant | null
}

/** The connector's part: the service's own way to sign. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** The signature's bytes; undefined when it is missing or malformed. */
    readonly read: (headers: IncomingHttpHeaders) => Uint8Array | undefined
    /** The valid secret that signed this body. Constant time, over all valid secrets. */
    readonly signer: (body: Uint8Array, signature: Uint8Array) => Secret | undefined
    readonly said: (headers: IncomingHttpHeaders) => Said
    /** Of callback URLs that were given to the service earlier: it goes on retrying and replaying there. */
    readonly isFormerPath: (path: string) => boolean
    /** Resolves when new secrets may be there: at once, unless a subscription is being created. */
    readonly settled: () => Promise<void>
    /** Called once for each stored delivery, after it is on disk. */
    readonly accepted: (said: Said, secret: Secret) => void
  }
>()("siteledger/Receiver/Signatures") {}
