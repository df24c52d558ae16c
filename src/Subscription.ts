/**
 * How the subscription to the service's events stands. The connector makes and keeps it; Status shows it.
 */
import { Context, type Effect } from "effect"

export interface SubscriptionStatus {
  readonly url: string
  /** When a first signed delivery (a ping) arrived; null until then. */
  readonly verifiedAt: string | null
  /** Callback URLs of subscriptions that nobody needs any more, to be deleted in the service's administration. */
  readonly obsolete: ReadonlyArray<string>
}

export class Subscription extends Context.Service<
  Subscription,
  {
    readonly status: Effect.Effect<SubscriptionStatus>
    /** Returns once the subscription stands, or once it is clear that a person must help. */
    readonly attempted: Effect.Effect<void>
  }
>()("siteledger/Subscription") {}
