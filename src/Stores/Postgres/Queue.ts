/**
 * The queue of deliveries that aren't applied, shared by all workers: a batch claims its first rows, and a rebuild puts
 * the whole inbox into it again.
 *
 * Until a rebuild's transaction ends, nothing is claimed. Otherwise a delivery could be applied to tables that the
 * rebuild then empties, and be gone from the queue. Storing deliveries doesn't wait for it.
 */
import { type Kysely, sql } from "kysely"
import type { StoreTables } from "../StoreTables.ts"

type Db = Kysely<StoreTables>

export interface Claim {
  readonly id: number
  readonly sequence: number
  readonly is_first: boolean
}

/** The advisory lock that batches share and a rebuild holds exclusively: arbitrary, but used for nothing else. */
const claiming = 7_130_221_003

/** Claims nothing while a rebuild is under way or waits for its turn. */
export const claim = async (db: Db, limit: number): Promise<ReadonlyArray<Claim>> => {
  const { rows } = await sql<Claim>`
    select id, sequence, is_first from inbox_queue where (select pg_try_advisory_xact_lock_shared(${claiming}))
    order by id limit ${limit} for update skip locked`.execute(db)
  return rows
}

/** Waits for batches in progress, and prevents new claims during this transaction. */
export const close = async (tx: Db): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${claiming})`.execute(tx)
}

/** Limited, because a statement may last a minute. */
const queuedAtOnce = 250_000

/**
 * Puts all deliveries into the closed queue. Each part is one statement, so that deliveries stored meanwhile are in it
 * once, and the least numbers come first: how far everything is applied is read from the first places.
 */
export const again = async (tx: Db): Promise<void> => {
  for (let from = 1; from < Number.MAX_SAFE_INTEGER;) {
    const { rows } = await sql<{ sequence: number }>`
      select sequence from inbox where sequence >= ${from} order by sequence offset ${queuedAtOnce} limit 1`.execute(tx)
    const to = rows[0]?.sequence ?? Number.MAX_SAFE_INTEGER
    const isIn = sql`sequence >= ${from} and sequence < ${to}`
    await sql`
      with gone as (delete from inbox_queue where ${isIn})
      insert into inbox_queue (sequence, is_first, received_at)
      select sequence, true, received_at from inbox where ${isIn} order by sequence`.execute(tx)
    from = to
  }
}
