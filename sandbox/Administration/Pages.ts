/**
 * The pages by path, as data. Undefined: the record doesn't exist, or no longer exists.
 */
import { Effect } from "effect"
import { type Administered, deliveryNumber, filterOf, numbered, subscription } from "./Administered.ts"
import * as ClientViews from "./ClientViews.ts"
import * as DeliveryViews from "./DeliveryViews.ts"
import * as FaultViews from "./FaultViews.ts"
import type { Page } from "./Page.ts"
import type { Counts } from "./Records.ts"
import * as RecordViews from "./RecordViews.ts"
import * as WebhookViews from "./WebhookViews.ts"

export interface Asked {
  /** The path's `:id`. */
  readonly id: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly now: number
  /** Counting may take a while the first time. */
  readonly counts: Effect.Effect<Counts>
}

type MakePage = (world: Administered, asked: Asked) => Effect.Effect<Page | undefined>

export const pages: ReadonlyArray<readonly [path: `/${string}`, page: MakePage]> = [
  ["/", (world, { counts, now }) => Effect.map(counts, (counts) => RecordViews.overview(world, counts, now))],
  ["/subscriptions", (world, { now }) => Effect.sync(() => WebhookViews.page(world, now, WebhookViews.emptyDraft))],
  [
    "/subscriptions/:id",
    (world, { id, now }) =>
      Effect.sync(() => {
        const found = subscription(world, numbered(id))
        return found && WebhookViews.one(world, found, now)
      })
  ],
  ["/deliveries", (world, { now, query }) => Effect.sync(() => DeliveryViews.page(world, filterOf(query), now))],
  [
    "/deliveries/:id",
    (world, { id, now }) =>
      Effect.sync(() => {
        const found = world.deliveries.find(deliveryNumber(world, id))
        return found && DeliveryViews.one(world, found, now)
      })
  ],
  [
    "/records",
    (world, { counts, query }) =>
      Effect.map(counts, (counts) => RecordViews.records(world, counts, query["kind"] ?? "ipcs"))
  ],
  ["/faults", (world) => Effect.sync(() => FaultViews.page(world))],
  ["/clients", (world) => Effect.sync(() => ClientViews.page(world))]
]
