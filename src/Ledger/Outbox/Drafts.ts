/**
 * Drafts for an accounting system that has no drafts of its own. They are kept here until a person has reviewed and
 * released them.
 *
 * Guarantees: a draft is kept from the moment it is queued, and counts as kept until just before it is first handed
 * over; both are on disk. So a kept draft was never sent, and only a kept one can become posted: a key never comes with
 * two bodies. Changes are made in the caller's transaction.
 */
import { type Kysely, type Selectable, sql, type Transaction } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { OutboxMessage } from "./Due.ts"
import { haltOf } from "./Halt.ts"
import { inTurn, isHeldBack } from "./Messages.ts"

type Db = Kysely<StoreTables>
type Tx = Transaction<StoreTables>
type OutboxRow = Selectable<StoreTables["ledger_outbox"]>

const isKept = sql<boolean>`state <> 'delivered' and kept_since is not null`

/** Held, with only a person's release missing. */
export const isHeldDraft = sql<boolean>`state = 'dead' and kept_since is not null and not (${isHeldBack})`

/** From now on the accounting system may have it. False: a person has just released it. */
export const handOver = async (tx: Tx, { entry }: OutboxMessage): Promise<boolean> => {
  await inTurn(tx)
  const { numAffectedRows } = await sql`
    update ledger_outbox set kept_since = null where entry_id = ${entry.entry_id} and ${isKept}`.execute(tx)
  return Number(numAffectedRows ?? 0) > 0
}

type Kept = Pick<OutboxRow, "entry_id" | "ipc_id">

/**
 * What a person may release: this entry, or the first of all in the order of the journal. Otherwise a sentence that
 * says why not.
 */
export const releasable = async (
  tx: Tx,
  start: string | undefined,
  most: number
): Promise<ReadonlyArray<Kept> | string> => {
  if ((await haltOf(tx)) !== undefined) return comparedFirst
  const rows = tx.selectFrom("ledger_outbox").selectAll().orderBy("sequence")
  if (start === undefined) return rows.where(isKept).limit(most).execute()
  const [found, another] = await rows
    .where(sql`substr(entry_id, 1, ${start.length})`, "=", start)
    .limit(2)
    .execute()
  if (found === undefined) return `The outbox has no entry ${start}.`
  if (another !== undefined) return `Several entries begin with ${start}: give more of the id.`
  return whyNot(found) ?? [found]
}

const comparedFirst =
  "Nothing is sent until the books are compared with what accounting has (`siteledger ledger sink compare FILE`): release " +
  "drafts after that."

const whyNot = ({ entry_id, kept_since, state, status }: OutboxRow): string | undefined => {
  if (status === "posted") return `Entry ${entry_id} isn't a draft.`
  if (state === "delivered") return `Accounting has entry ${entry_id} as a draft: release it there.`
  return kept_since === null ? `Entry ${entry_id} isn't released: accounting ${mayHave("it")}` : undefined
}

const mayHave = (it: string): string =>
  `may already have ${it} as a draft. Release ${it} there; if accounting has no such draft, book by hand and record that ` +
  "with `siteledger ledger sink settle`."

/** About the drafts that `releasable` leaves out; null if there are none. */
export const others = async (db: Db): Promise<string | null> => {
  const { n } = await db
    .selectFrom("ledger_outbox")
    .select((of) => of.fn.countAll<number>().as("n"))
    .where(sql<boolean>`state <> 'delivered'`)
    .where("status", "=", "draft")
    .where("kept_since", "is", null)
    .executeTakeFirstOrThrow()
  if (Number(n) === 0) return null
  return Number(n) === 1
    ? `1 draft isn't released: accounting ${mayHave("it")}`
    : `${n} drafts aren't released: accounting ${mayHave("them")}`
}

/**
 * The current configuration applies to them at their next attempt. A message that is held back for another reason stays
 * held.
 */
export const release = async (tx: Tx, ids: ReadonlyArray<string>, at: Instant): Promise<void> => {
  await inTurn(tx)
  const isOne = isAmong(tx, "entry_id", ids)
  await sql`
    update ledger_outbox set state = 'pending', attempts = 0, refusals = 0, next_attempt_at = ${at}, last_error = null
    where ${isOne} and ${isHeldDraft}`.execute(tx)
  await sql`update ledger_outbox set status = 'posted', kept_since = null where ${isOne} and ${isKept}`.execute(tx)
}
