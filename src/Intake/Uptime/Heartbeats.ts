/**
 * The rows of the receiver's up-intervals. Each names the boot of its machine, so that setting the clock moves them and
 * opens no gap.
 *
 * A row's times are the time since that boot plus the boot's wall-clock time (on PostgreSQL by the server's clock,
 * which all workers share). After that clock was set, all rows of the boot move with it in one transaction, together
 * with the closed and reported gaps between them.
 */
import { Clock, Effect } from "effect"
import type { Kysely, Transaction } from "kysely"
import type { Interval } from "../../Domain/Gap.ts"
import { Boot, runningMs } from "../../Runtime/Boot.ts"
import { clockMs, oneAtATime } from "../../Stores/Sql.ts"
import { readMeta, type Store, type StoreError, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

/** Starts of the gaps that were reported as lost. */
export const lostKey = "lost_gaps"

/** The interval that is being extended. */
export interface Current extends Interval {
  readonly id: number
  /** When the machine booted, by the wall clock. */
  readonly bootedMs: number
}

/** Smaller differences come from reading two clocks. */
const noiseMs = 1_000

interface Booted {
  readonly bootedMs: number
  readonly unsureMs: number
}

const differ = ({ bootedMs, unsureMs }: Booted, otherMs: number): boolean =>
  Math.abs(bootedMs - otherMs) > noiseMs + unsureMs

export const make = (store: Store["Service"]) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const { id: boot, suspendedMs } = yield* Boot
    const sinceBootMs = () => Math.floor(runningMs(clock) + suspendedMs())

    const booted = async (db: Kysely<StoreTables>): Promise<Booted> => {
      const beforeMs = sinceBootMs()
      const wallMs = await clockMs(db, clock.currentTimeMillisUnsafe())
      return { bootedMs: Math.round(wallMs) - beforeMs, unsureMs: sinceBootMs() - beforeMs }
    }

    /** When the machine booted, by the wall clock as now set; moves the rows of earlier settings. */
    const align = store.transaction(async (tx) => {
      await oneAtATime(tx, "uptime")
      const rows = await rowsOf(tx, boot)
      const now = await booted(tx)
      const last = rows.at(-1)?.booted_ms ?? now.bootedMs
      const bootedMs = differ(now, last) ? now.bootedMs : last
      for (const [ms, moved] of Map.groupBy(rows, (row) => row.booted_ms ?? bootedMs)) {
        if (ms !== bootedMs) await move(tx, boot, { fromMs: ms, toMs: bootedMs }, spanOf(moved))
      }
      return bootedMs
    })

    return {
      /** The present, on the time line of the interval. */
      now: ({ bootedMs }: Current): number => bootedMs + sinceBootMs(),
      /** Extends the interval, or begins another if more than `toleratedMs` has passed. */
      beat: (current: Current | undefined, toleratedMs: number): Effect.Effect<Current, StoreError> =>
        Effect.gen(function* () {
          const atMs = sinceBootMs()
          const isKnown = current !== undefined && !differ(yield* store.run(booted), current.bootedMs)
          const bootedMs = isKnown ? current.bootedMs : yield* align
          if (current === undefined) return yield* begin(store, { boot, bootedMs, atMs })
          const byMs = bootedMs - current.bootedMs
          const moved = { id: current.id, fromMs: current.fromMs + byMs, toMs: current.toMs + byMs, bootedMs }
          return yield* bootedMs + atMs - moved.toMs <= toleratedMs
            ? grow(store, moved, { boot, bootedMs, atMs })
            : begin(store, { boot, bootedMs, atMs })
        }),
      load: store.run(async (db) => ({
        ...(await load(db, boot)),
        nowMs: (await booted(db)).bootedMs + sinceBootMs()
      }))
    }
  })

interface Beat {
  readonly boot: string
  readonly bootedMs: number
  /** Milliseconds since the boot. */
  readonly atMs: number
}

const begin = (store: Store["Service"], { atMs, boot, bootedMs }: Beat): Effect.Effect<Current, StoreError> => {
  const fromMs = bootedMs + atMs
  const row = { from_ms: fromMs, to_ms: fromMs, boot, booted_ms: bootedMs }
  return Effect.map(
    store.run((db) => db.insertInto("uptime").values(row).returning("id").executeTakeFirstOrThrow()),
    ({ id }) => ({ id, fromMs, toMs: fromMs, bootedMs })
  )
}

const grow = (store: Store["Service"], current: Current, beat: Beat): Effect.Effect<Current, StoreError> => {
  const toMs = beat.bootedMs + beat.atMs
  return Effect.flatMap(
    store.run((db) =>
      db.updateTable("uptime").set({ to_ms: toMs }).where("id", "=", current.id).executeTakeFirstOrThrow()
    ),
    ({ numUpdatedRows }) => (numUpdatedRows > 0n ? Effect.succeed({ ...current, toMs }) : begin(store, beat))
  )
}

const load = async (db: Kysely<StoreTables>, boot: string) => {
  const interval = ["from_ms as fromMs", "to_ms as toMs"] as const
  const up = await db
    .selectFrom("uptime")
    .select([...interval, "boot"])
    .orderBy("from_ms")
    .execute()
  return {
    up: up.map((row) => ({ ...row, isOwn: row.boot === boot })),
    closed: await db.selectFrom("closed_gaps").select(interval).orderBy("from_ms").execute()
  }
}

const rowsOf = (tx: Transaction<StoreTables>, boot: string) =>
  tx.selectFrom("uptime").select(["from_ms", "to_ms", "booted_ms"]).where("boot", "=", boot).orderBy("id").execute()

const spanOf = (rows: ReadonlyArray<{ readonly from_ms: number; readonly to_ms: number }>): Interval => ({
  fromMs: Math.min(...rows.map((row) => row.from_ms)),
  toMs: Math.max(...rows.map((row) => row.to_ms))
})

/** Moves the rows of one clock setting, and what is stored about the gaps between them. */
const move = async (tx: Transaction<StoreTables>, boot: string, { fromMs, toMs }: Interval, span: Interval) => {
  const byMs = toMs - fromMs
  const moved = (ms: number): number => (ms >= span.fromMs && ms <= span.toMs ? ms + byMs : ms)
  await tx
    .updateTable("uptime")
    .set((row) => ({
      from_ms: row("from_ms", "+", byMs),
      to_ms: row("to_ms", "+", byMs),
      booted_ms: toMs
    }))
    .where("boot", "=", boot)
    .where("booted_ms", "=", fromMs)
    .execute()
  for (const gap of await tx.selectFrom("closed_gaps").selectAll().execute()) {
    const next = { ...gap, from_ms: moved(gap.from_ms), to_ms: moved(gap.to_ms) }
    if (next.from_ms === gap.from_ms && next.to_ms === gap.to_ms) continue
    await tx.deleteFrom("closed_gaps").where("from_ms", "=", gap.from_ms).where("to_ms", "=", gap.to_ms).execute()
    await tx
      .insertInto("closed_gaps")
      .values(next)
      .onConflict((of) => of.columns(["from_ms", "to_ms"]).doNothing())
      .execute()
  }
  const lost = await readMeta(tx, lostKey)
  if (lost)
    await writeMeta(
      tx,
      lostKey,
      lost
        .split(" ")
        .map((ms) => moved(Number(ms)))
        .join(" ")
    )
}
