/**
 * A walk's state in the Store: the pass under way, its finished pages and parents, and what it saw (`Sightings`).
 * Nothing else writes these tables.
 *
 * A checkpoint is one transaction, made after the page's rows are in the warehouse. If the process dies in between, the
 * same rows are written once more and none is skipped. Checkpoints aren't flushed individually: after a power cut a
 * walk resumes at an earlier one. The ids that are announced before their rows are written (`Sightings`) are on disk by
 * then.
 */
import type { Selectable, Transaction } from "kysely"
import { Effect } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { FinishedPages } from "./FinishedPages.ts"
import * as ParentProofs from "./ParentProofs.ts"
import * as Passes from "./Passes.ts"
import * as Sightings from "./Sightings.ts"
import type { BadRecord, Page, Walked } from "./Source.ts"

/**
 * counts-agree: an undisturbed pass saw as many ids as the service counts. proven: two passes in a row did, with the
 * same ids. passes-agree: the same, for a list whose records the service doesn't count.
 */
export type Proof = "unproven" | "counts-agree" | "passes-agree" | "proven"
export type PassState = Selectable<StoreTables["walks"]>

const repeatable = { isRepeatable: true }

export interface SeenPage extends Pick<Page, "page" | "bad"> {
  readonly ids: ReadonlyArray<string>
  /** The key of the parent row below which the record is listed. */
  readonly parent?: string
}

type Tx = Transaction<StoreTables>

/**
 * The state of the next pass after this one. `startedAt` comes from the pages, and may be earlier than the pass really
 * began.
 */
export const following = (
  { definition, resource }: Walked,
  previous: PassState | undefined,
  startedAt: Instant
): PassState => ({
  resource,
  definition: definition ?? null,
  pass: (previous?.pass ?? 0) + 1,
  per_page: 0,
  pages_total: 0,
  total: 0,
  rows: 0,
  started_at: startedAt,
  begun_at: startedAt,
  disturbed: 0,
  disturbed_in_a_row: previous?.disturbed_in_a_row ?? 0,
  finished_at: null,
  proof: previous?.proof ?? null,
  proof_at: previous?.proof_at ?? null,
  next_from: null,
  pages_before: (previous?.finished_at == null ? previous?.pages_before : previous.pages_total) ?? null,
  changed_from: null,
  changed_began: null,
  changed_at: previous?.changed_at ?? null,
  parents: previous?.parents ?? null,
  parents_sure: previous?.parents_sure ?? null
})

/** Whether the previous pass was cut off and its list is still read the same way: then it continues. */
export const isOpen = ({ definition }: Walked, previous: PassState | undefined): previous is PassState =>
  previous !== undefined && previous.finished_at === null && previous.definition === (definition ?? null)

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
  store.run((db) => Passes.countPages(db, resource))

/** Begins a pass, and forgets the pages of the previous one. */
export const begin = (store: Store["Service"], state: PassState) =>
  store.transaction(async (tx) => {
    await tx.deleteFrom("walk_pages").where("resource", "=", state.resource).execute()
    await tx
      .insertInto("walks")
      .values(state)
      .onConflict((conflict) => conflict.column("resource").doUpdateSet(state))
      .execute()
  }, repeatable)

/** Saves finished pages with the ids on them, and finished parents. Returns how many ids were new in this pass. */
export const save = (
  store: Store["Service"],
  state: PassState,
  pages: ReadonlyArray<SeenPage>,
  at: Instant,
  parents: ReadonlyArray<ParentProofs.Finished> = []
) =>
  store.transaction(async (tx) => {
    const fresh = await saveIds(tx, state, pages)
    for (const bad of pages.flatMap((seen) => seen.bad)) await quarantine(tx, state.resource, bad, at)
    if (pages.length > 0) {
      await tx
        .insertInto("walk_pages")
        .values(pages.map(({ page }) => ({ resource: state.resource, page })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    await ParentProofs.finish(tx, state, parents)
    await Sightings.forgetAnnounced(tx, state.resource)
    await update(tx, { ...state, rows: state.rows + fresh })
    return fresh
  }, repeatable)

/** Saves what was read of records that changed after a pass. This proves nothing and moves no bookmark. */
export const saveChanged = (
  store: Store["Service"],
  state: PassState,
  page: Pick<SeenPage, "bad" | "ids">,
  at: Instant
) =>
  store.transaction(async (tx) => {
    await Sightings.hear(tx, state, [...new Set(idsOf({ ...page, page: 0 }))])
    for (const bad of page.bad) await quarantine(tx, state.resource, bad, at)
    await Sightings.forgetAnnounced(tx, state.resource)
  }, repeatable)

const idsOf = ({ bad, ids }: SeenPage): ReadonlyArray<string> => [...ids, ...bad.map(Sightings.badId)]

/** Without duplicates: a list that moves can show the same record on two pages. */
const saveIds = async (tx: Tx, state: PassState, pages: ReadonlyArray<SeenPage>): Promise<number> => {
  const below = new Map(
    pages.flatMap((page) =>
      page.parent === undefined ? [] : idsOf(page).map((id) => [id, page.parent ?? ""] as const)
    )
  )
  if (below.size > 0) return Sightings.saveBelow(tx, state, below)
  return Sightings.save(tx, state, [...new Set(pages.flatMap(idsOf))])
}

const quarantine = (tx: Tx, resource: string, { reason, record, sha256 }: BadRecord, at: Instant) =>
  tx
    .insertInto("record_quarantine")
    .values({ resource, sha256, record, reason, first_seen_at: at, last_seen_at: at })
    .onConflict((conflict) => conflict.columns(["resource", "sha256"]).doUpdateSet({ last_seen_at: at }))
    .execute()

const update = (tx: Tx, { resource, ...state }: PassState) =>
  tx.updateTable("walks").set(state).where("resource", "=", resource).execute()

export const saveState = (store: Store["Service"], state: PassState) =>
  store.transaction((tx) => update(tx, state), repeatable)

/** Ends a pass and adds it to those that have ended. */
export const end = (store: Store["Service"], state: PassState, found: Passes.Found) =>
  store.transaction(async (tx) => {
    await update(tx, state)
    await Passes.add(tx, state, found)
  }, repeatable)

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
