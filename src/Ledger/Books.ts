/**
 * How a fact is recorded in the books of an IPC: read (`StoredBooks`), fold, write, all in the caller's transaction.
 *
 * A fact that says nothing new isn't stored, so a delivery applied twice changes nothing. Fact numbers follow the
 * stored order without gaps, because writers take turns, each until its transaction ends.
 */
import type { Transaction } from "kysely"
import { insertTogether, oneAtATime } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { newestContent, parsed } from "./Agreed.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import * as OpenOrder from "./CertifiedOrder/OpenOrder.ts"
import * as Chain from "./Chain.ts"
import * as Epoch from "./Epoch.ts"
import type { Entry, Fact, Hold, Terms } from "./Fact.ts"
import { fold, isNews, type Turn } from "./Fold.ts"
import { type Books, empty } from "./Fold/Known.ts"
import { canMove } from "./Fold/Position.ts"
import * as Compared from "./Outbox/Compared.ts"
import * as Messages from "./Outbox/Messages.ts"
import * as Rows from "./Rows.ts"
import * as StoredBooks from "./StoredBooks.ts"

type Tx = Transaction<StoreTables>

/** A fact that has no number yet. */
export type NewFact = Fact extends infer One ? (One extends Fact ? Omit<One, "number"> : never) : never

export interface Recorded {
  readonly facts: number
  readonly entries: ReadonlyArray<Entry>
  readonly opened: ReadonlyArray<Hold>
  readonly changed: ReadonlyArray<Hold>
  readonly closed: ReadonlyArray<ReturnType<typeof Rows.decisionRow>>
}

/**
 * Records one fact at a time, so batch boundaries change nothing. With a `posting`, each entry enters the outbox in the
 * same transaction.
 *
 * The books are read before this transaction takes its turn, because all other workers wait until its turn ends.
 * Afterwards, only those books are read again that others have changed meanwhile.
 */
export const record = async (
  tx: Tx,
  newFacts: ReadonlyArray<NewFact>,
  terms: Terms,
  posting?: Messages.Posting
): Promise<Recorded> => {
  const unknown = newFacts.length < many ? newFacts : await withoutStored(tx, newFacts)
  if (unknown.length === 0) return nothing
  const standing = await StoredBooks.standing(tx, ipcsOf(unknown))
  const news = unknown.filter((fact) => mayBeNews(fact, standing, terms))
  if (news.length === 0) return nothing
  await oneAtATime(tx, "ledger")
  const latest = await latestIn(tx)
  if (latest.order === null) await CertifiedOrder.make(tx)
  const changed =
    latest.number === standing.number ? [] : await StoredBooks.changedSince(tx, standing.number, ipcsOf(news))
  const books = new Map([...standing.books, ...(await StoredBooks.read(tx, changed))])
  // Another worker may have started since, with other terms.
  const { kept, order } = await folding(tx, { books, news, number: latest.number, terms: latest.terms ?? terms })
  await write(tx, { kept, moved: await order.close() }, latest, posting)
  return {
    facts: kept.length,
    entries: kept.flatMap(({ turn }) => turn.entries),
    opened: kept.flatMap(({ turn }) => turn.opened),
    changed: kept.flatMap(({ turn }) => turn.changed),
    closed: kept.flatMap(({ fact, turn }) => turn.closed.map((hold) => Rows.decisionRow(hold, fact)))
  }
}

/** What a fact would lead to, and the resulting books; writes nothing. */
export const foreseen = async (tx: Tx, fact: NewFact, terms: Terms) => {
  const latest = await latestIn(tx)
  const books = new Map(await StoredBooks.read(tx, [fact.ipcId]))
  const { kept } = await folding(tx, { books, news: [fact], number: latest.number, terms: latest.terms ?? terms })
  return { books, turns: kept.map(({ turn }) => turn) }
}

const ipcsOf = (facts: ReadonlyArray<NewFact>): ReadonlyArray<string> => [...new Set(facts.map(({ ipcId }) => ipcId))]

/** Facts from events, each of which may be heard several times by several workers. */
const told: ReadonlySet<Fact["kind"]> = new Set(["certificate", "payment", "project"])

/** Only events that are applied once more come in such numbers. Of a few new ones, none is stored yet. */
const many = 100

/** A fact that is stored word for word is already known. */
const withoutStored = async (tx: Tx, facts: ReadonlyArray<NewFact>): Promise<ReadonlyArray<NewFact>> => {
  const ofEvents = facts.filter(({ kind }) => told.has(kind))
  const places = await StoredBooks.unknown(
    tx,
    ofEvents.map((fact) => ({ ...fact, number: 0 }))
  )
  const stored = new Set(ofEvents.filter((_, place) => !places.has(place)))
  return facts.filter((fact) => !stored.has(fact))
}

