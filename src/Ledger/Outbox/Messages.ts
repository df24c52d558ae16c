/**
 * The rows of the outbox: how an entry is queued (`Books` insert it), how attempts are noted, and what a person does or
 * asks. Nothing else writes the table, and only `Due` also reads it. Changes are made in the caller's transaction.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import { isAmong, isItsTurn, oneAtATime } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { CertifiedAs } from "../../Stores/Tables/Ledger.ts"
import type { OutboxMessage } from "./Due.ts"

type Db = Kysely<StoreTables>
type Tx = Transaction<StoreTables>
type OutboxRow = StoreTables["ledger_outbox"]

/** How entries are queued. */
export interface Queueing {
  readonly status: OutboxRow["status"]
  /** The accounting system has no drafts: see Drafts. */
  readonly keepsDrafts?: boolean
}

export interface Posting extends Queueing {
  readonly at: Instant
}

/** An entry that rests on an assumption is a draft, regardless of the configuration. */
export const queuedAs = (status: Posting["status"], certifiedAs: CertifiedAs | null): Posting["status"] =>
  certifiedAs === "assumed" ? "draft" : status

const asQueued = (status: Posting["status"]): RawBuilder<string> =>
  sql<string>`case when certified_as = 'assumed' then 'draft' else cast(${status} as text) end`

const keptSince = ({ at, keepsDrafts = false, status }: Posting): RawBuilder<string | null> =>
  keepsDrafts ? sql`case when ${asQueued(status)} = 'draft' then cast(${at} as text) end` : sql`cast(null as text)`

/** The outcome of an attempt that didn't deliver. */
export interface Failure {
  /** One sentence for a bookkeeper. */
  readonly reason: string
  /** The sink refuses this entry whenever it is sent. */
  readonly isRefused: boolean
  /** When to try again; undefined if only on a person's request. */
  readonly againAt: Instant | undefined
}

/** An entry that is being posted, and the id of the previous entry of its IPC; undefined if it is the first. */
export interface Fresh {
  readonly entry: Pick<StoreTables["ledger_entries"], "certified_as" | "entry_id" | "ipc_id" | "sequence">
  readonly after: string | undefined
}

/**
 * The rows that queue the posted entries, in order, for the transaction that posts them. If an entry's predecessor in
 * its IPC was never queued, the entry is held back (dead without an attempt), because only a person knows whether the
 * accounting system has the predecessor.
 */
export const rowsOf = async (tx: Tx, fresh: ReadonlyArray<Fresh>, { at, keepsDrafts, status }: Posting) => {
  const own = new Set(fresh.map(({ entry }) => entry.entry_id))
  const unqueued = await neverQueued(
    tx,
    fresh.flatMap(({ after }) => (after === undefined || own.has(after) ? [] : [after]))
  )
  return fresh.map(({ after, entry: { certified_as, entry_id, ipc_id, sequence } }) => {
    const as = queuedAs(status, certified_as)
    const missing = after === undefined ? undefined : unqueued.get(after)
    return {
      entry_id,
      sequence,
      ipc_id,
      status: as,
      kept_since: keepsDrafts === true && as === "draft" ? at : null,
      queued_at: at,
      next_attempt_at: at,
      state: missing === undefined ? ("pending" as const) : ("dead" as const),
      last_error: missing === undefined ? null : `Held back: entry ${missing}${heldBack}`
    }
  })
}

/** Those of these entries, with their numbers. */
const neverQueued = async (tx: Tx, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, number>> => {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom("ledger_entries as entry")
    .select(["entry_id", "sequence"])
    .where(isAmong(tx, "entry_id", ids))
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom("ledger_outbox as o").select("o.entry_id").whereRef("o.entry_id", "=", "entry.entry_id")))
    )
    .execute()
  return new Map(rows.map(({ entry_id, sequence }) => [entry_id, sequence]))
}

const heldBack =
  " of the same IPC was posted while no accounting sink was configured, and was never sent. If the accounting system " +
  "has that one, replay this one; if not, send both (`siteledger ledger sink send --from SEQUENCE`)."

export const isHeldBack = sql<boolean>`state = 'dead' and attempts = 0`

/**
 * A person wants everything from this sequence on sent: entries that were never queued, and those held back. Returns
 * how many.
 */
