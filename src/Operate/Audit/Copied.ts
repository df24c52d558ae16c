/**
 * Compares a copy of the books with the Store, row by row in the order of their keys: which rows one of them lacks, and
 * which values differ. It reads a few thousand rows at a time, each as one text that its database makes: fetching every
 * value took twice as long. Where two texts differ, the rows are read and their values compared.
 */
import { Effect } from "effect"
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Row } from "../../Domain/Merge.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import { ledgerDecisionsTable, ledgerEntriesTable, ledgerHoldsTable, type Shown } from "../../Stores/WarehouseTables.ts"

/** A copy, and its name for people. */
export interface Copy<E, R> {
  readonly name: string
  readonly query: (text: RawBuilder<Row>) => Effect.Effect<ReadonlyArray<Row>, E, R>
  /**
   * Brings the copy up to the books; undefined if it was made earlier. Then it may lack the newest rows, and its holds
   * are old.
   */
  readonly refresh: Effect.Effect<void, E, R> | undefined
}

interface Part {
  readonly table: Shown
  readonly key: string
  /** The name for a single row. */
  readonly one: string
}

const entries: Part = { table: ledgerEntriesTable, key: "sequence", one: "entry" }
const decisions: Part = { table: ledgerDecisionsTable, key: "number", one: "decision" }
const holds: Part = { table: ledgerHoldsTable, key: "hold_id", one: "hold" }

type Column = Shown["columns"][number]
type Key = string | number

const rowsAtOnce = 5000

/** In words; at most `most`. */
export const differing = <E, R>(copy: Copy<E, R>, most: number) =>
  Effect.gen(function* () {
    const differences: Array<string> = []
    for (const part of copy.refresh === undefined ? [entries, decisions] : [entries, decisions, holds]) {
      for (const key of yield* suspects(copy, part)) {
        if (differences.length >= most) return differences
        differences.push(...(yield* differingAt(copy, part, key)))
      }
    }
    return differences
  })

const tries = 3

/** What changed while both were being read soon agrees. */
const differingAt = Effect.fnUntraced(function* <E, R>(copy: Copy<E, R>, part: Part, key: Key) {
  const only = sql`${sql.ref(part.key)} = ${key}`
  let found: ReadonlyArray<string> = []
  for (let each = 0; each < tries; each++) {
    yield* copy.refresh ?? Effect.void
    const [own] = yield* inStore(select(part.table.name, part, only, 1))
    const [theirs] = yield* copy.query(select(`construction.${part.table.name}`, part, only, 1))
    found = compared(copy.name, part, key, own, theirs)
    if (found.length === 0) break
  }
  return found
})

/** The keys of rows that only one of them has, or that differ. */
const suspects = Effect.fnUntraced(function* <E, R>(copy: Copy<E, R>, part: Part) {
  const found = new Set<Key>()
  const name = `construction.${part.table.name}`
  let after: Key | undefined
  for (;;) {
    const from = after === undefined ? sql`true` : sql`${sql.ref(part.key)} > ${after}`
    const own = yield* inStore(select(part.table.name, part, from, rowsAtOnce, ofStore(part)))
    const last = keyOf(part, own.at(-1))
    const range = last === undefined ? from : sql`${from} and ${sql.ref(part.key)} <= ${last}`
    const limit = last === undefined ? rowsAtOnce : undefined
    const theirs = yield* copy.query(select(name, part, range, limit, ofCopy(part)))
    // The case nearly always.
    const areSame = own.length === theirs.length && own.every((row, n) => row["text"] === theirs[n]!["text"])
    for (const key of areSame ? [] : keysThatDiffer(part, own, theirs)) found.add(key)
    if (last === undefined) break
    // The rest is newer than the copy.
    if (copy.refresh === undefined && theirs.length === 0) break
    after = last
    yield* Effect.yieldNow
  }
  if (copy.refresh === undefined) yield* forgetNewer(copy, part, found)
  return [...found]
})

