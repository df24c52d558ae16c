/**
 * Whether the outbox has every entry that was queued for the accounting system when it was posted, and as it was then.
 */
import { type Kysely, sql } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"

interface Found {
  readonly sequence: number
  readonly queued: string
  /** Null: it isn't there. */
  readonly status: string | null
}

/** In words, at most so many. */
export const queued = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<Found>`
    select e.sequence, e.queued, o.status from ledger_entries e left join ledger_outbox o on o.entry_id = e.entry_id
    where e.queued is not null
      and (o.entry_id is null or o.status <> e.queued or o.sequence <> e.sequence or o.ipc_id <> e.ipc_id)
    order by e.sequence limit ${most}`.execute(db)
  return rows.map(({ queued: as, sequence, status }) => {
    const entry = `The entry with number ${sequence}`
    if (status === null) return `${entry} was queued for the accounting sink, and the outbox has lost it.`
    if (status !== as) return `${entry} was queued as ${as}, and is in the outbox as ${status}.`
    return `${entry} has another number or IPC in the outbox.`
  })
}