const mayBeNews = (newFact: NewFact, { books, terms: newest }: StoredBooks.Standing, terms: Terms): boolean => {
  const before = books.get(newFact.ipcId)
  return before === undefined || !told.has(newFact.kind) || isNews(before, { ...newFact, number: 0 }, newest ?? terms)
}

interface Recording {
  readonly books: Map<string, Books>
  readonly news: ReadonlyArray<NewFact>
  readonly terms: Terms
  /** The number of the last fact. */
  readonly number: number
}

/** The new facts and what they lead to. The order of certified IPCs moves in memory only. */
const folding = async (tx: Tx, { books, news, number, terms }: Recording) => {
  const order = await OpenOrder.open(
    tx,
    terms,
    books,
    news.map((fact) => ({ ...fact, number }))
  )
  const kept: Array<Kept> = []
  const learn = async (newFact: NewFact): Promise<void> => {
    const { eventId, ipcId, knownAt } = newFact
    const before = books.get(ipcId) ?? empty(ipcId)
    const given = await order.completed(before, { ...newFact, number: number + kept.length + 1 })
    const { fact, ...turn } = fold(before, given, terms)
    if (fact === undefined) return
    books.set(ipcId, turn.books)
    kept.push({ fact, turn, before })
    if (!canMove(fact)) return
    for (const { ipcId: next, preceding } of await order.changed(before, turn.books)) {
      for (const [id, each] of books.has(next) ? [] : await StoredBooks.read(tx, [next])) books.set(id, each)
      await learn({ kind: "preceding", ipcId: next, knownAt, ...(eventId === undefined ? {} : { eventId }), preceding })
    }
  }
  for (const newFact of news) await learn(newFact)
  return { kept, order }
}

const write = async (
  tx: Tx,
  {
    kept,
    moved
  }: { readonly kept: ReadonlyArray<Kept>; readonly moved: ReadonlyArray<StoreTables["ledger_certified"]> },
  latest: Latest,
  posting: Messages.Posting | undefined
): Promise<void> => {
  if (kept.length === 0) return
  let { sequence } = latest
  const queued = ({ certified_as }: Entry) =>
    posting === undefined ? null : Messages.queuedAs(posting.status, certified_as)
  let link = await Chain.newest(tx, latest.number === 0 ? Chain.start : latest.chain)
  const rows = kept.map(({ before, fact, turn }) => {
    const linked = {
      fact: Rows.factRow(fact),
      entries: turn.entries.map((entry) =>
        Rows.entryRow(entry, ++sequence, fact, { epoch: latest.epoch, queued: queued(entry) })
      ),
      decisions: turn.closed.map((hold) => Rows.decisionRow(hold, fact))
    }
    link = Chain.next(link, linked)
    const entries = linked.entries.map((row, n) => {
      const { entry_id: after } = turn.entries[n - 1] ?? before.entries.at(-1) ?? { entry_id: undefined }
      return { entry: { ...row, chain: link }, after }
    })
    return { fact: { ...linked.fact, chain: link }, entries }
  })
  const entries = rows.flatMap((row) => row.entries)
  // In one round trip, because all other workers wait meanwhile.
  await insertTogether(
    tx,
    {
      ledger_facts: rows.map((row) => row.fact),
      ledger_entries: entries.map(({ entry }) => entry),
      ledger_outbox: posting === undefined ? [] : await Messages.rowsOf(tx, entries, posting),
      ledger_certified: moved
    },
    { ledger_certified: "ipc_id" }
  )
  for (const { fact, turn } of kept) {
    if (turn.opened.length + turn.changed.length + turn.closed.length > 0) await writeHolds(tx, fact, turn)
    if (fact.kind === "accounting") await Compared.settle(tx, turn.settled, fact)
  }
}

interface Kept {
  readonly fact: Fact
  readonly turn: Omit<Turn, "fact">
  readonly before: Books
}

export const nothing: Recorded = { facts: 0, entries: [], opened: [], changed: [], closed: [] }

export const together = (a: Recorded, b: Recorded): Recorded => ({
  facts: a.facts + b.facts,
  entries: [...a.entries, ...b.entries],
  opened: [...a.opened, ...b.opened],
  changed: [...a.changed, ...b.changed],
  closed: [...a.closed, ...b.closed]
})

type Latest = Awaited<ReturnType<typeof latestIn>>

/** The latest state of the books, in one round trip. */
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
      from
        .selectFrom("ledger_facts")
        .select("chain")
        .where("number", "=", (of) => of.selectFrom("ledger_facts").select((max) => max.fn.max("number").as("n")))
        .as("chain"),
      from.selectFrom("meta").select("value").where("key", "=", CertifiedOrder.key).as("order"),
      from.selectFrom("meta").select("value").where("key", "=", Epoch.key).as("epoch")
    ])
    .executeTakeFirstOrThrow()
  return {
    terms: row.content === null ? undefined : parsed(row.content),
    number: Number(row.number ?? 0),
    sequence: Number(row.sequence ?? 0),
    chain: row.chain,
    order: row.order,
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
