/**
 * The ids that passes have seen: for each, the last two passes that showed it, and the parent below which it was
 * listed. In the Store, so that memory doesn't grow with a list.
 *
 * Ids are noted before their rows are written (`announce`), so that a record that is gone by the next pass is buried
 * even if the process dies in between.
 */
import type { Transaction } from "kysely"
import { sql } from "kysely"
import { Effect } from "effect"
import { listedIds, listedIdsBelow } from "../Stores/Sql.ts"
import type { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { BadRecord } from "./Source.ts"

type Tx = Transaction<StoreTables>

/** If a power cut undoes it, it is done again. */
const repeatable = { isRepeatable: true }

/** A pass of a list. */
export interface Numbered {
  readonly resource: string
  readonly pass: number
}

/** A record without a usable key still counts towards the service's `total`. No real id starts with this character. */
const badMark = "\u0001"
export const badId = ({ id, sha256 }: BadRecord): string => id ?? `${badMark}${sha256}`
export const isRecordId = (id: string): boolean => !id.startsWith(badMark)

/** The ids of a list whose rows are about to be written. */
export interface Announced {
  readonly resource: string
  readonly ids: ReadonlyArray<string>
}

/** Notes the ids until they are saved. One row for each list: a row for each id would cost as much as the sightings. */
export const announce = (store: Store["Service"], lists: ReadonlyArray<Announced>) =>
  store.run((db) =>
    db
      .insertInto("walk_writing")
      .values(lists.map(({ ids, resource }) => ({ resource, ids: JSON.stringify(ids) })))
      .onConflict((conflict) => conflict.column("resource").doUpdateSet((row) => ({ ids: row.ref("excluded.ids") })))
      .execute()
  )

/** Turns ids that were announced and never saved into known ones, seen by no pass yet. */
export const adopt = (store: Store["Service"], resource: string) =>
  store.transaction(async (tx) => {
    const left = await tx.selectFrom("walk_writing").select("ids").where("resource", "=", resource).executeTakeFirst()
    if (left === undefined) return
    const ids = JSON.parse(left.ids) as ReadonlyArray<string>
    await sql`
      insert into sightings (resource, id, last_pass, prior_pass)
      select ${resource}, value, 0, 0 from ${listedIds(tx, ids)} as ids where true
      on conflict (resource, id) do nothing`.execute(tx)
    await forgetAnnounced(tx, resource)
  }, repeatable)

/**
 * Notes ids that were seen after a pass, among the changes. This is no sighting by a pass: its number is stored below
 * zero, so it proves nothing, and the record is buried only after two later passes that don't show it.
 */
export const hear = async (tx: Tx, { pass, resource }: Numbered, ids: ReadonlyArray<string>): Promise<void> => {
  await sql`
    insert into sightings as s (resource, id, last_pass, prior_pass)
    select ${resource}, value, cast(${-pass} as integer), 0 from ${listedIds(tx, ids)} as ids where true
    on conflict (resource, id) do update set last_pass = excluded.last_pass
    where abs(s.last_pass) < abs(excluded.last_pass)`.execute(tx)
}

export const forgetAnnounced = (tx: Tx, resource: string) =>
  tx.deleteFrom("walk_writing").where("resource", "=", resource).execute()

/** Returns how many of the ids were new in this pass. */
export const save = async (tx: Tx, pass: Numbered, ids: ReadonlyArray<string>): Promise<number> => {
  // PostgreSQL before 16 requires a name for the subquery. One statement for 1,000 ids takes less than 2 ms; one
  // statement per id takes about 10 ms.
  const result = await sql`
    insert into sightings as s (resource, id, last_pass, prior_pass)
    select ${pass.resource}, value, cast(${pass.pass} as integer), 0 from ${listedIds(tx, ids)} as ids where true
    on conflict (resource, id) do update set prior_pass = s.last_pass, last_pass = excluded.last_pass
    where s.last_pass <> excluded.last_pass`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

/** The same below parents. An id that several parents list counts for the first. */
export const saveBelow = async (tx: Tx, pass: Numbered, parents: ReadonlyMap<string, string>): Promise<number> => {
  const result = await sql`
    insert into sightings as s (resource, id, last_pass, prior_pass, parent)
    select ${pass.resource}, value, cast(${pass.pass} as integer), 0, parent
    from ${listedIdsBelow(tx, [...parents])} as ids where true
    on conflict (resource, id) do update
    set prior_pass = s.last_pass, last_pass = excluded.last_pass, parent = excluded.parent
    where s.last_pass <> excluded.last_pass`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

/** True if the pass saw exactly the ids that the previous one saw. */
export const areSame = (store: Store["Service"], { pass, resource }: Numbered) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("sightings")
        .select("last_pass")
        .where("resource", "=", resource)
        .where((where) =>
          where.or([
            where("last_pass", "=", pass - 1),
            where.and([where("last_pass", "=", pass), where("prior_pass", "<>", pass - 1)])
          ])
        )
        .limit(1)
        .execute()
    ),
    (rows) => rows.length === 0
  )

/** At most `limit` ids that neither this pass nor the previous one showed. */
export const absent = (store: Store["Service"], { pass, resource }: Numbered, limit: number) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("sightings")
        .select(sql<string>`cast(id as text)`.as("id"))
        .where("resource", "=", resource)
        .where(sql<number>`abs(last_pass)`, "<", pass - 1)
        .limit(limit)
        .execute()
    ),
    (rows) => rows.map((row) => row.id)
  )

/** Forgets ids whose tombstones are in the warehouse. */
export const forget = (store: Store["Service"], resource: string, ids: ReadonlyArray<string>) =>
  store.transaction((tx) =>
    tx.deleteFrom("sightings").where("resource", "=", resource).where("id", "in", listedIds(tx, ids)).execute()
  )
