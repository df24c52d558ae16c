/**
 * A walk's state in the Store: the pass under way, its finished pages, and for every id the last two passes that showed
 * it. Nothing else writes these tables.
 *
 * A checkpoint is one transaction, made after the page's rows are in the warehouse. If the process dies in between, the
 * same rows are written once more and none is skipped. Ids are noted before their rows are written, so that a record that
 * is gone by then is buried.
 */
import type { Selectable, Transaction } from "kysely"
import { sql } from "kysely"
import { Effect } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import { Store } from "../Stores/Store.ts"
import { listedIds } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { FinishedPages } from "./FinishedPages.ts"
import type { BadRecord, Page } from "./Source.ts"

/**
 * counts-agree: an undisturbed pass saw as many ids as the service counts. proven: two in a row, and the same ids.
 * passes-agree: the same of a list whose records the service doesn't count.
 */
export type Proof = "unproven" | "counts-agree" | "passes-agree" | "proven"
export type PassState = Selectable<StoreTables["walks"]>

export interface SeenPage extends Pick<Page, "page" | "bad"> {
  readonly ids: ReadonlyArray<string>
}

type Tx = Transaction<StoreTables>

/** A record without a usable key still counts towards the service's `total`. No real id starts with this character. */
const badMark = "\u0001"
const badId = ({ id, sha256 }: BadRecord): string => id ?? `${badMark}${sha256}`

export const load = (store: Store["Service"], resource: string) =>
  store.run((db) => db.selectFrom("walks").selectAll().where("resource", "=", resource).executeTakeFirst())

/** In the order of their names. */
export const loadAll = (store: Store["Service"]) =>
  store.run((db) => db.selectFrom("walks").selectAll().orderBy("resource").execute())

/** Rows read at once. */
const pagesAtOnce = 10_000

export const finishedPages = Effect.fnUntraced(function* (store: Store["Service"], resource: string) {
  const finished = new FinishedPages()
  for (let after = 0; ;) {
    const rows = yield* store.run((db) =>
      db
        .selectFrom("walk_pages")
        .select("page")
        .where("resource", "=", resource)
        .where("page", ">", after)
        .orderBy("page")
        .limit(pagesAtOnce)
        .execute()
    )
    for (const { page } of rows) finished.add(page)
    const last = rows.at(-1)?.page
    if (last === undefined) return finished
    after = last
  }
})

export const countPages = (store: Store["Service"], resource: string) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("walk_pages")
        .select((of) => of.fn.countAll<number>().as("count"))
        .where("resource", "=", resource)
        .executeTakeFirstOrThrow()
    ),
    (row) => Number(row.count)
  )

/** How many rows each list has in a table that has a few for each. */
const countEach = (store: Store["Service"], table: "record_quarantine" | "walk_pages") =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom(table)
        .select((of) => ["resource", of.fn.countAll<number>().as("count")] as const)
        .groupBy("resource")
        .execute()
    ),
    (rows) => new Map(rows.map(({ count, resource }) => [resource, Number(count)]))
  )

export interface Standing {
  readonly state: PassState | undefined
  readonly pagesDone: number
  readonly quarantined: number
}

/** Together, so none is seen without the others. */
export const standing = Effect.fnUntraced(function* (store: Store["Service"], resource: string) {
  const state = yield* load(store, resource)
  const pagesDone = yield* countPages(store, resource)
  return { state, pagesDone, quarantined: yield* quarantinedRecords(store, resource) } satisfies Standing
})

/** Where all lists are, in as many queries for hundreds as for one. */
export const standings = Effect.fnUntraced(function* (store: Store["Service"]) {
  const states = new Map((yield* loadAll(store)).map((state) => [state.resource, state]))
  const [pages, bad] = [yield* countEach(store, "walk_pages"), yield* countEach(store, "record_quarantine")]
  return (resource: string): Standing => ({
    state: states.get(resource),
    pagesDone: pages.get(resource) ?? 0,
    quarantined: bad.get(resource) ?? 0
  })
})

/** Begins a pass; the pages of the pass before it are forgotten. */
export const begin = (store: Store["Service"], state: PassState) =>
  store.transaction(async (tx) => {
    await tx.deleteFrom("walk_pages").where("resource", "=", state.resource).execute()
    await tx
      .insertInto("walks")
      .values(state)
      .onConflict((conflict) => conflict.column("resource").doUpdateSet(state))
      .execute()
  })

