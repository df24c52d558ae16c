/**
 * The process that runs a person's SQL on the published copy, started by Query with an empty environment.
 *
 * Guarantees: it runs only one statement that reads, in a sealed DuckDB (see Sealed) and within the limits. A stream
 * that breaks off isn't mistaken for a complete one. The process always ends by SIGKILL: nothing here needs an orderly
 * exit, hostile SQL can make DuckDB's own exit hang or abort, and once standard input ends no one waits for the answer.
 */
import { readdirSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as DuckDB from "@duckdb/node-api"
import * as Rows from "../Stores/DuckDb/Rows.ts"
import * as Frames from "./Frames.ts"
import * as Parquet from "./Parquet.ts"
import * as Reading from "./Reading.ts"
import { open } from "./Sealed.ts"

/** An interrupt that arrives before DuckDB has begun the statement is lost, so it is repeated. */
const lookEveryMillis = 10

/** What Node and DuckDB need beyond the limit; DuckDB's own limit doesn't count single huge values. */
const memoryBesideMb = 384

const flushAt = 64 * 1024

const reads: ReadonlySet<DuckDB.StatementType> = new Set([DuckDB.StatementType.SELECT, DuckDB.StatementType.EXPLAIN])

const numbers: ReadonlySet<DuckDB.DuckDBTypeId> = new Set([
  DuckDB.DuckDBTypeId.TINYINT,
  DuckDB.DuckDBTypeId.SMALLINT,
  DuckDB.DuckDBTypeId.INTEGER,
  DuckDB.DuckDBTypeId.BIGINT,
  DuckDB.DuckDBTypeId.HUGEINT,
  DuckDB.DuckDBTypeId.UTINYINT,
  DuckDB.DuckDBTypeId.USMALLINT,
  DuckDB.DuckDBTypeId.UINTEGER,
  DuckDB.DuckDBTypeId.UBIGINT,
  DuckDB.DuckDBTypeId.UHUGEINT,
  DuckDB.DuckDBTypeId.FLOAT,
  DuckDB.DuckDBTypeId.DOUBLE,
  DuckDB.DuckDBTypeId.DECIMAL
])

let unsent = ""

const flush = (): void => {
  const bytes = Buffer.from(unsent)
  unsent = ""
  for (let sent = 0; sent < bytes.length;) sent += writeSync(Frames.frameFd, bytes, sent)
}

const send = (frame: Frames.Frame): void => {
  unsent += Frames.write(frame)
  if (unsent.length >= flushAt) flush()
}

const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  throw new Error("unreachable")
}

const end = (ended: Frames.Ending["ended"], { message = "", rows = 0 } = {}): never => {
  try {
    send({ ended, message, rows })
    flush()
  } finally {
    die()
  }
  return die()
}

/** Time counts while DuckDB works, not while the reader of the answer is slow. */
const stopwatch = () => {
  let spent = 0
  let since: number | undefined
  return {
    millis: () => spent + (since === undefined ? 0 : performance.now() - since),
    isRunning: () => since !== undefined,
    while: async <A>(work: () => Promise<A>): Promise<A> => {
      since = performance.now()
      try {
        return await work()
      } finally {
        spent += performance.now() - since
        since = undefined
      }
    }
  }
}

const watch = stopwatch()

