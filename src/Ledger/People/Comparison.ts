/**
 * Compares the books with what the accounting system has, and takes over what only the accounting system has.
 *
 * It is applied in one transaction and leaves the accounting system's total right. Entries that the system has are no
 * longer sent. Entries that the books lack are posted under their ids, and in IPCs with such entries, what was posted
 * since but not sent is reversed, unsent. From then on the fold posts, or asks about, only the difference.
 */
import { type Kysely, sql } from "kysely"
import * as Amount from "../../Domain/Amount.ts"
import type { Instant } from "../../Domain/Instant.ts"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Line } from "./AccountingFile.ts"
import type { NewFact } from "../Books.ts"
import * as Lines from "../Lines.ts"

type Db = Kysely<StoreTables>

type Columns = "amount" | "credit_account" | "currency" | "debit_account" | "entry_id" | "ipc_id" | "kind" | "lines"

interface Ours extends Pick<StoreTables["ledger_entries"], Columns | "payment_reference"> {
  /** Null if it was never queued. */
  readonly state: "pending" | "delivered" | "dead" | null
}

/** Totals of entries, kept apart by currency, and accruals apart from payments. */
export interface Total {
  readonly currency: string | null
  /** Whether these are accruals and their reversals. */
  readonly isAccrued: boolean
  readonly entries: number
  readonly amount: string
}

export interface Comparison {
  /** In both, with the same amount and currency. */
  readonly same: number
  /** In both, but different: a person has to look. */
  readonly different: ReadonlyArray<string>
  /** Entries that the accounting system has and the books don't. */
  readonly unknown: ReadonlyArray<Total>
  /** Sent according to our record, but not in the file. */
  readonly missing: ReadonlyArray<Total>
  /** In both, but not delivered according to our record. They won't be sent. */
  readonly settles: ReadonlyArray<string>
  /** One for each IPC with unknown entries. */
  readonly takesOver: ReadonlyArray<TakesOver>
}

interface TakesOver {
  readonly ipcId: string
  readonly has: ReadonlyArray<Line>
  readonly cancels: ReadonlyArray<string>
}

const atOnce = 1000

function* chunks<A>(all: ReadonlyArray<A>): Generator<ReadonlyArray<A>> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce)
}

const entries = (db: Db) =>
  db
    .selectFrom("ledger_entries as e")
    .leftJoin("ledger_outbox as o", "o.entry_id", "e.entry_id")
    .select(["e.entry_id", "e.ipc_id", "e.kind", "e.payment_reference", "e.amount", "e.currency", "o.state"])
    .select(["e.debit_account", "e.credit_account", "e.lines"])

