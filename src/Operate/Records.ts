/**
 * Records of one table for a person, a page at a time, in the order of their keys or of their changes (newest first).
 *
 * The cost of a page is bounded, regardless of the table's contents. Its keys are searched for first, for a short time:
 * an engine answers this from an index, or reads no more than the columns in question. If that isn't enough, a few
 * thousand rows are checked one after the other, and the answer says that it stopped there.
 */
import { Duration, Effect } from "effect"
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Row } from "../Domain/Merge.ts"
import { type EntityTable, inTexts } from "../Stores/EntityTables.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { WarehouseTables } from "../Stores/WarehouseTables.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import { behind, inOrder, type Key, type Order, endOf } from "./Records/Order.ts"
import { type Condition, fits, typed } from "./Records/Where.ts"
import { soon } from "./Soon.ts"
import { ofRecords } from "./Tables.ts"

const usual = 50

/**
 * How long keys are searched for. In DuckDB only a complete search finds the newest changes, and so does only that on
 * PostgreSQL once there are filters: of 1,000,000 rows it took 200 to 600 ms there, and 10 in the order of keys.
 */
const patience: Readonly<Record<Order, Duration.Duration>> = { key: Duration.millis(80), changed: Duration.seconds(1) }

/** How many rows are checked one after the other if that was too short. */
const mostLooked = 10_000

/** Characters of a value, to keep a page small. */
const longest = 1000

/** `record` shows these. */
const left: ReadonlySet<string> = new Set(["_clocks", "_nested"])

type Db = Kysely<WarehouseTables>
type Wanted = RawBuilder<boolean>

interface Asked {
  readonly table: EntityTable
  readonly order: Order
  readonly after: Wanted
  readonly where: Wanted
  readonly last: number
}

const all = (conditions: ReadonlyArray<Wanted>): Wanted =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`

const from = ({ name }: EntityTable) => sql.id("construction", name)

/** One more than requested. */
const found =
  ({ after, last, order, table, where }: Asked) =>
  async (db: Db): Promise<ReadonlyArray<Key>> => {
    const { rows } = await sql<Key>`
      select ${sql.id(table.key)} as "key", _changed_at as "changed" from ${from(table)}
      where ${after} and ${where} order by ${inOrder(order, table.key)} limit ${sql.lit(last + 1)}`.execute(db)
    return rows
  }

interface Looked extends Key {
  readonly fits: unknown
}

const looked =
  ({ after, order, table, where }: Asked) =>
  async (db: Db): Promise<ReadonlyArray<Looked>> => {
    const { rows } = await sql<Looked>`
      select ${sql.id(table.key)} as "key", _changed_at as "changed", case when ${where} then 1 else 0 end as "fits"
      from (select * from ${from(table)} where ${after} order by ${sql.id(table.key)} limit ${sql.lit(mostLooked)}) as looked
      order by ${inOrder(order, table.key)}`.execute(db)
    return rows
  }

interface Page {
  readonly keys: ReadonlyArray<Key>
  readonly next: string | null
  readonly stoppedAfter: number | null
}

const pageOf = Effect.fnUntraced(function* (asked: Asked) {
  const { last, order } = asked
  const keys = yield* soon(patience[order], found(asked))
  if (keys !== undefined) return cut(keys, last, order)
  if (order === "changed") return yield* tooMany(asked)
  const rows = yield* Effect.flatMap(Warehouse, ({ query }) => query(looked(asked)))
  const those = rows.filter(({ fits: isWanted }) => Number(isWanted) === 1)
  if (those.length > last || rows.length < mostLooked) return cut(those, last, order)
  const [end] = rows.slice(-1)
  return { keys: those, next: end === undefined ? null : endOf(order, end), stoppedAfter: rows.length }
})

const cut = (keys: ReadonlyArray<Key>, last: number, order: Order): Page => {
  const [end] = keys.slice(last - 1, last)
  const isMore = keys.length > last && end !== undefined
  return { keys: keys.slice(0, last), next: isMore ? endOf(order, end) : null, stoppedAfter: null }
}

const tooMany = ({ table }: Asked) =>
  new VerbError({
    message:
      `${table.name} has too many records to put them in the order of their changes within ` +
      `${Duration.format(patience.changed)}: ask for them in the order of their keys.`
  })

const rowsOf = ({ order, table }: Asked, columns: ReadonlyArray<string>, keys: ReadonlyArray<Key>) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(async (db): Promise<ReadonlyArray<Row>> => {
      const [first, ...others] = keys.map(({ key }) => typed(table.resource.key, String(key)))
      if (first === undefined) return []
      // A range is compared faster than a set, and most rows are outside it.
      const within =
        order === "key" ? sql`${sql.id(table.key)} between ${first} and ${others.at(-1) ?? first} and` : sql``
      const { rows } = await sql<Record<string, unknown>>`
        select ${sql.join(columns.map((name) => sql.id(name)))} from ${from(table)}
        where ${within} ${sql.id(table.key)} in (${sql.join([first, ...others])})`.execute(db)
      const byKey = new Map(rows.map((row) => [String(row[table.key]), inTexts(table, row)] as const))
      return keys.flatMap(({ key }) => {
        const row = byKey.get(String(key))
        return row === undefined ? [] : [row]
      })
    })
  )

const shortened = (text: string | null): string | null =>
  text === null || text.length <= longest ? text : `${text.slice(0, longest)}…`

const askedFor = Effect.fnUntraced(function* (
  table: EntityTable,
  { after, last = usual, order = "key", where = [] }: Payload<"records">
): Effect.fn.Return<Asked, VerbError> {
  const conditions: Array<Wanted> = []
  for (const condition of where as ReadonlyArray<Condition>) {
    const wanted = fits(table, condition)
    if (typeof wanted === "string") return yield* new VerbError({ message: wanted })
    conditions.push(wanted)
  }
  const rest = after === undefined ? all([]) : behind(order, table, after)
  if (rest !== undefined) return { table, order, last, after: rest, where: all(conditions) }
  return yield* new VerbError({ message: `No page of ${table.name} ends at ${after}: give the \`next\` of a page.` })
})

export const records = Effect.fnUntraced(function* (payload: Payload<"records">) {
  const table = yield* ofRecords(payload.table)
  const asked = yield* askedFor(table, payload)
  const { keys, next, stoppedAfter } = yield* pageOf(asked)
  const columns = table.columns.filter(({ name }) => !left.has(name))
  const names = columns.map(({ name }) => name)
  const rows = yield* rowsOf(asked, names, keys)
  return {
    key: table.key,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: rows.map((row) => names.map((name) => shortened(row[name] ?? null))),
    next,
    stoppedAfter
  } satisfies Answer<"records">
})
