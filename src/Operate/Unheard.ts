/**
 * Unheard: IPCs that the service's list shows as paid, although no event has said so: their events were missed, or wait
 * in quarantine. A list posts nothing, so a person is told, together with what to do.
 *
 * Only payments since siteledger began to hear events count, and only once no retry can bring the event any more: all
 * retries have passed, or the receiver was down and none is left. The leader checks every 15 seconds, if a person has
 * said which column shows payments.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import { sql } from "kysely"
import type { Interval } from "../Domain/Gap.ts"
import * as Instant from "../Domain/Instant.ts"
import { Uptime } from "../Intake/Uptime.ts"
import * as Text from "../Query/Text.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { insertAll } from "../Stores/Sql.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"

const lookEvery = Duration.seconds(15)
const key = "unheard payments"
/** Counting stops here. */
const most = 10_000
/** The service's last retry, plus an hour for its duration. */
const retriedMs = Duration.toMillis(Duration.hours(25))
/** An event is sent some time after what it reports. */
const marginMs = Duration.toMillis(Duration.minutes(5))

interface Unheard {
  readonly id: string
  readonly paidAt: string
}

/** What was paid during these times. */
export const unheardIn = (column: string, times: ReadonlyArray<Interval>) =>
  Effect.gen(function* () {
    if (times.length === 0) return []
    const warehouse = yield* Warehouse
    const within = times.map(
      ({ fromMs, toMs }) =>
        sql`(${sql.ref(column)} >= ${Instant.fromMillis(fromMs)} and ${sql.ref(column)} <= ${Instant.fromMillis(toMs)})`
    )
    const { rows } = yield* warehouse.query((db) =>
      sql<Unheard>`
        select id, ${sql.ref(column)} as "paidAt" from construction.ipcs
        where paid_at is null and _deleted_at is null and (${sql.join(within, sql` or `)})
        order by id limit ${sql.lit(most)}`.execute(db)
    )
    return rows
  })

const sentence = ([first, ...others]: readonly [Unheard, ...ReadonlyArray<Unheard>]): string => {
  const [id, at] = [Text.visible(first.id), first.paidAt]
  const which =
    others.length === 0
      ? `IPC ${id} was paid at ${at}`
      : `${others.length + 1} IPCs were paid (for example ${id}, at ${at})`
  return (
    `According to the service's list, ${which}, but no event said so: nothing is posted. Replay their deliveries in the service's ` +
    "Admin → API → Webhooks, or add what was paid with `siteledger ledger post`; `siteledger report repaired` lists them."
  )
}

/** Replaces what was stored before. */
const keep = (store: Store["Service"], found: ReadonlyArray<Unheard>, at: Instant.Instant) =>
  store.transaction(async (tx) => {
    const known = new Map(
      (await tx.selectFrom("unheard").selectAll().execute()).map((row) => [row.ipc_id, row.seen_at])
    )
    if (known.size === 0 && found.length === 0) return
    await tx.deleteFrom("unheard").execute()
    const rows = found.map(({ id, paidAt }) => ({ ipc_id: id, paid_at: paidAt, seen_at: known.get(id) ?? at }))
    await insertAll(tx, "unheard", rows)
  })

/** One look. */
export const look = Effect.fnUntraced(function* (column: string) {
  const store = yield* Store
  const reasons = yield* Reasons
  const nowMs = yield* Clock.currentTimeMillis
  const heardFrom = yield* store.deliveries.receivedAfter(0)
  const lost = (yield* (yield* Uptime).gaps).filter(({ isLost }) => isLost)
  const fromMs = heardFrom === null ? undefined : Instant.toMicros(heardFrom) / 1000
  const settled = fromMs === undefined || nowMs - retriedMs < fromMs ? [] : [{ fromMs, toMs: nowMs - retriedMs }]
  const found = yield* unheardIn(column, [
    ...settled,
    ...lost.map((gap) => ({ fromMs: gap.fromMs - marginMs, toMs: gap.toMs }))
  ])
  yield* keep(store, found, Instant.fromMillis(nowMs))
  const [first, ...others] = found
  yield* first === undefined ? reasons.clear(key) : reasons.set(key, sentence([first, ...others]), "notice")
})

const looking = (column: string) =>
  Effect.gen(function* () {
    yield* (yield* Warehouse).opened
    yield* look(column).pipe(Effect.catch((error) => Effect.logDebug("What was paid can't be read yet", error)))
    yield* Effect.sleep(lookEvery)
  })

/** `column`: of `ipcs`; undefined if no one has named one. */
export const layerFor = (column: string | undefined) =>
  column === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.forkScoped(led("the watch over payments without an event", looking(column))))