const ofIds = async (db: Db, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Ours>> => {
  const found = new Map<string, Ours>()
  for (const some of chunks(ids)) {
    for (const row of await entries(db)
      .where(isAmong(db, "e.entry_id", some))
      .execute())
      found.set(row.entry_id, row)
  }
  return found
}

export const compare = async (db: Db, lines: ReadonlyMap<string, Line>): Promise<Comparison> => {
  const ours = await ofIds(db, [...lines.keys()])
  const pairs = [...lines.values()].map((line) => ({ line, entry: ours.get(line.entryId) }))
  const both = pairs.flatMap(({ entry, line }) => (entry === undefined ? [] : [{ entry, line }]))
  const unknown = pairs.flatMap(({ entry, line }) => (entry === undefined ? [line] : []))
  const different = both.flatMap(({ entry, line }) => differenceOf(entry, line))
  return {
    same: both.length - different.length,
    different: [...different, ...unknown.flatMap(unattributed)],
    unknown: totals(unknown.map((line) => ({ ...line, isAccrued: isOfAccrual(line) }))),
    missing: totals(await missingIn(db, lines)),
    settles: both.flatMap(({ entry: { entry_id, state } }) =>
      state === "pending" || state === "dead" ? [entry_id] : []
    ),
    takesOver: await takeOvers(db, lines, unknown)
  }
}

/** One sentence at most. */
const differenceOf = (ours: Ours, line: Line): ReadonlyArray<string> => {
  const { amount, currency, entry_id } = ours
  const isSame = Amount.toUnits(amount) === line.units && (line.currency === null || line.currency === currency)
  if (isSame) return differenceInLines(ours, line)
  const there = [Amount.ofUnits(line.units), line.currency].filter((part) => part !== null).join(" ")
  return [`Entry ${entry_id} has ${[amount, currency ?? ""].join(" ").trim()} here and ${there} there.`]
}

const differenceInLines = (ours: Ours, { lines }: Line): ReadonlyArray<string> => {
  const own = Lines.summed(Lines.inRow(ours))
  if (lines === null || Lines.toText(own) === Lines.toText(lines)) return []
  return [`Entry ${ours.entry_id} has ${Lines.withAmounts(own)} here and ${Lines.withAmounts(lines)} there.`]
}

interface Named {
  readonly kind: Ours["kind"] | null
  readonly ipcId: string | null
  readonly reference: string | null
}

/** The reference of an accrual is its IPC, and so is that of its reversal. */
const isOfAccrual = ({ ipcId, kind, reference }: Named): boolean =>
  kind === "accrual" || (kind === "reversal" && reference !== null && reference === ipcId)

/** What prevents it from being taken over. */
const unattributed = (line: Line): ReadonlyArray<string> => {
  const { entryId, ipcId, kind, lines, reference } = line
  const unknown = `Entry ${entryId} isn't in the books, and`
  if (ipcId === null || reference === null) {
    return [`${unknown} the file doesn't say its ipc_id and payment_reference.`]
  }
  if (isOfAccrual(line) && lines === null) {
    return [`${unknown} is an accrual, or takes one back: the file has to say its lines, as the entry was sent.`]
  }
  return kind === null && reference === ipcId
    ? [`${unknown} its payment_reference is its ipc_id, as an accrual's: the file has to say its kind.`]
    : []
}

interface Moved {
  readonly currency: string | null
  readonly isAccrued: boolean
  readonly units: bigint
}

const totals = (amounts: ReadonlyArray<Moved>): ReadonlyArray<Total> =>
  [...Map.groupBy(amounts, ({ currency, isAccrued }) => JSON.stringify([currency, isAccrued])).values()].flatMap((of) =>
    of.slice(0, 1).map(({ currency, isAccrued }) => ({
      currency,
      isAccrued,
      entries: of.length,
      amount: Amount.ofUnits(of.reduce((sum, { units }) => sum + units, 0n)) ?? "more than fits"
    }))
  )

/** Reads a page of the journal at a time, so memory doesn't grow with the books. */
const missingIn = async (db: Db, lines: ReadonlyMap<string, Line>) => {
  const missing: Array<Moved> = []
  for (let after = 0; ;) {
    const page = await entries(db)
      .select("e.sequence")
      .where("e.sequence", ">", after)
      .where("o.state", "=", "delivered")
      // Entries that an earlier comparison settled were never sent.
      .where(sql<boolean>`o.attempts > 0`)
      .orderBy("e.sequence")
      .limit(atOnce)
      .execute()
    const last = page.at(-1)
    if (last === undefined) return missing
    after = Number(last.sequence)
    for (const { amount, currency, entry_id, ipc_id: ipcId, kind, payment_reference: reference } of page) {
      if (lines.has(entry_id)) continue
      missing.push({ currency, isAccrued: isOfAccrual({ kind, ipcId, reference }), units: Amount.toUnits(amount) })
    }
  }
}

const takeOvers = async (
  db: Db,
  lines: ReadonlyMap<string, Line>,
  unknown: ReadonlyArray<Line>
): Promise<ReadonlyArray<TakesOver>> => {
  const byIpc = Map.groupBy(
    unknown.filter(({ reference }) => reference !== null),
    ({ ipcId }) => ipcId
  )
  const ipcIds = [...byIpc.keys()].filter((ipcId) => ipcId !== null)
  const unsent: Array<Ours> = []
  for (const some of chunks(ipcIds)) {
    const rows = entries(db)
      .where(isAmong(db, "e.ipc_id", some))
      .where("o.state", "<>", "delivered")
    unsent.push(...(await rows.orderBy("e.sequence").execute()).filter(({ entry_id }) => !lines.has(entry_id)))
  }
  const unsentOf = Map.groupBy(unsent, ({ ipc_id }) => ipc_id)
  return ipcIds.map((ipcId) => ({
    ipcId,
    // The first one is taken to be the IPC's payment.
    has: (byIpc.get(ipcId) ?? []).toSorted(byPlace),
    cancels: (unsentOf.get(ipcId) ?? []).map(({ entry_id }) => entry_id)
  }))
}

/** In the order in which they were posted; in the order of the file if it doesn't say. */
const byPlace = (a: Line, b: Line): number =>
  a.place === null || b.place === null || a.place === b.place ? 0 : a.place < b.place ? -1 : 1

export interface SignedOff {
  readonly by: string
  readonly reason: string
  readonly at: Instant
}

/** What the books learn from the comparison. */
export const factsOf = ({ takesOver }: Comparison, { at, by, reason }: SignedOff): ReadonlyArray<NewFact> =>
  takesOver.map(({ cancels, has, ipcId }) => ({
    kind: "accounting" as const,
    ipcId,
    knownAt: at,
    by,
    reason,
    cancels,
    has: has.map((line) => ({
      entryId: line.entryId,
      units: line.units,
      currency: line.currency,
      reference: line.reference ?? "",
      effectiveAt: line.effectiveAt,
      ...(isOfAccrual(line) ? { kind: "accrual" as const } : {}),
      ...(line.lines === null ? {} : { lines: line.lines })
    }))
  }))
