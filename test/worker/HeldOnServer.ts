/**
 * Where a PostgreSQL database holds a text: its tables as text and as bytes, including the server's own statistics of
 * frequent values; and the files of its folder, byte by byte, including dead rows. Shares no code with the erasure.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type * as Postgres from "../Postgres.ts"

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** `also`: bytes that stand for it, such as a body that came compressed. */
const inTables = async (
  { query }: Postgres.Database,
  text: string,
  also: ReadonlyArray<Uint8Array>
): Promise<ReadonlyArray<string>> => {
  const tables = await query(`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'm') and nspname not in ('information_schema', 'pg_toast') and relname <> 'pg_largeobject'
      and not relisshared`)
  const hex = [Buffer.from(text), ...also].map((bytes) => quoted(Buffer.from(bytes).toString("hex")))
  const isIn = [quoted(text), ...hex].map((part) => `strpos(t::text, ${part}) > 0`).join(" or ")
  const searches = tables.map(
    ({ name }) => `select ${quoted(String(name))} as name where exists (select from ${name} as t where ${isIn})`
  )
  return (await query(searches.join(" union all "))).map(({ name }) => String(name))
}

/** One letter of a pattern for each byte. */
const letters = (bytes: Uint8Array): ReadonlyArray<string> =>
  [...bytes].map((byte) => String.raw`\x` + byte.toString(16).padStart(2, "0"))

const group = 8

/** As it is, and as the server compresses it (pglz): before each eight letters there is a byte that says they are letters. */
const patterns = (bytes: Uint8Array): ReadonlyArray<RegExp> => {
  const all = letters(bytes)
  const compressed = Array.from({ length: group }, (_, first) => {
    const parts = [all.slice(0, first)]
    for (let at = first; at < all.length; at += group) parts.push(all.slice(at, at + group))
    return parts.map((part) => part.join("")).join(String.raw`[\s\S]`)
  })
  return [all.join(""), ...compressed].map((pattern) => new RegExp(pattern))
}

/** Nothing if it is gone: the server makes some of its files anew meanwhile. */
const readAsItIs = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw cause
  }
}

const inFiles = async (
  { query }: Postgres.Database,
  text: string,
  also: ReadonlyArray<Uint8Array>
): Promise<ReadonlyArray<string>> => {
  const [server] = await query(`
    checkpoint; select current_setting('data_directory') as folder, oid from pg_database where datname = current_database()`)
  const folder = join(String(server?.["folder"]), "base", String(server?.["oid"]))
  const sought = [...patterns(Buffer.from(text)), ...also.flatMap((bytes) => patterns(bytes).slice(0, 1))]
  const files = readdirSync(folder).filter((name) => {
    const bytes = readAsItIs(join(folder, name))
    return sought.some((pattern) => pattern.test(bytes))
  })
  const names = await query(`
    select pg_relation_filenode(oid)::text as file, oid::regclass::text as name from pg_class where relkind in ('r', 't', 'i', 'm')`)
  const nameOf = new Map(names.map(({ file, name }) => [file, name]))
  return files.map((file) => `file of ${nameOf.get(file.replace(/\..*$/, "")) ?? file}`)
}

export const heldOnServer = async (
  database: Postgres.Database,
  text: string,
  also: ReadonlyArray<Uint8Array> = []
): Promise<ReadonlyArray<string>> => [
  ...(await inTables(database, text, also)),
  ...(await inFiles(database, text, also))
]
