/**
 * The passes that have ended, for people to look back on: when, what each proved, and what it found. A row is written
 * in the transaction that ends its pass, so no end is missing or recorded twice; rows that are too old are deleted in
 * the same transaction.
 *
 * Only people read it. A pass that is interrupted while it buries records counts only those that it buries afterwards.
 */
import { Duration } from "effect"
import type { Kysely, Selectable, Transaction } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

export type Ended = Selectable<StoreTables["walk_passes"]>

export type Found = Pick<Ended, "deleted" | "disturbance">

/** Per list. */
export const mostKept = 500
export const keptFor = Duration.days(90)

/** The longest sentence, since it may quote what a service answered. */
const longest = 1000

/** The pages that the pass under way, or the last one, has finished. */
export const countPages = async (db: Kysely<StoreTables>, resource: string): Promise<number> => {
  const all = db.selectFrom("walk_pages").select((of) => of.fn.countAll<number>().as("count"))
  return Number((await all.where("resource", "=", resource).executeTakeFirstOrThrow()).count)
}

const sweep = async (tx: Transaction<StoreTables>, resource: string, oldest: Instant.Instant): Promise<void> => {
  await tx.deleteFrom("walk_passes").where("ended_at", "<", oldest).execute()
  const [first] = await tx
    .selectFrom("walk_passes")
    .select("ended_at")
    .where("resource", "=", resource)
    .orderBy("ended_at", "desc")
    .offset(mostKept)
    .limit(1)
    .execute()
  if (first === undefined) return
  await tx.deleteFrom("walk_passes").where("resource", "=", resource).where("ended_at", "<=", first.ended_at).execute()
}

export const add = async (
  tx: Transaction<StoreTables>,
  state: Selectable<StoreTables["walks"]>,
  found: Found
): Promise<void> => {
  const { begun_at, finished_at, parents, parents_sure, pass, proof, resource, rows, started_at, total } = state
  if (finished_at === null || proof === null) return
  const row: Ended = {
    resource,
    ended_at: finished_at,
    pass,
    started_at: begun_at ?? started_at,
    proof,
    disturbance: found.disturbance?.slice(0, longest) ?? null,
    rows,
    total,
    pages: await countPages(tx, resource),
    deleted: found.deleted,
    parents,
    parents_sure
  }
  await tx
    .insertInto("walk_passes")
    .values(row)
    .onConflict((of) => of.columns(["resource", "ended_at"]).doUpdateSet(row))
    .execute()
  await sweep(tx, resource, Instant.fromMicros(Instant.toMicros(finished_at) - Duration.toMillis(keptFor) * 1000))
}
