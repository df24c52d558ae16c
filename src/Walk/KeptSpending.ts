/**
 * Spending in the Store: slots are on disk before they are used, and every worker on the same Store sees them. They are
 * counted by a clock that is stored with them (`PlanClock`), so setting a machine's clock never lets more requests
 * through.
 */
import { Effect, Layer } from "effect"
import { type Kysely, type Transaction } from "kysely"
import { Boot } from "../Runtime/Boot.ts"
import { clockMs, oneAtATime } from "../Stores/Sql.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { advanced, type PlanClock, startingAt } from "./PlanClock.ts"
import { type Ask, type Granted, grant, type Spent, windowMs } from "./Slots.ts"
import { type Reserved, Spending, turnsOf, Uncounted } from "./Spending.ts"

export const layer: Layer.Layer<Spending, never, Store> = Layer.effect(
  Spending,
  Effect.gen(function* () {
    const store = yield* Store
    const read = reading((yield* Boot).id)
    return Spending.of({
      recent: (now) =>
        Effect.mapError(
          store.run(async (db) => {
            const { nowMs, planMs } = await read(db, now)
            return { spent: await lately(db, planMs), aheadMs: planMs - nowMs }
          }),
          uncounted
        ),
      reserve: (ask, now) =>
        Effect.mapError(
          store.transaction((tx) => reserve(tx, ask, () => read(tx, now))),
          uncounted
        )
    })
  })
)

const uncounted = ({ message }: StoreError) => new Uncounted({ message })

const nextKey = "pace_next_ms"
const clockKey = "pace_clock"

interface Present {
  readonly planMs: number
  readonly nowMs: number
  readonly between: readonly [beforeMs: number, afterMs: number]
  readonly clock: PlanClock
  readonly nextMs: number
}

/** The current time of the plan's clock. Remembers the last answer, which bounds the next one. */
const reading = (boot: string) => {
  let knownAheadMs: number | undefined
  return async (db: Kysely<StoreTables>, now: () => number): Promise<Present> => {
    const kept = await readMeta(db, clockKey)
    const nextMs = Number((await readMeta(db, nextKey)) ?? 0)
    const beforeMs = now()
    const sharedMs = await clockMs(db, beforeMs)
    const afterMs = now()
    const last = kept === undefined ? startingAt(await latest(db, nextMs, sharedMs)) : (JSON.parse(kept) as PlanClock)
    const clock = advanced(last, { sharedMs, beforeMs, afterMs, boot, knownAheadMs })
    knownAheadMs = clock.aheadMs
    return { planMs: clock.planMs, nowMs: afterMs, between: [beforeMs, afterMs], clock, nextMs }
  }
}

/** The latest time that version 0.1 spent; if there is none, the present. */
const latest = async (db: Kysely<StoreTables>, nextMs: number, sharedMs: number): Promise<number> => {
  const row = await db
    .selectFrom("pace")
    .select((of) => of.fn.max("second").as("second"))
    .executeTakeFirst()
  const second = row?.second ?? null
  return second === null ? sharedMs : Math.max(nextMs, Number(second) * 1000)
}

const lately = (db: Kysely<StoreTables>, nowMs: number): Promise<ReadonlyArray<Spent>> =>
  db
    .selectFrom("pace")
    .selectAll()
    .where("second", ">=", Math.floor((nowMs - windowMs) / 1000) - 1)
    .orderBy("second")
    .execute()

const reserve = async (tx: Transaction<StoreTables>, ask: Ask, read: () => Promise<Present>): Promise<Reserved> => {
  await oneAtATime(tx, "pace")
  const { between, clock, nextMs, nowMs, planMs } = await read()
  const before = { nextMs, spent: await lately(tx, planMs) }
  const { slots, ...after } = grant(before, ask, planMs)
  await keep(tx, before, after)
  await writeMeta(tx, clockKey, JSON.stringify(clock))
  return { turns: turnsOf(slots, planMs, between), spent: after.spent, aheadMs: planMs - nowMs }
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
