/**
 * Whether the outbox has every entry that was queued for the accounting system when it was posted, and in the same form
 * as then, or as a person released it.
 */
import { type Kysely, sql } from "kysely"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Fact } from "../Fact.ts"

interface Found {
  readonly sequence: number
  readonly queued: string
  /** Null if it isn't there. */
  readonly status: string | null
}

/** For entry `e`. */
const isReleased = sql<boolean>`exists (
  select 1 from ledger_facts f
  where f.ipc_id = e.ipc_id and f.kind = 'release' and f.content like '%"' || e.entry_id || '"%')`

/** In words; at most `most`. */
export const queued = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<Found>`
    select e.sequence, e.queued, o.status from ledger_entries e left join ledger_outbox o on o.entry_id = e.entry_id
    where e.queued is not null
      and (o.entry_id is null or o.sequence <> e.sequence or o.ipc_id <> e.ipc_id
        or (o.status <> e.queued and not (e.queued = 'draft' and ${isReleased})))
    order by e.sequence limit ${most}`.execute(db)
  return rows.map(({ queued: as, sequence, status }) => {
    const entry = `The entry with number ${sequence}`
    if (status === null) return `${entry} was queued for the accounting sink, and the outbox has lost it.`
    if (status !== as) return `${entry} was queued as ${as}, and is in the outbox as ${status}.`
    return `${entry} has another number or IPC in the outbox.`
  })
}

/** In words: entries that these facts released but that the outbox still holds back. */
export const unreleased = async (
  db: Kysely<StoreTables>,
  facts: ReadonlyArray<Fact>
): Promise<ReadonlyArray<string>> => {
  const released = facts.filter((fact) => fact.kind === "release").map(({ entryId }) => entryId)
  if (released.length === 0) return []
  const rows = await db
    .selectFrom("ledger_outbox")
    .select("sequence")
    .where(isAmong(db, "entry_id", released))
    .where("status", "=", "draft")
    .orderBy("sequence")
    .execute()
  return rows.map(({ sequence }) => `The entry with number ${sequence} was released, and is in the outbox as draft.`)
}