const keysThatDiffer = (part: Part, own: ReadonlyArray<Row>, theirs: ReadonlyArray<Row>): ReadonlyArray<Key> => {
  const byKey = new Map(theirs.map((row) => [keyOf(part, row), row]))
  const found: Array<Key> = []
  for (const row of own) {
    const key = keyOf(part, row)!
    const same = byKey.get(key)
    byKey.delete(key)
    if (same?.["text"] !== row["text"]) found.push(key)
  }
  return [...found, ...[...byKey.keys()].map((key) => key!)]
}

/** What an older copy can't have yet isn't missing from it. */
const forgetNewer = Effect.fnUntraced(function* <E, R>(copy: Copy<E, R>, part: Part, found: Set<Key>) {
  const { key, table } = part
  const newest = sql<Row>`select max(${sql.ref(key)}) as ${sql.ref(key)} from ${sql.table(`construction.${table.name}`)}`
  const last = Number((yield* copy.query(newest))[0]?.[key] ?? 0)
  for (const each of found) if (Number(each) > last) found.delete(each)
})

const select = (
  name: string,
  { key }: Part,
  where: RawBuilder<unknown>,
  limit: number | undefined,
  what: RawBuilder<unknown> = sql`*`
): RawBuilder<Row> =>
  sql<Row>`select ${what} from ${sql.table(name)} where ${where} order by ${sql.ref(key)} ${
    limit === undefined ? sql`` : sql`limit ${sql.lit(limit)}`
  }`

/**
 * The key, and the values as one text: each is preceded by its length, so that no two rows have the same text; null has
 * none. With a single `concat`: another one around each value took a fifth longer.
 */
const keyAndText = ({ key, table }: Part, length: string, textOf: (column: Column) => RawBuilder<unknown>) => {
  const values = table.columns.map((column) => {
    const text = textOf(column)
    return sql`${sql.raw(length)}(${text}), ':', ${text}`
  })
  return sql`${sql.ref(key)}, concat(${sql.join(values)}) as text`
}

const castOf = ({ name }: Column, type: string) => sql`cast(${sql.ref(name)} as ${sql.raw(type)})`

/**
 * The Store already has text, except for whole numbers. The length is in bytes, because SQLite's length in characters
 * ends at a NUL.
 */
const ofStore = (part: Part) =>
  keyAndText(part, "octet_length", (column) =>
    column.type === "BIGINT" ? castOf(column, "text") : sql.ref(column.name)
  )

/** A copy is in DuckDB. */
const ofCopy = (part: Part) =>
  keyAndText(part, "strlen", (column) =>
    column.type === "TIMESTAMPTZ"
      ? sql`strftime(${sql.ref(column.name)} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')`
      : castOf(column, "varchar")
  )

const inStore = (text: RawBuilder<Row>): Effect.Effect<ReadonlyArray<Row>, StoreError, Store> =>
  Effect.flatMap(Store, (store) => store.run(rowsOf(text)))

/** Numbers come as text from a warehouse. */
const keyOf = ({ key }: Part, row: Row | undefined): Key | undefined => {
  const value: unknown = row?.[key]
  if (value === undefined || value === null) return undefined
  return key === holds.key ? String(value) : Number(value)
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

const valuesThatDiffer = ({ table }: Part, own: Row, theirs: Row): ReadonlyArray<string> =>
  table.columns.flatMap(({ name }) => (textOf(own[name]) === textOf(theirs[name]) ? [] : [name]))

const compared = (
  copy: string,
  part: Part,
  key: Key,
  own: Row | undefined,
  theirs: Row | undefined
): ReadonlyArray<string> => {
  const what = `${part.one} ${key}`
  if (own === undefined && theirs === undefined) return []
  if (own === undefined) return [`${copy} has ${what}, which isn't in the books.`]
  if (theirs === undefined) return [`${copy} lacks ${what}.`]
  return valuesThatDiffer(part, own, theirs).map(
    (name) => `${copy} has ${name} ${textOf(theirs[name])} for ${what}; in the books it is ${textOf(own[name])}.`
  )
}

/** Runs it on a connection. */
export const rowsOf =
  (text: RawBuilder<Row>) =>
  async <Db>(db: Kysely<Db>): Promise<ReadonlyArray<Row>> =>
    (await text.execute(db)).rows
