/**
 * The queue of a Store with one worker: all events after the applied-through sequence, and earlier ones that were
 * delivered again (`inbox_touched`).
 */
import { type Kysely, type Selectable, sql } from "kysely"
import { readMeta, writeMeta } from "../Store.ts"
import { batchBytes, type Queue, type Taken, withinBytes } from "../Queue.ts"
import { listedNumbers } from "../Sql.ts"
import type { StoreTables } from "../StoreTables.ts"

const watermarkKey = "applied_through"

export const watermark = async (db: Kysely<StoreTables>): Promise<number> =>
  Number((await readMeta(db, watermarkKey)) ?? 0)

type InboxRow = Selectable<StoreTables["inbox"]>

const as = (isFresh: boolean, rows: ReadonlyArray<InboxRow>): ReadonlyArray<Taken> =>
  rows.map((row) => ({ row, isFresh }))

export const sqliteQueue: Queue = {
  take: async (db, limit) => {
    const applied = await watermark(db)
    const again = await db
      .selectFrom("inbox_touched")
      .innerJoin("inbox", "inbox.sequence", "inbox_touched.sequence")
      .selectAll("inbox")
      .where("inbox.sequence", "<=", applied)
      .orderBy("inbox.sequence")
      .limit(limit)
      .execute()
    // Bodies left for the next batch are not even read: a backlog of large ones would not fit into memory.
    const { rows: fresh } = await sql<InboxRow>`
      with next as (
        select sequence, length(body) as own from inbox where sequence > ${applied} order by sequence limit ${limit}
      ), sized as (select sequence, own, sum(own) over (order by sequence) as bytes from next)
      select inbox.* from inbox join sized using (sequence) where bytes <= ${batchBytes} or bytes = own
      order by sequence`.execute(db)
    return {
      taken: [...as(false, withinBytes(again)), ...as(true, fresh)],
      watermark: fresh.at(-1)?.sequence ?? applied
    }
  },
  settle: async (tx, { watermark }, applied) => {
    const deliveries = new Map(applied.map((event) => [event.sequence, event.deliveries]))
    const rows = await tx
      .selectFrom("inbox_touched")
      .innerJoin("inbox", "inbox.sequence", "inbox_touched.sequence")
      .select(["inbox.sequence", "inbox.deliveries"])
      .where("inbox.sequence", "in", listedNumbers(tx, [...deliveries.keys()]))
      .execute()
    const same = rows.filter((row) => deliveries.get(row.sequence) === row.deliveries).map((row) => row.sequence)
    if (same.length > 0) {
      await tx.deleteFrom("inbox_touched").where("sequence", "in", listedNumbers(tx, same)).execute()
    }
    if (watermark !== undefined) await writeMeta(tx, watermarkKey, String(watermark))
  },
  waiting: async (db) => {
    const row = await db
      .selectFrom("inbox")
      .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("received_at").as("oldest")])
      .where("sequence", ">", await watermark(db))
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), oldest: row.oldest }
  },
  restart: async (tx) => {
    await sql`delete from inbox_touched`.execute(tx)
    await writeMeta(tx, watermarkKey, "0")
  }
}