const bytesIn = (folder: string): number => {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true })) {
    bytes += statSync(join(folder, String(name)), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

const guardDisk = ({ folder, mostBytes }: Frames.Request): void => {
  if (folder === null || mostBytes === undefined) return
  setInterval(() => {
    if (bytesIn(folder) > mostBytes) {
      end("failed", { message: `The answer needs more than the ${mostBytes / 1_000_000} MB of disk that it may use.` })
    }
  }, lookEveryMillis * 5)
}

const guard = (connection: DuckDB.DuckDBConnection, { folder, memoryMb, millis }: Frames.Request): void => {
  const mostMb = memoryMb + memoryBesideMb + (folder === null ? 0 : Parquet.memoryMb)
  setInterval(() => {
    if (process.memoryUsage.rss() > mostMb * 1024 * 1024) {
      end("failed", { message: `The query needs more memory than the ${memoryMb} MB that it may use.` })
    }
    if (watch.isRunning() && watch.millis() > millis) connection.interrupt()
  }, lookEveryMillis)
}

type Tree = Parameters<typeof Reading.judge>[0]

/** DuckDB writes an infinite constant in a form that isn't valid JSON. */
const treeIn = (text: string): Tree => {
  try {
    return JSON.parse(text) as Tree
  } catch {
    throw new Error("A number in the query is too large for a DOUBLE: write 'Infinity'::DOUBLE if you mean infinity.")
  }
}

/** Nothing is bound before the parsed statement has been judged. */
const admit = async (connection: DuckDB.DuckDBConnection, sql: string): Promise<DuckDB.DuckDBPreparedStatement> => {
  const parsed = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [Reading.explained(sql)])
  const verdict = Reading.judge(treeIn(String(parsed.value(0, 0))))
  if (typeof verdict === "object") throw new Error(verdict.refused)
  // DuckDB itself has to agree with the tree: one statement, of a type that reads.
  const statements = await connection.extractStatements(sql)
  if (verdict === "unreadable" || statements.count !== 1) throw new Error(Reading.whatIsRead)
  const statement = await statements.prepare(0)
  if (!reads.has(statement.statementType)) throw new Error(Reading.whatIsRead)
  return statement
}

/** Columns may share a name, so cells are read under unique names. */
const reader = (result: DuckDB.DuckDBResult) => {
  const keys = result.columnNames().map((_, index) => `c${index}`)
  const renamed: DuckDB.DuckDBResult = Object.create(result, { columnNames: { value: () => keys } })
  const rows = Rows.reader(renamed)
  return (chunk: DuckDB.DuckDBDataChunk): ReadonlyArray<Frames.Row> =>
    rows(chunk).map((row) => keys.map((key) => Frames.cell(row[key])))
}

const columnsOf = (result: DuckDB.DuckDBResult): Frames.Columns => ({
  isPlan: result.statementType === DuckDB.StatementType.EXPLAIN,
  columns: result.columnNames().map((name, index) => ({ name, isNumber: numbers.has(result.columnTypeId(index)) }))
})

/** Returns the number of rows. */
const answer = async (connection: DuckDB.DuckDBConnection, request: Frames.Request): Promise<number> => {
  await connection.run("BEGIN TRANSACTION READ ONLY")
  const result = await watch.while(async () => (await admit(connection, request.sql)).stream())
  send(columnsOf(result))
  flush()
  const { add, finish } =
    request.folder === null ? sending(result, request) : await Parquet.keep(request.folder, result)
  for (;;) {
    const chunk = await watch.while(() => result.fetchChunk())
    if (chunk === null || chunk.rowCount === 0) break
    add(chunk)
  }
  // DuckDB's client ends a failed stream as if it were complete; only the transaction knows.
  const isComplete = await connection.run("SELECT 1").then(
    () => true,
    () => false
  )
  if (!isComplete) throw new Error(await whyBroken(connection, request.sql))
  return finish()
}

const sending = (result: DuckDB.DuckDBResult, { rows }: Frames.Request): Parquet.Kept => {
  const read = reader(result)
  let sent = 0
  return {
    add: (chunk) => {
      for (const row of read(chunk)) {
        if (sent === rows) end("cut")
        sendRow(row)
        sent += 1
      }
    },
    finish: async () => {
      flush()
      return sent
    }
  }
}

const sendRow = (row: Frames.Row): void => {
  const before = unsent.length
  unsent += Frames.write(row)
  if (unsent.length - before > Frames.maxRowLength) {
    unsent = unsent.slice(0, before)
    throw new Error("A row is too large to be shown; select fewer or shorter columns.")
  }
  if (unsent.length >= flushAt) flush()
}

/** A broken stream has no message, so the statement is run again in a form that stores nothing. */
const whyBroken = async (connection: DuckDB.DuckDBConnection, sql: string): Promise<string> => {
  await connection.run("ROLLBACK")
  const again = async () => {
    const bare = await connection.runAndReadAll("SELECT json_deserialize_sql(json_serialize_sql($1::VARCHAR))", [sql])
    await connection.run(`SELECT bit_xor(hash(answer)) FROM (${String(bare.value(0, 0))}) answer`)
  }
  const cause = await watch.while(again).then(() => "DuckDB doesn't say why.", messageOf)
  // The line to which it points isn't in the person's statement.
  return `The answer broke off: ${cause.split("\n\nLINE ")[0]}`
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace("Failed to extract statements: ", "")

const unopened = (cause: unknown): never => {
  throw new Error(`${messageOf(cause)}\n\`siteledger publish\` makes a new copy.`)
}

const serve = async (request: Frames.Request): Promise<void> => {
  try {
    const connection = await open(request.file, request.memoryMb).catch(unopened)
    guard(connection, request)
    guardDisk(request)
    end("complete", { rows: await answer(connection, request) })
  } catch (error) {
    const isLate = watch.millis() > request.millis
    const message = isLate ? `Stopped at the time limit of ${request.millis / 1000} s.` : messageOf(error)
    end("failed", { message })
  }
}

const lines = createInterface({ input: process.stdin })
lines.once("close", die)
lines.once("line", (line) => serve(JSON.parse(line)))