/** Notes whose rows are about to be written, until `save`. In one row: a row for each id would cost as much as the sightings. */
export const announce = (store: Store["Service"], resource: string, ids: ReadonlyArray<string>) =>
  store.run((db) => {
    const row = { ids: JSON.stringify(ids) }
    return db
      .insertInto("walk_writing")
      .values({ resource, ...row })
      .onConflict((conflict) => conflict.column("resource").doUpdateSet(row))
      .execute()
  })

/** Makes ids that were announced and never saved known, as of no pass yet. */
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
  })

const forgetAnnounced = (tx: Tx, resource: string) =>
  tx.deleteFrom("walk_writing").where("resource", "=", resource).execute()

/** Saves finished pages with the ids on them; returns how many ids were new in this pass. */
export const save = (store: Store["Service"], state: PassState, pages: ReadonlyArray<SeenPage>, at: Instant) =>
  store.transaction(async (tx) => {
    // Without duplicates: a list that moves shows the same record on two pages.
    const ids = new Set(pages.flatMap((seen) => [...seen.ids, ...seen.bad.map(badId)]))
    const fresh = await saveSightings(tx, state, [...ids])
    for (const bad of pages.flatMap((seen) => seen.bad)) await quarantine(tx, state.resource, bad, at)
    await tx
      .insertInto("walk_pages")
      .values(pages.map(({ page }) => ({ resource: state.resource, page })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await forgetAnnounced(tx, state.resource)
    await update(tx, { ...state, rows: state.rows + fresh })
    return fresh
  })

// PostgreSQL before 16 wants a name for the subquery. One statement for 1,000 ids takes less than 2 ms, one per id about 10 ms.
const saveSightings = async (tx: Tx, state: PassState, ids: ReadonlyArray<string>): Promise<number> => {
  const result = await sql`
    insert into sightings as s (resource, id, last_pass, prior_pass)
    select ${state.resource}, value, cast(${state.pass} as integer), 0 from ${listedIds(tx, ids)} as ids where true
    on conflict (resource, id) do update set prior_pass = s.last_pass, last_pass = excluded.last_pass
    where s.last_pass <> excluded.last_pass`.execute(tx)
  return Number(result.numAffectedRows ?? 0)
}

const quarantine = (tx: Tx, resource: string, { reason, record, sha256 }: BadRecord, at: Instant) =>
  tx
    .insertInto("record_quarantine")
    .values({ resource, sha256, record, reason, first_seen_at: at, last_seen_at: at })
    .onConflict((conflict) => conflict.columns(["resource", "sha256"]).doUpdateSet({ last_seen_at: at }))
    .execute()

const update = (tx: Tx, { resource, ...state }: PassState) =>
  tx.updateTable("walks").set(state).where("resource", "=", resource).execute()

export const saveState = (store: Store["Service"], state: PassState) => store.transaction((tx) => update(tx, state))

/** True if the pass saw exactly the ids that the previous one saw. */
export const sawSameIds = (store: Store["Service"], { resource, pass }: PassState) =>
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
export const absentIds = (store: Store["Service"], { resource, pass }: PassState, limit: number) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("sightings")
        .select(sql<string>`cast(id as text)`.as("id"))
        .where("resource", "=", resource)
        .where("last_pass", "<", pass - 1)
        .limit(limit)
        .execute()
    ),
    (rows) => rows.map((row) => row.id)
  )

export const isRecordId = (id: string): boolean => !id.startsWith(badMark)

/** Forgets ids whose tombstones are in the warehouse. */
export const forget = (store: Store["Service"], resource: string, ids: ReadonlyArray<string>) =>
  store.transaction((tx) =>
    tx.deleteFrom("sightings").where("resource", "=", resource).where("id", "in", listedIds(tx, ids)).execute()
  )

export const quarantinedRecords = (store: Store["Service"], resource: string) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("record_quarantine")
        .select((of) => of.fn.countAll<number>().as("count"))
        .where("resource", "=", resource)
        .executeTakeFirstOrThrow()
    ),
    (row) => Number(row.count)
  )
