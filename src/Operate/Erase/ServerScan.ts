/**
 * Reads a PostgreSQL table from its first page to its last, and changes rows in place. Rows are named by their position
 * in the table (`ctid`), so no key that might contain what is erased is ever sent, only what is left of a text.
 *
 * Nothing else changes the rows meanwhile. A changed row may move to the end, where it is met again, but then contains
 * nothing to erase.
 */
import type { Client } from "pg"
import { quoted } from "../../Stores/Ddl.ts"

export interface Column {
  readonly name: string
  readonly type: string
  /** The SQL to read it from, if it isn't the table's column. */
  readonly of?: string
}

const sqlOf = ({ name, of }: Column): string => of ?? quoted(name)

export type Value = string | number | boolean | Buffer | null

export interface Row {
  readonly place: string
  readonly values: Readonly<Record<string, Value>>
}

export interface Change {
  readonly place: string
  readonly values: Readonly<Record<string, string | Buffer | null>>
}

/** About a thousand rows, or fewer of long ones. */
const pagesAtOnce = 32
/** For values: a body may have 64 MiB. */
const bytesAtOnce = 16 * 1024 * 1024

const isLong = ({ type }: Column): boolean => /^(?:text|json|bytea)/.test(type)

/** If a value is stored out of line, the server knows its length without reading it. */
const lengthOf = (column: Column): string =>
  `coalesce(octet_length(${sqlOf(column)}${column.type.startsWith("bytea") ? "" : "::text"}), 0)`

interface Sized {
  readonly place: string
  readonly bytes: number
}

/** The positions of as many rows as fit. */
function* fitting(rows: ReadonlyArray<Sized>): Generator<ReadonlyArray<string>> {
  let [some, bytes]: [Array<string>, number] = [[], 0]
  for (const row of rows) {
    if (some.length > 0 && bytes + Number(row.bytes) > bytesAtOnce) {
      yield some
      ;[some, bytes] = [[], 0]
    }
    some.push(row.place)
    bytes += Number(row.bytes)
  }
  if (some.length > 0) yield some
}

const pagesOf = async (client: Client, table: string): Promise<number> => {
  const { rows } = await client.query<{ pages: number }>(
    "select pg_relation_size($1::regclass) / current_setting('block_size')::bigint as pages",
    [table]
  )
  return Number(rows[0]?.pages ?? 0)
}

/** `table`: with its schema, as in SQL. */
export async function* batches(
  client: Client,
  table: string,
  columns: ReadonlyArray<Column>
): AsyncGenerator<ReadonlyArray<Row>> {
  const lengths = columns.filter(isLong).map(lengthOf)
  const list = columns.map(sqlOf).join(", ")
  for (let page = 0; page < (await pagesOf(client, table)); page += pagesAtOnce) {
    const { rows: sized } = await client.query<Sized>(
      `select ctid::text as place, ${["0::bigint", ...lengths].join(" + ")} as bytes from ${table}
       where ctid >= $1::tid and ctid < $2::tid`,
      [`(${page},0)`, `(${page + pagesAtOnce},0)`]
    )
    for (const places of fitting(sized)) {
      const { rows } = await client.query<Array<Value>>({
        text: `select ctid::text, ${list} from ${table} where ctid = any($1::tid[])`,
        values: [places],
        rowMode: "array"
      })
      yield rows.map(([place, ...values]) => ({
        place: String(place),
        values: Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null]))
      }))
    }
  }
}

/** Rows in which the same columns change share one statement. */
export const update = async (
  client: Client,
  table: string,
  columns: ReadonlyArray<Column>,
  changes: ReadonlyArray<Change>
): Promise<void> => {
  const typeOf = new Map(columns.map(({ name, type }) => [name, type]))
  for (const [, same] of Map.groupBy(changes, ({ values }) => Object.keys(values).join(" "))) {
    const names = Object.keys(same[0]?.values ?? {})
    const arrays = names.map((name, at) => `$${at + 2}::${typeOf.get(name) === "bytea" ? "bytea" : "text"}[]`)
    const given = names.map((_, at) => `v${at}`)
    const sets = names.map((name, at) => `${quoted(name)} = given.v${at}::${typeOf.get(name)}`)
    // With a list of positions, the server visits only those rows.
    await client.query(
      `update ${table} as stored set ${sets.join(", ")}
       from unnest(${["$1::tid[]", ...arrays].join(", ")}) as given (${["place", ...given].join(", ")})
       where stored.ctid = any($1::tid[]) and stored.ctid = given.place`,
      [same.map(({ place }) => place), ...names.map((name) => same.map(({ values }) => values[name] ?? null))]
    )
  }
}

/** All or nothing. */
export const atomically = async (client: Client, use: () => Promise<void>): Promise<void> => {
  await client.query("begin")
  try {
    await use()
    await client.query("commit")
  } catch (cause) {
    await client.query("rollback").catch(() => undefined)
    throw cause
  }
}
