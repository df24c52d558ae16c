/**
 * The queue of a Store with any number of workers: a row for each delivery that isn't applied, claimed with
 * `for update skip locked` and deleted in the transaction that applies it. A dead worker's claims are freed when its
 * connection ends.
 */
import { type Kysely, type Selectable, sql } from "kysely"
import { batchBytes, type Queue } from "../Queue.ts"
import { listedNumbers } from "../Sql.ts"
import type { StoreTables } from "../StoreTables.ts"

interface Claim {
  readonly id: number
  readonly sequence: number
  readonly is_first: boolean
}

const claim = async (db: Kysely<StoreTables>, limit: number): Promise<ReadonlyArray<Claim>> => {
  const { rows } = await sql<Claim>`
    select id, sequence, is_first from inbox_queue order by id limit ${limit} for update skip locked`.execute(db)
  return rows
}

export const postgresQueue: Queue = {
  take: async (db, limit) => {
    const claims = await claim(db, limit)
    const fresh = new Set(claims.filter(({ is_first: isFirst }) => isFirst).map(({ sequence }) => sequence))
    const sequences = listedNumbers(db, [...new Set(claims.map(({ sequence }) => sequence))])
    // Bodies left for the next batch are not even read: a backlog of large ones would not fit into memory.
    const { rows } = await sql<Selectable<StoreTables["inbox"]>>`
      with sized as (
        select sequence, octet_length(body) as own, sum(octet_length(body)) over (order by sequence) as bytes
        from inbox where sequence in ${sequences}
      )
      select inbox.* from inbox join sized using (sequence) where bytes <= ${batchBytes} or bytes = own
      order by sequence`.execute(db)
    return { claims, taken: rows.map((row) => ({ row, isFresh: fresh.has(row.sequence) })) }
  },
  settle: async (tx, { claims = [] }, applied) => {
    const done = new Set(applied.map(({ sequence }) => sequence))
    const ids = claims.filter(({ sequence }) => done.has(sequence)).map(({ id }) => id)
    await tx.deleteFrom("inbox_queue").where("id", "in", listedNumbers(tx, ids)).execute()
  },
  waiting: async (db) => {
    const row = await db
      .selectFrom("inbox_queue")
      .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("received_at").as("oldest")])
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), oldest: row.oldest }
  },
  restart: async (tx) => {
    await sql`delete from inbox_queue`.execute(tx)
    await sql`
      insert into inbox_queue (sequence, is_first, received_at)
      select sequence, true, received_at from inbox order by sequence`.execute(tx)
  }
}
