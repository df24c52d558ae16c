/**
 * What hasn't reached the accounting system: counted, and listed where a person has to help. Changes nothing.
 */
import { type Kysely, sql } from "kysely"
import type { Instant } from "../../Domain/Instant.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { isHeldDraft } from "./Drafts.ts"
import { isFirst, isPending } from "./Due.ts"
import { isHeldBack } from "./Messages.ts"

type Db = Kysely<StoreTables>

export interface DeadMessage {
  readonly entryId: string
  readonly sequence: number
  readonly ipcId: string
  readonly attempts: number
  readonly reason: string
  readonly queuedAt: Instant
  /** Later entries of the IPC, which wait for this one. */
  readonly waitingBehind: number
}

export interface Troubles {
  /** Refused permanently. */
  readonly dead: number
  readonly heldBack: number
  /** Drafts that wait for a person to release them. */
  readonly drafts: number
  /** Of the entries that are the first undelivered one of their IPC, the one queued longest ago. */
  readonly oldest:
    | { readonly entryId: string; readonly ipcId: string; readonly queuedAt: Instant; readonly reason: string | null }
    | undefined
}

export const totals = async (db: Db) => {
  const { rows } = await sql<{ backlog: number; dead: number; oldest: string | null }>`
    select (select count(*) from ledger_outbox where state = 'pending') as backlog,
      (select count(*) from ledger_outbox where state = 'dead') as dead,
      (select min(queued_at) from ledger_outbox where state = 'pending') as oldest`.execute(db)
  return rows[0] ?? { backlog: 0, dead: 0, oldest: null }
}

export const troubles = async (db: Db): Promise<Troubles> => {
  const { dead } = await totals(db)
  const held = await sql<{ back: number; drafts: number }>`
    select (select count(*) from ledger_outbox where ${isHeldBack}) as back,
      (select count(*) from ledger_outbox where ${isHeldDraft}) as drafts`.execute(db)
  const [heldBack, drafts] = [Number(held.rows[0]?.back ?? 0), Number(held.rows[0]?.drafts ?? 0)]
  const { rows } = await sql<NonNullable<Troubles["oldest"]>>`
    select o.entry_id as "entryId", o.ipc_id as "ipcId", o.queued_at as "queuedAt", o.last_error as reason
    from ledger_outbox o
    where ${isPending} and ${isFirst} order by o.queued_at, o.sequence limit 1`.execute(db)
  return { dead: Number(dead) - heldBack - drafts, heldBack, drafts, oldest: rows[0] }
}

const isDead = sql<boolean>`state = 'dead'`

export const dead = (db: Db): Promise<ReadonlyArray<DeadMessage>> =>
  db
    .selectFrom("ledger_outbox as o")
    .select((of) => [
      "o.entry_id as entryId",
      "o.sequence",
      "o.ipc_id as ipcId",
      "o.attempts",
      sql<string>`coalesce(o.last_error, '')`.as("reason"),
      "o.queued_at as queuedAt",
      of
        .selectFrom("ledger_outbox as behind")
        .select((within) => within.fn.countAll<number>().as("n"))
        .whereRef("behind.ipc_id", "=", "o.ipc_id")
        .where(sql<boolean>`behind.state <> 'delivered'`)
        .whereRef("behind.sequence", ">", "o.sequence")
        .$asScalar()
        .$notNull()
        .as("waitingBehind")
    ])
    .where(isDead)
    .orderBy("o.sequence")
    .execute()

/** How many entries were never queued. */
export const unsent = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ unsent: number }>`
    select (select count(*) from ledger_entries) - (select count(*) from ledger_outbox) as unsent`.execute(db)
  return rows[0]?.unsent ?? 0
}