export const send = async (tx: Tx, fromSequence: number, posting: Posting): Promise<number> => {
  const { at, status } = posting
  await inTurn(tx)
  const released = await sql`
    update ledger_outbox set state = 'pending', last_error = null, next_attempt_at = ${at}
    where ${isHeldBack} and sequence >= ${fromSequence}`.execute(tx)
  const put = await sql`
    insert into ledger_outbox (entry_id, sequence, ipc_id, status, kept_since, queued_at, next_attempt_at)
    select entry_id, sequence, ipc_id, ${asQueued(status)}, ${keptSince(posting)}, cast(${at} as text), cast(${at} as text)
    from ledger_entries e
    where sequence >= ${fromSequence}
      and not exists (select 1 from ledger_outbox o where o.entry_id = e.entry_id)
    order by sequence`.execute(tx)
  return Number(released.numAffectedRows ?? 0) + Number(put.numAffectedRows ?? 0)
}

/** Writers of several rows take turns, to avoid deadlocks. */
export const inTurn = (tx: Tx): Promise<void> => oneAtATime(tx, "outbox")

/** If a person decided about the entry while it was in flight, that decision stays. */
export const delivered = async (db: Db, messages: ReadonlyArray<OutboxMessage>, at: Instant): Promise<void> => {
  const ids = messages.map(({ entry }) => entry.entry_id)
  await db
    .updateTable("ledger_outbox")
    .set((of) => ({ state: "delivered", attempts: of("attempts", "+", 1), delivered_at: at, last_error: null }))
    .where(isAmong(db, "entry_id", ids))
    .where("state", "=", "pending")
    .where(isItsTurn(db, "outbox"))
    .execute()
}

export const postponed = async (tx: Tx, { entry, status }: OutboxMessage, failure: Failure): Promise<void> => {
  const { againAt, isRefused, reason } = failure
  await inTurn(tx)
  const { numUpdatedRows } = await tx
    .updateTable("ledger_outbox")
    .set((of) => ({
      attempts: of("attempts", "+", 1),
      refusals: of("refusals", "+", isRefused ? 1 : 0),
      last_error: reason,
      ...(againAt === undefined ? { state: "dead" as const } : {})
    }))
    .where("entry_id", "=", entry.entry_id)
    .where("state", "=", "pending")
    // The entry may have been released meanwhile, while the attempt sent the draft.
    .where("status", "=", status)
    .executeTakeFirst()
  if (againAt !== undefined && numUpdatedRows > 0n) await setTurn(tx, entry.ipc_id, againAt)
}

/** Set for the whole IPC, so the search for the next entry needn't skip those that wait behind another. */
const setTurn = (tx: Tx, ipcId: string, at: Instant): Promise<unknown> =>
  sql`update ledger_outbox set next_attempt_at = ${at} where ipc_id = ${ipcId} and state <> 'delivered'`.execute(tx)

/** Backoff starts over, except after a refusal: a sink that works again would refuse the entry as before. */
export const hurry = async (tx: Tx, at: Instant): Promise<void> => {
  await inTurn(tx)
  await sql`update ledger_outbox set attempts = 0, next_attempt_at = ${at}
    where state = 'pending' and next_attempt_at > ${at} and refusals = 0`.execute(tx)
}

const isUndelivered = sql<boolean>`state <> 'delivered'`

/** At most two undelivered entries whose id begins with `start`. */
export const undeliveredLike = (db: Db, start: string) =>
  db
    .selectFrom("ledger_outbox")
    .select(["entry_id", "ipc_id"])
    .where(isUndelivered)
    .where(sql`substr(entry_id, 1, ${start.length})`, "=", start)
    .limit(2)
    .execute()

type Undelivered = Pick<OutboxRow, "entry_id" | "ipc_id">

/** Backoff starts over; the last error stays until there is a new one. Returns how many. */
export const replay = async (tx: Tx, only: Undelivered | undefined, at: Instant): Promise<number> => {
  await inTurn(tx)
  const { numAffectedRows } = await sql`
    update ledger_outbox set state = 'pending', attempts = 0, refusals = 0, next_attempt_at = ${at}
    where ${isUndelivered} and ${only === undefined ? sql`true` : sql`entry_id = ${only.entry_id}`}`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

export const settle = async (tx: Tx, { entry_id, ipc_id }: Undelivered, at: Instant, note: string): Promise<void> => {
  await inTurn(tx)
  await sql`update ledger_outbox set state = 'delivered', delivered_at = ${at}, last_error = ${note}
    where entry_id = ${entry_id} and ${isUndelivered}`.execute(tx)
  await setTurn(tx, ipc_id, at)
}
