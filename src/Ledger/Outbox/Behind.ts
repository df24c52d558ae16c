/**
 * Detects books that end before what was sent: the Store was put back to an earlier state. The outbox then waits, under
 * a new epoch.
 */
import type { Kysely, Transaction } from "kysely"
import { Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import type { Store, StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { epochOf, raise } from "../Epoch.ts"
import { halt, haltOf } from "./Halt.ts"
import { isAfter, type Sent } from "./Witness.ts"

const lastOf = async (db: Kysely<StoreTables>): Promise<Sent> => {
  const newest = await db
    .selectFrom("ledger_entries")
    .select((of) => of.fn.max("sequence").as("sequence"))
    .executeTakeFirst()
  return { epoch: await epochOf(db), sequence: Number(newest?.sequence ?? 0) }
}

/** What is known about the store that is replaced. */
export interface Elsewhere {
  readonly epoch: number
  readonly isSent: boolean
}

export interface Restored {
  readonly epoch: number
  /** Whether the outbox waits. */
  readonly isWaiting: boolean
}

/** A backup replaces the Store. The outbox waits unless nothing was ever sent. */
export const restored = async (
  tx: Transaction<StoreTables>,
  { epoch, isSent }: Elsewhere,
  nowMs: number
): Promise<Restored> => {
  const queued = await tx.selectFrom("ledger_outbox").select("entry_id").limit(1).executeTakeFirst()
  const isWaiting = queued !== undefined || isSent
  if (isWaiting) {
    await halt(tx, {
      since: Instant.fromMillis(nowMs),
      why: "The store was restored from a backup, and the accounting system may have entries from after it."
    })
  }
  return { epoch: await raise(tx, epoch), isWaiting }
}

/** Returns whether the outbox began to wait. */
export const waitIfBehind = (store: Store["Service"], sent: Sent, nowMs: number): Effect.Effect<boolean, StoreError> =>
  store.transaction(async (tx) => {
    const last = await lastOf(tx)
    if (!isAfter(sent, last)) return false
    await raise(tx, sent.epoch)
    if ((await haltOf(tx)) !== undefined) return false
    await halt(tx, {
      since: Instant.fromMillis(nowMs),
      why:
        `Entry ${sent.sequence} (epoch ${sent.epoch}) was sent, and the books end at ${last.sequence} (epoch ${last.epoch}): ` +
        "the store was put back to an earlier state."
    })
    return true
  })
