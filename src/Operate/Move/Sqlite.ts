/**
 * The embedded Store as one side of a move. The data directory's lock keeps other processes away from it.
 */
import { existsSync } from "node:fs"
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { Effect } from "effect"
import { MoveError, type Open, type Side, type Value, type Values } from "../Move.ts"
import * as Files from "../../Stores/Segments/Open.ts"
import { Store } from "../../Stores/Store.ts"
import { openFile } from "../../Stores/Sqlite/Opening.ts"
import * as Sqlite from "../../Stores/Sqlite/Store.ts"

const batchRows = 5_000
const batchBytes = 16 * 1024 * 1024

interface Column {
  readonly name: string
  readonly type: string
}

const columnsOf = (database: DatabaseSync, table: string): ReadonlyArray<Column> =>
  database
    .prepare("select name, type from pragma_table_info(?) order by name")
    .all(table)
    .map((row) => ({ name: String(row["name"]), type: String(row["type"]) }))

/** As text, so that a number that JavaScript couldn't hold stays exact. */
const selected = ({ name, type }: Column): string => (type === "BLOB" ? `"${name}"` : `cast("${name}" as text)`)

/** In a column of type ANY, a number and its text are two different values: see `Sql.listedIds`. */
const keptAs = ({ type }: Column, value: Value): SQLInputValue =>
  type === "ANY" && typeof value === "string" && /^(?:0|-?[1-9]\d{0,17})$/.test(value) ? BigInt(value) : value

const bytesOf = (values: Values): number => values.reduce((bytes, value) => bytes + (value?.length ?? 0), 0)

async function* rows(database: DatabaseSync, table: string): AsyncGenerator<ReadonlyArray<Values>> {
  const list = columnsOf(database, table).map(selected).join(", ")
  const statement = database.prepare(`select ${list} from "${table}"`)
  statement.setReturnArrays(true)
  let batch: Array<Values> = []
  let bytes = 0
  for (const values of statement.iterate() as unknown as Iterable<Values>) {
    batch.push(values)
    bytes += bytesOf(values)
    if (batch.length < batchRows && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** Deliveries are beside the store's file, unless it hasn't been started since they were put into its table. */
async function* deliveries(database: DatabaseSync, path: string): AsyncGenerator<ReadonlyArray<Values>> {
  const names = columnsOf(database, "inbox").map(({ name }) => name)
  for await (const rows of Files.rowsBeside(path, database)) {
    yield rows.map((row) => names.map((name) => valueOf(row[name as keyof typeof row])))
  }
}

const valueOf = (value: Uint8Array | number | string | null): Value =>
  typeof value === "number" ? String(value) : value

const side = (database: DatabaseSync, path: string): Side => ({
  name: path,
  columns: async (table) => columnsOf(database, table).map(({ name }) => name),
  rows: (table) => (table === "inbox" && Files.isBeside(database) ? deliveries(database, path) : rows(database, table)),
  put: async (table, batch) => {
    const columns = columnsOf(database, table)
    const names = columns.map(({ name }) => `"${name}"`)
    const insert = database.prepare(
      `insert into "${table}" (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`
    )
    for (const values of batch) {
      insert.run(...columns.map((column, place) => keptAs(column, values[place] ?? null)))
    }
  },
  // SQLite continues after the greatest number by itself.
  count: async () => undefined,
  begin: async () => database.exec("begin immediate"),
  commit: async () => database.exec("commit"),
  meta: async (key) => {
    const row = database.prepare("select value from meta where key = ?").get(key)
    return row === undefined ? undefined : String(row["value"])
  },
  setMeta: async (key, value) => {
    database
      .prepare("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value")
      .run(key, value)
  }
})

const failed = (path: string, cause: unknown) =>
  new MoveError({ message: `${path} can't be used: ${cause instanceof Error ? cause.message : String(cause)}` })

/** First opened as the worker opens it, which migrates or refuses it. */
const open = (path: string, isSource: boolean): Open =>
  Effect.gen(function* () {
    yield* Effect.scoped(Effect.provide(Effect.asVoid(Store), Sqlite.layerAt(path), { local: true })).pipe(
      Effect.mapError((cause) => failed(path, cause))
    )
    const database = yield* Effect.acquireRelease(
      Effect.try({ try: () => openFile(path), catch: (cause) => failed(path, cause) }),
      (opened) => Effect.sync(() => opened.close())
    )
    const verdict = isSource ? yield* checked(database, path) : "ok"
    return verdict === "ok" ? side(database, path) : yield* failed(path, `it is damaged (${verdict})`)
  })

const checked = (database: DatabaseSync, path: string) =>
  Effect.try({
    try: () => String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]),
    catch: (cause) => failed(path, cause)
  })

export const target = (path: string): Open => open(path, false)

export const source = (path: string): Open =>
  Effect.gen(function* () {
    if (!existsSync(path)) return yield* new MoveError({ message: `There is no store to move: ${path}.` })
    return yield* open(path, true)
  })
