/**
 * The queue of a Store with one worker: everything after the applied-through sequence, and before it what was
 * delivered again (`inbox_touched`).
 */
import { type Kysely, type Selectable, sql } from "kysely"
import { readMeta, writeMeta } from "../Store.ts"
import { type Queue, type Taken, withinBytes } from "../Queue.ts"
import { listedNumbers } from "../Sql.ts"
import type { StoreTables } from "../StoreTables.ts"

const throughKey = "applied_through"

export const appliedThrough = async (db: Kysely<StoreTables>): Promise<number> =>
  Number((await readMeta(db, throughKey)) ?? 0)

type InboxRow = Selectable<StoreTables["inbox"]>

const as = (isFresh: boolean, rows: ReadonlyArray<InboxRow>): ReadonlyArray<Taken> =>
  rows.map((row) => ({ row, isFresh }))

export const sqliteQueue: Queue = {
  take: async (db, limit) => {
    const through = await appliedThrough(db)
    const again = await db
      .selectFrom("inbox_touched")
      .innerJoin("inbox", "inbox.sequence", "inbox_touched.sequence")
      .selectAll("inbox")
      .where("inbox.sequence", "<=", through)
      .orderBy("inbox.sequence")
      .limit(limit)
      .execute()
    const stored = await db
      .selectFrom("inbox")
      .selectAll()
      .where("sequence", ">", through)
      .orderBy("sequence")
      .limit(limit)
      .execute()
    const fresh = withinBytes(stored)
    return {
      taken: [...as(false, withinBytes(again)), ...as(true, fresh)],
      through: fresh.at(-1)?.sequence ?? through
    }
  },
  settle: async (tx, { through }, applied) => {
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
    if (through !== undefined) await writeMeta(tx, throughKey, String(through))
  },
  waiting: async (db) => {
    const row = await db
      .selectFrom("inbox")
      .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("received_at").as("oldest")])
      .where("sequence", ">", await appliedThrough(db))
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), oldest: row.oldest }
  },
  restart: async (tx) => {
    await sql`delete from inbox_touched`.execute(tx)
    await writeMeta(tx, throughKey, "0")
  }
}
