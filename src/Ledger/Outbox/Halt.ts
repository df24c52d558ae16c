/**
 * Why the outbox waits: nothing is sent to the accounting system until a person has compared it with the books. In the
 * Store, so it survives restarts and holds for every worker; it is written in the transaction that detects the reason.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import { readMeta, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

export interface Halt {
  readonly since: Instant
  /** A sentence for a person. */
  readonly why: string
}

const key = "ledger_sink_waits"

export const haltOf = async (db: Kysely<StoreTables>): Promise<Halt | undefined> => {
  const kept = await readMeta(db, key)
  return kept === undefined ? undefined : (JSON.parse(kept) as Halt)
}

export const halt = (tx: Transaction<StoreTables>, why: Halt): Promise<unknown> =>
  writeMeta(tx, key, JSON.stringify(why))

/** Sending continues. */
export const resume = (tx: Transaction<StoreTables>): Promise<unknown> =>
  tx.deleteFrom("meta").where("key", "=", key).execute()

/** For the query that finds what is due: checked in the same place, so there is no gap between looking and sending. */
export const isNotHalted = sql<boolean>`not exists (select 1 from meta where key = ${sql.lit(key)})`
