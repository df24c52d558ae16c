/**
 * The chain of the books: each fact has a link, which is a hash over the previous link and everything that the fact
 * brought: the fact itself, its entries, and the holds that it closed. Someone who has kept one link can tell whether
 * anything up to it was changed, added or removed, even by someone who recomputed all links.
 *
 * The content of a fact enters as its hash, so it can be erased while the chain stays intact. Facts from before 0.2
 * have no link of their own; the first one after them continues the chain.
 */
import { hash } from "node:crypto"
import { type Kysely, type Selectable, sql } from "kysely"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { Table } from "../Stores/Table.ts"
import { ledger } from "../Stores/Tables/Ledger.ts"

type Row = Readonly<Record<string, unknown>>
type FactRow = Selectable<StoreTables["ledger_facts"]>
type EntryRow = Selectable<StoreTables["ledger_entries"]>

/** A fact with what it brought, in order. */
export interface Linked<Fact = Omit<FactRow, "chain">, Entry = Row> {
  readonly fact: Fact
  readonly entries: ReadonlyArray<Entry>
  /** Closed holds, however they were closed. */
  readonly decisions: ReadonlyArray<Row>
}

/** The same, as rows. */
export type LinkedRows = Linked<FactRow, EntryRow>

/** The link before the first one. */
export const start = ""

/**
 * Not hashed: values that the database or the chain assigns, and one that is also in the fact. An older worker, which
 * doesn't know that column, would make a different link.
 */
const besides: ReadonlySet<string> = new Set(["chain", "number", "principal"])

const namesOf = ({ columns }: Table): ReadonlyArray<string> =>
  Object.keys(columns)
    .filter((name) => !besides.has(name))
    .toSorted()

const entryNames = namesOf(ledger.ledger_entries)
const decisionNames = namesOf(ledger.ledger_hold_decisions)

/** Leaves out nulls, so that a column of a later version changes nothing. */
const valuesOf = (names: ReadonlyArray<string>, row: Row): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (const name of names) if (row[name] != null) values.push(name, String(row[name]))
  return values
}

export const next = (before: string, { decisions, entries, fact }: Linked): string =>
  hash(
    "sha256",
    JSON.stringify([
      before,
      [String(fact.number), fact.ipc_id, fact.kind, fact.known_at, hash("sha256", fact.content, "hex")],
      entries.map((row) => valuesOf(entryNames, row)),
      decisions.map((row) => valuesOf(decisionNames, row))
    ]),
    "hex"
  )

/** With 2,000, so many rows were still alive at each young collection that it took a quarter longer. */
const rowsAtOnce = 250

type Db = Kysely<StoreTables>

/** The rows of a table by their numbers; each names its fact. */
const rowsOf = <A extends Row>(db: Db, table: "ledger_entries" | "ledger_hold_decisions", number: string) =>
  new Cursor(async (after) => {
    const { rows } = await sql<A>`
      select * from ${sql.table(table)} where ${sql.ref(number)} > ${after} order by ${sql.ref(number)}
      limit ${rowsAtOnce}`.execute(db)
    return rows.map((row) => ({ row, number: Number(row[number]), fact: Number(row["fact"]) }))
  })

/**
 * All facts with what they brought, in order, a few hundred at a time. Only facts that exist when it begins, because
 * their entries and decisions are read after them and must exist too.
 */
export async function* linked(db: Db): AsyncGenerator<ReadonlyArray<LinkedRows>> {
  const { newest } = await db
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("newest"))
    .executeTakeFirstOrThrow()
  const entries = rowsOf<EntryRow>(db, "ledger_entries", "sequence")
  const decisions = rowsOf<Row>(db, "ledger_hold_decisions", "number")
  for (let after = 0; ;) {
    const facts = await db
      .selectFrom("ledger_facts")
      .selectAll()
      .where("number", ">", after)
      .where("number", "<=", Number(newest ?? 0))
      .orderBy("number")
      .limit(rowsAtOnce)
      .execute()
    const last = facts.at(-1)
    if (last === undefined) return
    after = Number(last.number)
    await entries.fill(after)
    await decisions.fill(after)
    yield facts.map((fact) => {
      const number = Number(fact.number)
      return { fact, entries: entries.take(number), decisions: decisions.take(number) }
    })
  }
}

interface Numbered<A> {
  readonly row: A
  readonly number: number
  readonly fact: number
}

/** Rows in the order of their numbers, taken up to a given fact. */
class Cursor<A> {
  readonly #read: (after: number) => Promise<ReadonlyArray<Numbered<A>>>
  #rows: ReadonlyArray<Numbered<A>> = []
  #at = 0
  #last = 0
  #isAtEnd = false

  constructor(read: (after: number) => Promise<ReadonlyArray<Numbered<A>>>) {
    this.#read = read
  }

  /** Reads the rows up to this fact. */
  async fill(fact: number): Promise<void> {
    while (!this.#isAtEnd && (this.#rows.at(-1)?.fact ?? 0) <= fact) {
      const more = await this.#read(this.#last)
      this.#rows = [...this.#rows.slice(this.#at), ...more]
      this.#at = 0
      this.#last = more.at(-1)?.number ?? this.#last
      this.#isAtEnd = more.length < rowsAtOnce
    }
  }

  take(fact: number): ReadonlyArray<A> {
    const from = this.#at
    while (this.#at < this.#rows.length && this.#rows[this.#at]!.fact <= fact) this.#at++
    return this.#at === from ? none : this.#rows.slice(from, this.#at).map(({ row }) => row)
  }
}

const none: ReadonlyArray<never> = []

/** The newest link. `stored`: the stored one, if there is one. */
export const newest = async (db: Db, stored: string | null): Promise<string> => {
  if (stored !== null) return stored
  let link = start
  for await (const some of linked(db)) for (const each of some) link = each.fact.chain ?? next(link, each)
  return link
}
