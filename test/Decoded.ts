/**
 * Finds the files below a folder that contain a text, with each file decoded by its format: a segment by its frames,
 * whose bodies may be compressed, and likewise copies of segments; Parquet and DuckDB by every value of every column;
 * SQLite by every page, used or free, and by every value; anything else as bytes. Shares no code with the erasure.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { DatabaseSync } from "node:sqlite"
import { filesBelow } from "./Marked.ts"
import { framesIn } from "../src/Stores/Segments/Segment.ts"

/** As it is, and as JSON may write it. */
const spellings = (text: string): ReadonlyArray<string> => {
  const escaped = text.replaceAll(
    /[^ -~]/g,
    (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0")
  )
  return [
    ...new Set([
      text,
      JSON.stringify(text).slice(1, -1),
      escaped,
      escaped.toUpperCase().replaceAll(String.raw`\U`, String.raw`\u`)
    ])
  ]
}

const attempts = [gunzipSync, inflateSync, brotliDecompressSync, zstdDecompressSync]

/** The bytes, and their unpacked content. */
const unpacked = (bytes: Uint8Array): ReadonlyArray<Buffer> => [
  Buffer.from(bytes),
  ...attempts.flatMap((attempt) => {
    try {
      return [attempt(bytes)]
    } catch {
      return []
    }
  })
]

const isIn = (bytes: Uint8Array, texts: ReadonlyArray<string>): boolean =>
  unpacked(bytes).some((each) =>
    texts.some((text) => each.includes(text) || each.includes(Buffer.from(text, "utf16le")))
  )

const isAmong = (values: Iterable<unknown>, texts: ReadonlyArray<string>): boolean => {
  for (const value of values) {
    if (value instanceof Uint8Array ? isIn(value, texts) : texts.some((text) => String(value).includes(text)))
      return true
  }
  return false
}

const inSqlite = (path: string, texts: ReadonlyArray<string>): boolean => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
    return tables.some(({ name }) =>
      database
        .prepare(`select * from "${String(name)}"`)
        .all()
        .some((row) => isAmong(Object.values(row), texts))
    )
  } finally {
    database.close()
  }
}

const inRows = async (
  connection: DuckDBConnection,
  queries: ReadonlyArray<string>,
  texts: ReadonlyArray<string>
): Promise<boolean> => {
  for (const query of queries) {
    const found = await connection.runAndReadAll(query)
    for (const row of found.getRowsJson())
      if (
        isAmong(
          row.map((value) => JSON.stringify(value)),
          texts
        )
      )
        return true
    for (const row of found.getRows()) {
      const blobs = row.flatMap((value) => (hasBytes(value) ? [value.bytes] : []))
      if (isAmong(blobs, texts)) return true
    }
  }
  return false
}

const connected = async <A>(file: string, use: (connection: DuckDBConnection) => Promise<A>): Promise<A> => {
  const instance = await DuckDBInstance.create(file, file === ":memory:" ? {} : { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  try {
    return await use(connection)
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

const inDuckDb = (file: string, texts: ReadonlyArray<string>): Promise<boolean> =>
  connected(file, async (connection) => {
    const tables = await connection.runAndReadAll(
      "select schema_name, table_name from duckdb_tables() where not internal"
    )
    const asked = tables.getRows().map(([schema, table]) => `from "${String(schema)}"."${String(table)}"`)
    return inRows(connection, asked, texts)
  })

const hasBytes = (value: unknown): value is { readonly bytes: Uint8Array } =>
  typeof value === "object" && value !== null && "bytes" in value

const inSegment = (bytes: Buffer, texts: ReadonlyArray<string>): boolean =>
  [...framesIn(bytes)].some((frame) => frame.kind === "first" && isIn(frame.body, texts))

/** `memory`: of a DuckDB without a file. */
const holds = async (memory: DuckDBConnection, path: string, texts: ReadonlyArray<string>): Promise<boolean> => {
  const bytes = readFileSync(path)
  if (isIn(bytes, texts)) return true
  if (bytes.subarray(0, 15).toString("latin1") === "SQLite format 3") return inSqlite(path, texts)
  if (bytes.subarray(8, 12).toString("latin1") === "DUCK") return inDuckDb(path, texts)
  if (bytes.subarray(0, 4).toString("latin1") === "PAR1")
    return inRows(memory, [`from read_parquet('${path.replaceAll("'", "''")}')`], texts)
  return path.endsWith(".log") && inSegment(bytes, texts)
}

/** Relative to the folder, in the order of their names. */
export const holders = (folder: string, text: string): Promise<ReadonlyArray<string>> =>
  connected(":memory:", async (memory) => {
    const found: Array<string> = []
    for (const path of filesBelow(folder)) {
      if (await holds(memory, path, spellings(text))) found.push(path.slice(join(folder, "/").length))
    }
    return found.toSorted()
  })
