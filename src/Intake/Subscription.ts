/**
 * How the subscription to the service's events stands. The connector makes and keeps it; Status shows it.
 */
import { Context, type Effect } from "effect"

/** A callback URL as it may be seen in logs, Status and alerts: its query may hold a secret. */
export const shownUrl = (url: URL | string): string => {
  const shown = URL.parse(String(url))
  return shown === null ? "" : shown.origin + shown.pathname
}

/** All URLs as they are shown. */
export interface SubscriptionStatus {
  readonly url: string
  /** When a first signed delivery (a ping) arrived; null until then. */
  readonly verifiedAt: string | null
  /** Callback URLs of `toDelete`. */
  readonly obsolete: ReadonlyArray<string>
  /** Subscriptions that nobody needs any more, to be deleted in the service's administration. */
  readonly toDelete: ReadonlyArray<SupersededSubscription>
}

export interface SupersededSubscription {
  readonly url: string
  /** When we asked for it. */
  readonly createdAt: string
  /** The answer that brings its secret was lost: it may exist, once or more, and its deliveries are refused. */
  readonly isSecretLost: boolean
  /** `siteledger secret retire FINGERPRINT` says that it has been deleted. */
  readonly fingerprint: string
}

export class Subscription extends Context.Service<
  Subscription,
  {
    readonly status: Effect.Effect<SubscriptionStatus>
    /** Returns once the subscription stands, or once it is clear that a person must help. */
    readonly attempted: Effect.Effect<void>
  }
>()("siteledger/Subscription") {}
