/**
 * The state of the subscription to the service's events. The connector creates and maintains it; Status shows it.
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../Stores/Store.ts"

/** A callback URL as logs, Status and alerts may show it: without its query, which may hold a secret. */
export const shownUrl = (url: URL | string): string => {
  const shown = URL.parse(String(url))
  return shown === null ? "" : shown.origin + shown.pathname
}

/** All URLs without their query. */
export interface SubscriptionStatus {
  readonly url: string
  /** When the first signed delivery (a ping) arrived; null until then. */
  readonly verifiedAt: string | null
  /** Callback URLs of `toDelete`. */
  readonly obsolete: ReadonlyArray<string>
  /** Subscriptions that are no longer needed; a person deletes them in the service's administration. */
  readonly toDelete: ReadonlyArray<SupersededSubscription>
}

export interface SupersededSubscription {
  readonly url: string
  /** When we requested it. */
  readonly createdAt: string
  /**
   * The answer with its secret was lost. The subscription may exist, possibly more than once, and its deliveries are
   * refused.
   */
  readonly isSecretLost: boolean
  /** `siteledger secret retire FINGERPRINT` records that the subscription was deleted. */
  readonly fingerprint: string
}

export class Subscription extends Context.Service<
  Subscription,
  {
    readonly status: Effect.Effect<SubscriptionStatus, StoreError>
    /** Returns once the subscription exists or its first request was answered or failed; after 10 s at the latest. */
    readonly attempted: Effect.Effect<void>
  }
>()("siteledger/Subscription") {}
