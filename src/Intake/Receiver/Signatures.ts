/**
 * What the Receiver needs from a connector: the module with its `Signing`, and what is to be known for it.
 */
import { Context } from "effect"
import type { Secret } from "../Secrets/Keyring.ts"

/** Implemented by the connector. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** It exports `signing` (`Signing`). */
    readonly module: URL
    /** Also those that have expired: the receiver asks its own clock. */
    readonly secrets: () => ReadonlyArray<Secret>
    /** Paths of earlier callback URLs: the service keeps retrying and replaying there. */
    readonly formerPaths: () => ReadonlyArray<string>
    /** `tell` is called whenever one of the two has changed, and resolves once that is effective. Returns how to stop. */
    readonly onChange: (tell: () => Promise<void>) => () => void
    /** Resolves once new secrets may be known: immediately, unless a subscription is being created. */
    readonly settled: () => Promise<void>
    /** Deliveries that are on disk, all of them pings or none. */
    readonly accepted: (isPing: boolean, secret: Secret, count: number) => void
  }
>()("siteledger/Receiver/Signatures") {}
