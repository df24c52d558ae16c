/**
 * The books of an IPC in the Store, and how a fact is recorded: read, fold, write, all in the caller's transaction.
 *
 * A fact that says nothing new isn't kept, so a delivery applied twice changes nothing. Fact numbers follow the stored
 * order without gaps: writers take turns, each until its transaction ends.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import { Effect } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import { insertAll, isAmong, oneAtATime } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { agreed, newestContent, parsed } from "./Agreed.ts"
import * as Epoch from "./Epoch.ts"
import type { Entry, Fact, Hold, Terms } from "./Fact.ts"
import { fold, type Turn } from "./Fold.ts"
import { type Books, empty, learn } from "./Fold/Known.ts"
import { isOfFirstRules, recovered } from "./Refold.ts"
import * as Compared from "./Outbox/Compared.ts"
import * as Messages from "./Outbox/Messages.ts"
import * as Rows from "./Rows.ts"

type Tx = Transaction<StoreTables>

/** A fact that has no number yet. */
export type NewFact = Fact extends infer One ? (One extends Fact ? Omit<One, "number"> : never) : never

export interface Recorded {
  readonly facts: number
  readonly entries: ReadonlyArray<Entry>
  readonly opened: ReadonlyArray<Hold>
  readonly changed: ReadonlyArray<Hold>
  readonly closed: ReadonlyArray<Hold>
}

/**
 * One fact at a time, so batch boundaries change nothing. With a `posting`, each entry enters the outbox in the same
 * transaction.
 */
export const record = async (
  tx: Tx,
  newFacts: ReadonlyArray<NewFact>,
  terms: Terms,
  posting?: Messages.Posting
): Promise<Recorded> => {
  await oneAtATime(tx, "ledger")
  const latest = await latestIn(tx)
  // Another worker may have started since, with other terms.
  const now = latest.terms ?? terms
  const books = await read(
    tx,
    newFacts.map(({ ipcId }) => ipcId)
  )
  let { number, sequence } = latest
  const kept: Array<Kept> = []
  for (const newFact of newFacts) {
    const before = books.get(newFact.ipcId) ?? empty(newFact.ipcId)
    const { fact, ...turn } = fold(before, { ...newFact, number: number + 1 }, now)
    if (fact === undefined) continue
    books.set(newFact.ipcId, turn.books)
    kept.push({ fact, turn })
    number++
  }
  const posted = kept.flatMap(({ fact, turn }) => turn.entries.map((entry) => ({ entry, fact, sequence: ++sequence })))
  await insertAll(
    tx,
    "ledger_facts",
    kept.map(({ fact }) => Rows.factRow(fact))
  )
  const [first] = posted
  if (first !== undefined) {
    const rows = posted.map(({ entry, fact, sequence }) => Rows.entryRow(entry, sequence, fact, latest.epoch))
    await insertAll(tx, "ledger_entries", rows)
    if (posting !== undefined) await Messages.put(tx, first.sequence, posting)
  }
  for (const { fact, turn } of kept) {
    if (turn.opened.length + turn.changed.length + turn.closed.length > 0) await writeHolds(tx, fact, turn)
    if (fact.kind === "accounting") await Compared.settle(tx, turn.settled, fact)
  }
  return {
    facts: kept.length,
    entries: kept.flatMap(({ turn }) => turn.entries),
    opened: kept.flatMap(({ turn }) => turn.opened),
    changed: kept.flatMap(({ turn }) => turn.changed),
    closed: kept.flatMap(({ turn }) => turn.closed)
  }
}

interface Kept {
  readonly fact: Fact
  readonly turn: Omit<Turn, "fact">
}

/** After a change of terms: what waited because of the old ones is asked again, or posted. */
export const askAgain = async (tx: Tx, terms: Terms, at: Instant, posting?: Messages.Posting): Promise<Recorded> => {
  const waiting = await tx
    .selectFrom("ledger_holds")
    .select("ipc_id")
    .distinct()
    .where("reason", "in", ["period-closed", "period-reopened", "changed-after-refusal", "currency-unknown"])
    .orderBy("ipc_id")
    .execute()
  const facts = waiting.map((row) => ({ kind: "terms" as const, ipcId: row.ipc_id, knownAt: at }))
  return record(tx, facts, terms, posting)
}

/** Where the books stand, in one round trip. */
const latestIn = async (tx: Tx) => {
  const row = await tx
    .selectNoFrom((from) => [
      newestContent(from).as("content"),
      from
        .selectFrom("ledger_facts")
        .select((of) => of.fn.max("number").as("n"))
        .as("number"),
      from
        .selectFrom("ledger_entries")
        .select((of) => of.fn.max("sequence").as("n"))
        .as("sequence"),
      from.selectFrom("meta").select("value").where("key", "=", Epoch.key).as("epoch")
    ])
    .executeTakeFirstOrThrow()
  return {
    terms: row.content === null ? undefined : parsed(row.content),
    number: Number(row.number ?? 0),
    sequence: Number(row.sequence ?? 0),
    epoch: Epoch.read(row.epoch ?? undefined)
  }
}

