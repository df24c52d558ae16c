/**
 * Spending in the Store: slots are on disk before they are used, and every worker on the same Store sees them. PostgreSQL
 * counts by its own clock, because the clocks of several machines differ.
 */
import { Effect, Layer } from "effect"
import { type Kysely, type Transaction } from "kysely"
import { clockMs, oneAtATime } from "../Stores/Sql.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { type Ask, type Granted, grant, type Spent, windowMs } from "./Slots.ts"
import { type Reserved, Spending, turnsOf, Uncounted } from "./Spending.ts"

export const layer: Layer.Layer<Spending, never, Store> = Layer.effect(
  Spending,
  Effect.map(Store, (store) =>
    Spending.of({
      recent: (nowMs) =>
        Effect.mapError(
          store.run(async (db) => lately(db, await clockMs(db, nowMs))),
          uncounted
        ),
      reserve: (ask, now) =>
        Effect.mapError(
          store.transaction((tx) => reserve(tx, ask, now)),
          uncounted
        )
    })
  )
)

const uncounted = ({ message }: StoreError) => new Uncounted({ message })

const nextKey = "pace_next_ms"

const lately = (db: Kysely<StoreTables>, nowMs: number): Promise<ReadonlyArray<Spent>> =>
  db
    .selectFrom("pace")
    .selectAll()
    .where("second", ">=", Math.floor((nowMs - windowMs) / 1000) - 1)
    .orderBy("second")
    .execute()

const reserve = async (tx: Transaction<StoreTables>, ask: Ask, now: () => number): Promise<Reserved> => {
  await oneAtATime(tx, "pace")
  const beforeMs = now()
  const nowMs = await clockMs(tx, beforeMs)
  const afterMs = now()
  const before = { nextMs: Number((await readMeta(tx, nextKey)) ?? 0), spent: await lately(tx, nowMs) }
  const { slots, ...after } = grant(before, ask, nowMs)
  await keep(tx, before, after)
  return { turns: turnsOf(slots, nowMs, [beforeMs, afterMs]), spent: after.spent }
}

const keep = async (tx: Transaction<StoreTables>, before: Granted, { nextMs, spent }: Granted): Promise<void> => {
  const known = new Map(before.spent.map(({ second, sent }) => [second, sent]))
  const changed = spent.filter(({ second, sent }) => known.get(second) !== sent)
  const [first, last] = [spent.at(0), spent.at(-1)]
  await tx
    .deleteFrom("pace")
    .where((row) => row.or([row("second", "<", first?.second ?? 0), row("second", ">", last?.second ?? 0)]))
    .execute()
  await tx
    .insertInto("pace")
    .values(changed)
    .onConflict((of) => of.column("second").doUpdateSet((row) => ({ sent: row.ref("excluded.sent") })))
    .execute()
  await writeMeta(tx, nextKey, String(nextMs))
}
