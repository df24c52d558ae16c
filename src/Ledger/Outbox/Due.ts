/**
 * Which messages may go next: the first undelivered one of each IPC, in order of due time. Only reads.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { isNotHalted } from "./Halt.ts"

type Db = Kysely<StoreTables>

/** An entry that is due from `dueAt` on. */
export interface OutboxMessage {
  readonly entry: StoreTables["ledger_entries"]
  readonly status: StoreTables["ledger_outbox"]["status"]
  readonly attempts: number
  readonly refusals: number
  readonly queuedAt: Instant
  readonly dueAt: Instant
  /** A draft that was never handed over to an accounting system: see Drafts. */
  readonly isKept: boolean
}

/** A literal, because SQLite uses a partial index only if the statement repeats its condition. */
export const isPending = sql<boolean>`o.state = 'pending'`
/** The first undelivered entry of its IPC. */
export const isFirst = sql<boolean>`not exists (
  select 1 from ledger_outbox before
  where before.ipc_id = o.ipc_id and before.state <> 'delivered' and before.sequence < o.sequence)`

type Due = StoreTables["ledger_entries"] &
  Omit<OutboxMessage, "entry" | "dueAt" | "isKept" | "queuedAt"> & {
    readonly due_at: Instant
    readonly queued_at: Instant
    readonly kept_since: Instant | null
  }

const columns = sql`e.*, o.status, o.attempts, o.refusals, o.queued_at, o.next_attempt_at as due_at, o.kept_since`
const dueFirst = sql`order by o.next_attempt_at, o.sequence`

const read = ({ attempts, due_at, kept_since, queued_at, refusals, status, ...entry }: Due): OutboxMessage => ({
  entry,
  status,
  attempts,
  refusals,
  queuedAt: queued_at,
  dueAt: due_at,
  isKept: kept_since !== null
})

/** Checking more would be slow if few of them are the first of their IPC. */
const nearest = 256

/**
 * Checks the entries due first, which is usually enough: a few milliseconds on either engine, even with 100,000
 * waiting. If it isn't, because a few IPCs have very many entries, the first entry of every IPC is looked up: 100 ms
 * with 100,000 waiting. Most checks find none, and on a server a small statement shows that sooner than one for
 * everything.
 */
export const next = async (
  db: Db,
  inHand: ReadonlyArray<string>,
  most: number
): Promise<ReadonlyArray<OutboxMessage>> => {
  const isDue = sql<boolean>`${isPending} and ${isNotHalted}`
  const isFree = sql<boolean>`${isDue} and not ${isAmong(db, "o.ipc_id", inHand)}`
  const near = await sql<{ readonly entry_id: string }>`
    select o.entry_id from ledger_outbox o where ${isFree} ${dueFirst} limit ${nearest}`.execute(db)
  const ids = near.rows.map((row) => row.entry_id)
  if (ids.length === 0) return []
  const found = await some(db, sql`${isAmong(db, "o.entry_id", ids)} and ${isFirst} and ${isDue}`, most)
  return found.length === most || ids.length < nearest ? found : some(db, sql`${isFirstOfEach} and ${isFree}`, most)
}

const isFirstOfEach = sql<boolean>`
  o.sequence in (select min(sequence) from ledger_outbox where state <> 'delivered' group by ipc_id)`

const some = async (db: Db, which: RawBuilder<unknown>, most: number): Promise<ReadonlyArray<OutboxMessage>> => {
  const { rows } = await sql<Due>`
    select ${columns} from ledger_outbox o join ledger_entries e on e.entry_id = o.entry_id
    where ${which} ${dueFirst} limit ${most}`.execute(db)
  return rows.map(read)
}
