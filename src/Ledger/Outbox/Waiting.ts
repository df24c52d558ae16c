/**
 * Why the outbox waits: nothing is sent to the accounting system until a person has compared it with the books. In the
 * Store, so it survives restarts and holds for every worker; it is written in the transaction that finds the reason.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import { readMeta, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

export interface Waiting {
  readonly since: Instant
  /** A sentence for a person. */
  readonly why: string
}

const key = "ledger_sink_waits"

export const waiting = async (db: Kysely<StoreTables>): Promise<Waiting | undefined> => {
  const kept = await readMeta(db, key)
  return kept === undefined ? undefined : (JSON.parse(kept) as Waiting)
}

export const wait = (tx: Transaction<StoreTables>, waiting: Waiting): Promise<unknown> =>
  writeMeta(tx, key, JSON.stringify(waiting))

/** Sending goes on. */
export const goOn = (tx: Transaction<StoreTables>): Promise<unknown> =>
  tx.deleteFrom("meta").where("key", "=", key).execute()

/** For the query that looks for what is due: one place, without a gap between looking and sending. */
export const isNotWaiting = sql<boolean>`not exists (select 1 from meta where key = ${sql.lit(key)})`
