/**
 * Reads the books of IPCs from the Store: facts, entries and holds as they were recorded.
 */
import { type Kysely, type Selectable, sql } from "kysely"
import { Effect } from "effect"
import { isAmong, listedRows, together } from "../Stores/Sql.ts"
import type { Reader, StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { agreed, newestContent, parsed } from "./Agreed.ts"
import type { Fact, Terms } from "./Fact.ts"
import { type Books, empty, learn } from "./Fold/Known.ts"
import { isOfFirstRules, recovered } from "./Refold.ts"
import * as Rows from "./Rows.ts"

const areOf = (db: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>) => isAmong(db, "ipc_id", [...new Set(ipcIds)])

/** In stored order. */
export const factsOf = async (
  db: Kysely<StoreTables>,
  ipcIds: ReadonlyArray<string>
): Promise<ReadonlyMap<string, ReadonlyArray<Fact>>> => {
  const rows = await db.selectFrom("ledger_facts").selectAll().where(areOf(db, ipcIds)).orderBy("number").execute()
  return Map.groupBy(rows.map(Rows.toFact), ({ ipcId }) => ipcId)
}

/**
 * Leaves out facts about projects and about what precedes that a newer fact of the same kind replaced: most facts of an
 * IPC are of these kinds. A project's fact may also say what precedes.
 */
const validFacts = (db: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>) =>
  db
    .selectFrom("ledger_facts as fact")
    .selectAll()
    .where(areOf(db, ipcIds))
    .where(({ eb, exists, not, or, selectFrom }) =>
      or([
        eb("kind", "not in", ["project", "preceding"]),
        eb.and([eb("kind", "=", "project"), eb("content", "like", '%"preceding"%')]),
        not(
          exists(
            selectFrom("ledger_facts as later")
              .select("later.number")
              .whereRef("later.ipc_id", "=", "fact.ipc_id")
              .whereRef("later.number", ">", "fact.number")
              .whereRef("later.kind", "=", "fact.kind")
          )
        )
      ])
    )
    .orderBy("number")

/** Queries for the rows of these IPCs' books. */
const queriesOf = (db: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>) => ({
  facts: validFacts(db, ipcIds),
  entries: db.selectFrom("ledger_entries").selectAll().where(areOf(db, ipcIds)).orderBy("sequence"),
  holds: db.selectFrom("ledger_holds").selectAll().where(areOf(db, ipcIds))
})

interface BookRows {
  readonly facts: ReadonlyArray<Selectable<StoreTables["ledger_facts"]>>
  readonly entries: ReadonlyArray<Selectable<StoreTables["ledger_entries"]>>
  readonly holds: ReadonlyArray<Selectable<StoreTables["ledger_holds"]>>
}

/** The books of these IPCs, without those of which nothing is known. */
export const read = async (tx: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>): Promise<Map<string, Books>> =>
  ipcIds.length === 0 ? new Map() : booksOf(tx, await together(tx, queriesOf(tx, ipcIds)))

export interface Standing {
  readonly books: ReadonlyMap<string, Books>
  /** The number of the last fact that they may include: facts that they lack have a greater number. */
  readonly number: number
  /** The newest terms; undefined before the first worker has started. */
  readonly terms: Terms | undefined
}

/** The same as `read`, with the number up to which it read. */
export const standing = async (tx: Kysely<StoreTables>, ipcIds: ReadonlyArray<string>): Promise<Standing> => {
  const newest = tx.selectNoFrom((from) => [
    newestContent(from).as("content"),
    from
      .selectFrom("ledger_facts")
      .select((of) => of.fn.max("number").as("n"))
      .as("number")
  ])
  const { facts, entries, holds, now } = await together(tx, { now: newest, ...queriesOf(tx, ipcIds) })
  const { content, number } = now[0] ?? { content: null, number: null }
  return {
    books: await booksOf(tx, { facts, entries, holds }),
    number: Number(number ?? 0),
    terms: content === null ? undefined : parsed(content)
  }
}

/**
 * The indexes of those facts that aren't stored word for word. The database compares them, because reading the books of
 * their IPCs takes several times as long.
 */
export const unknown = async (tx: Kysely<StoreTables>, facts: ReadonlyArray<Fact>): Promise<ReadonlySet<number>> => {
  const rows = facts.map((fact) => Rows.factRow(fact)).map((row) => [row.ipc_id, row.kind, row.content])
  // As a scalar, which PostgreSQL looks up for each of them; for `not exists` it may read the whole table.
  const found = await sql<{ place: number }>`
    select place from ${listedRows(tx, ["ipc_id", "kind", "content"], rows)} as given
    where (
      select 1 from ledger_facts as stored
      where stored.ipc_id = given.ipc_id and stored.kind = given.kind and stored.content = given.content limit 1
    ) is null`.execute(tx)
  return new Set(found.rows.map(({ place }) => Number(place)))
}

/** Which of these IPCs have facts of a greater number. */
export const changedSince = async (
  tx: Kysely<StoreTables>,
  number: number,
  ipcIds: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const rows = await tx
    .selectFrom("ledger_facts")
    .select("ipc_id")
    .distinct()
    .where("number", ">", number)
    .where(areOf(tx, ipcIds))
    .execute()
  return rows.map((row) => row.ipc_id)
}

const booksOf = async (tx: Kysely<StoreTables>, rows: BookRows): Promise<Map<string, Books>> => {
  const facts = Map.groupBy(rows.facts.map(Rows.toFact), ({ ipcId }) => ipcId)
  // Grouped once, not filtered for each IPC, which may have thousands of each.
  const entriesOf = Map.groupBy(rows.entries.map(Rows.toEntry), ({ ipc_id }) => ipc_id)
  const holdsOf = Map.groupBy(rows.holds.map(Rows.toHold), ({ ipc_id }) => ipc_id)
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
export const totals = (store: Reader) =>
  store.run(async (db) => {
    const counts = await db
      .selectNoFrom((from) => [
        // They are numbered without gaps, and a count would read them all.
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
  store: Reader,
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

export const ipcsAfter = async (db: Kysely<StoreTables>, after: string): Promise<ReadonlyArray<string>> => {
  // Each side has its own limit, along its index. Otherwise PostgreSQL would sort all remaining rows for every
  // thousand.
  const of = (table: "ledger_facts" | "ledger_entries") => sql`
    select ipc_id from (
      select distinct ipc_id from ${sql.table(table)} where ipc_id > ${after} order by ipc_id limit ${ipcsAtOnce}
    ) as some_of_${sql.raw(table)}`
  const { rows } = await sql<{ ipc_id: string }>`
    ${of("ledger_facts")} union ${of("ledger_entries")} order by 1 limit ${ipcsAtOnce}`.execute(db)
  return rows.map((row) => row.ipc_id)
}
