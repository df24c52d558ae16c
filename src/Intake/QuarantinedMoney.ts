/**
 * The deliveries in quarantine that are about money. Either their type certifies or pays, as the body proves it or else
 * as a header names it; or they changed rows and posted nothing (`label-only`).
 */
import { Effect } from "effect"
import { sql } from "kysely"
import { labelOnly } from "../Domain/Event.ts"
import { Store } from "../Stores/Store.ts"

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

const counts = sql<string>`select count(*) || ' ' || coalesce(max(sequence), 0) from quarantine`

/** Changes if the quarantine may have changed. */
export const stamp = Effect.flatMap(Store, (store) => store.look(counts))

/** `types`: the event types that the ledger posts. */
export const quarantinedMoney = Effect.fn("Quarantine.money")(function* (types: ReadonlyArray<string>) {
  const store = yield* Store
  const [found, first] = yield* store.run(async (db) => {
    const money = db
      .selectFrom("quarantine")
      .where((where) => where.or([where("reason", "=", labelOnly), where("event_type", "in", types)]))
    return [
      await money.select((of) => of.fn.countAll().as("count")).executeTakeFirst(),
      await money.select(["sequence", "event_type", "reason"]).orderBy("sequence").limit(1).executeTakeFirst()
    ] as const
  })
  const [event] = first === undefined ? [] : yield* store.deliveries.read([first.sequence])
  if (first === undefined || event === undefined) return { count: 0, oldest: null } satisfies QuarantinedMoney
  const oldest = { since: event.receivedAt, eventId: event.eventId, type: first.event_type, reason: first.reason }
  return { count: Number(found?.count), oldest } satisfies QuarantinedMoney
})