const writeHolds = async (tx: Tx, fact: Fact, { changed, closed, opened }: Kept["turn"]): Promise<void> => {
  for (const hold of opened) {
    await tx.insertInto("ledger_holds").values(Rows.holdRow(hold)).execute()
  }
  for (const hold of changed) {
    const { amount, currency, part } = Rows.holdRow(hold)
    await tx.updateTable("ledger_holds").set({ amount, currency, part }).where("hold_id", "=", hold.hold_id).execute()
  }
  for (const hold of closed) {
    await tx.deleteFrom("ledger_holds").where("hold_id", "=", hold.hold_id).execute()
    await tx.insertInto("ledger_hold_decisions").values(Rows.decisionRow(hold, fact)).execute()
  }
}

const areOf = (db: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>) => isAmong(db, "ipc_id", [...new Set(ipcIds)])

/** In stored order. */
export const factsOf = async (
  db: Kysely<StoreTables>,
  ipcIds: ReadonlyArray<string>
): Promise<ReadonlyMap<string, ReadonlyArray<Fact>>> => {
  const rows = await db.selectFrom("ledger_facts").selectAll().where(areOf(db, ipcIds)).orderBy("number").execute()
  return Map.groupBy(rows.map(Rows.toFact), ({ ipcId }) => ipcId)
}

/** The books of these IPCs, without those that nothing is known of. */
export const read = async (tx: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>): Promise<Map<string, Books>> => {
  const among = areOf(tx, ipcIds)
  const facts = await factsOf(tx, ipcIds)
  const entries = await tx.selectFrom("ledger_entries").selectAll().where(among).orderBy("sequence").execute()
  const holds = await tx.selectFrom("ledger_holds").selectAll().where(among).execute()
  // Grouped once, not filtered for each IPC: one may have thousands of any of them.
  const entriesOf = Map.groupBy(entries.map(Rows.toEntry), ({ ipc_id }) => ipc_id)
  const holdsOf = Map.groupBy(holds.map(Rows.toHold), ({ ipc_id }) => ipc_id)
  const known = [...new Set([...facts.keys(), ...entriesOf.keys(), ...holdsOf.keys()])].map((ipcId) => ({
    ...learn(empty(ipcId), facts.get(ipcId) ?? []),
    entries: entriesOf.get(ipcId) ?? [],
    holds: new Map(holdsOf.get(ipcId)?.map((hold) => [hold.hold_id, hold]))
  }))
  const isOld = (books: Books): boolean => isOfFirstRules(facts.get(books.ipcId) ?? [], books)
  const terms = known.some(isOld) ? await agreed(tx) : []
  return new Map(
    known.map((books) => [books.ipcId, isOld(books) ? recovered(books, facts.get(books.ipcId) ?? [], terms) : books])
  )
}

/** How many entries and open holds there are, and the oldest hold. */
export const totals = (store: Store["Service"]) =>
  store.run(async (db) => {
    const counts = await db
      .selectNoFrom((from) => [
        // They are numbered without gaps, and a count reads them all.
        from
          .selectFrom("ledger_entries")
          .select((of) => of.fn.max("sequence").as("n"))
          .as("entries"),
        from
          .selectFrom("ledger_holds")
          .select((of) => of.fn.countAll<number>().as("n"))
          .as("holds")
      ])
      .executeTakeFirst()
    const oldest = await db
      .selectFrom("ledger_holds")
      .select(["reason", "since", "ipc_id as ipcId", "amount", "currency"])
      .orderBy("since")
      .limit(1)
      .executeTakeFirst()
    return { entries: Number(counts?.entries ?? 0), holds: Number(counts?.holds ?? 0), oldestHold: oldest ?? null }
  })

/** The ids of all IPCs with books, a thousand at a time, so memory doesn't grow with the books. */
export const eachIpc = <E, R>(
  store: Store["Service"],
  look: (ids: ReadonlyArray<string>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StoreError, R> =>
  Effect.gen(function* () {
    let after = ""
    while (true) {
      const ids = yield* store.run((db) => ipcsAfter(db, after))
      const last = ids.at(-1)
      if (last === undefined) return
      yield* look(ids)
      after = last
      yield* Effect.yieldNow
    }
  })

const ipcsAtOnce = 1000

const ipcsAfter = async (db: Kysely<StoreTables>, after: string): Promise<ReadonlyArray<string>> => {
  // Each side has its own limit, along its index. Otherwise PostgreSQL sorts all remaining rows for every thousand.
  const of = (table: "ledger_facts" | "ledger_entries") => sql`
    select ipc_id from (
      select distinct ipc_id from ${sql.table(table)} where ipc_id > ${after} order by ipc_id limit ${ipcsAtOnce}
    ) as some_of_${sql.raw(table)}`
  const { rows } = await sql<{ ipc_id: string }>`
    ${of("ledger_facts")} union ${of("ledger_entries")} order by 1 limit ${ipcsAtOnce}`.execute(db)
  return rows.map((row) => row.ipc_id)
}
