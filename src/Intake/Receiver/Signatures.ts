/**
 * What the Receiver needs from a connector: the module with its `Signing`, and the data for it.
 */
import { Context } from "effect"
import type { Secret } from "../Secrets/Keyring.ts"

/** Implemented by the connector. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** It exports `signing` (`Signing`). */
    readonly module: URL
    /** Includes expired ones: the receiver asks its own clock. */
    readonly secrets: () => ReadonlyArray<Secret>
    /** Paths of earlier callback URLs: the service keeps retrying and replaying to them. */
    readonly formerPaths: () => ReadonlyArray<string>
    /**
     * `tell` is called whenever one of these two has changed, and resolves once the change is effective. Returns a
     * function that stops this.
     */
    readonly onChange: (tell: () => Promise<void>) => () => void
    /** Resolves once new secrets may be known: immediately, unless a subscription is being created. */
    readonly settled: () => Promise<void>
    /** These deliveries are on disk; either all of them are pings or none is. */
    readonly accepted: (isPing: boolean, secret: Secret, count: number) => void
  }
>()("siteledger/Receiver/Signatures") {}
