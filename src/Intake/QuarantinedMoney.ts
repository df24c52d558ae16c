/**
 * The deliveries in quarantine that are about money: their type, as the body proves it or else as a header names it,
 * certifies or pays; or they changed rows and posted nothing (`label-only`).
 */
import { Effect } from "effect"
import type { ExpressionBuilder } from "kysely"
import { labelOnly } from "../Domain/Event.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

export interface QuarantinedMoney {
  readonly count: number
  /** `since`: when it arrived. */
  readonly oldest: {
    readonly since: string
    readonly eventId: string
    readonly type: string | null
    readonly reason: string
  } | null
}

/** Differs if the quarantine may have changed. */
export const stamp = Effect.flatMap(Store, (store) =>
  store.run(async (db) => {
    const row = await db
      .selectFrom("quarantine")
      .select((of) => [of.fn.countAll().as("count"), of.fn.max("sequence").as("newest")])
      .executeTakeFirst()
    return `${row?.count} ${row?.newest}`
  })
)

/** `types`: the event types that the ledger posts by. */
export const quarantinedMoney = Effect.fn("Quarantine.money")(function* (types: ReadonlyArray<string>) {
  const store = yield* Store
  return yield* store.run(async (db): Promise<QuarantinedMoney> => {
    const found = await db
      .selectFrom("quarantine")
      .select((of) => [of.fn.countAll().as("count"), of.fn.min("quarantine.sequence").as("oldest")])
      .where(isMoney(types))
      .executeTakeFirst()
    const oldest = await db
      .selectFrom("quarantine")
      .innerJoin("inbox", "inbox.sequence", "quarantine.sequence")
      .select(["received_at", "event_id", "event_type", "header_type", "reason"])
      .where("quarantine.sequence", "=", Number(found?.oldest ?? 0))
      .executeTakeFirst()
    if (oldest === undefined) return { count: 0, oldest: null }
    const { event_id: eventId, event_type, header_type, reason, received_at: since } = oldest
    return { count: Number(found?.count), oldest: { since, eventId, type: event_type ?? header_type, reason } }
  })
})

/** Only a row of version 0.1 lacks a type that its header names: no other is looked up in the inbox. */
const isMoney = (types: ReadonlyArray<string>) => (where: ExpressionBuilder<StoreTables, "quarantine">) =>
  where.or([
    where("reason", "=", labelOnly),
    where("event_type", "in", types),
    where.and([
      where("event_type", "is", null),
      where.exists(
        where
          .selectFrom("inbox")
          .select("inbox.sequence")
          .whereRef("inbox.sequence", "=", "quarantine.sequence")
          .where("header_type", "in", types)
      )
    ])
  ])
