/**
 * Erases from the rows of an embedded Store that isn't in use: from every text that isn't part of a key. The books keep
 * their contents: amounts, ids and what people wrote when they decided are linked by hashes and were sent to
 * accounting. Only the answers of look-ups on which facts rest lose something, and keep the hash of the original.
 */
import { hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { keepsAt } from "../../Domain/ErasedRecord.ts"
import * as Erasure from "../../Domain/Erasure.ts"
import * as Json from "../../Domain/Json.ts"
import * as JsonPointer from "../../Domain/JsonPointer.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import { ledger } from "../../Stores/Tables/Ledger.ts"
import type { Counts, RowsFound, Without } from "./Engine.ts"
import type { Seek } from "./Seek.ts"

export const evidence = "ledger_evidence"
export const books: ReadonlySet<string> = new Set(Object.keys(ledger).filter((name) => name !== evidence))
/** These record what was erased, without revealing it. */
export const tombstones: ReadonlySet<string> = new Set(["erasures", "erased_bodies"])
/** Identifies the service and the files to which the Store belongs. */
const identity: ReadonlySet<string> = new Set(["service", "inbox", "row_log", "warehouse_id"])
export const isIdentity = (key: string): boolean => identity.has(key)
const notIdentity = `key not in (${[...identity].map((key) => `'${key}'`).join(", ")})`

interface Texts {
  readonly name: string
  readonly keys: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const quoted = (name: string): string => `"${name}"`

/** Listed records that can't be copied. */
const badRecords = "record_quarantine"
/** The subject of facts. */
const ipcs = "ipcs"

/** The content of the fact that rests on an answer, as SQL; `schema` may be empty. */
export const factOf = (schema: string): Readonly<Record<"content" | "ipc_id", string>> => ({
  ipc_id: `(select ipc_id from ${schema}ledger_facts where number = fact)`,
  content: `(select content from ${schema}ledger_facts where number = fact)`
})

type Values = Readonly<Record<string, unknown>>

interface Fact {
  readonly sha256?: string
  readonly places?: Readonly<Record<string, string>>
}

const contentOf = ({ content }: Values): Fact => JSON.parse(String(content ?? "{}")) as Fact

/** The hash of an answer as its fact names it; an earlier erasure may have changed the answer. */
export const originalOf = (row: Values): string => contentOf(row).sha256 ?? hash("sha256", String(row["body"]))

/**
 * How a row's texts are read. An answer is about the IPC of its fact, and keeps the fields from which the fact was
 * read.
 */
export const readOf = (table: string, row: Values, { answers, records }: Erasure.Reads): Erasure.Read => {
  if (table === badRecords) return records(String(row["resource"]))
  if (table !== evidence) return Erasure.plain
  const kept = Object.values(contentOf(row).places ?? {}).map((place) => JsonPointer.steps(place).join("."))
  const about = [{ table: ipcs, id: String(row["ipc_id"]) }]
  return { isKept: answers, records: (value) => (Json.isObject(value) ? about : []), keeps: keepsAt({ kept }) }
}

/** The record that a row describes, by its columns, if the row isn't a record of the service. */
const recordOf = ({ id, ipc_id: ipc, resource }: Values): Erasure.Named | undefined => {
  if (typeof resource === "string" && typeof id === "string") return { table: resource, id }
  return typeof ipc === "string" ? { table: ipcs, id: ipc } : undefined
}

/**
 * Whether a row is removed as a whole: it may be the record, and this can't be determined. If it isn't, a walk finds it
 * again.
 */
export const goes = (table: string, row: Values, { reads, redact }: Without): boolean =>
  table === badRecords && redact.hasErased(String(row["resource"])) && readOf(table, row, reads).isUnnamed === true

/** Whether a row keeps it: in its key, by its columns, or in a record whose subject isn't known. */
export const keeps = (
  { keys, name }: { readonly name: string; readonly keys: ReadonlyArray<string> },
  row: Values,
  seek: Seek,
  reads: Erasure.Reads
): boolean => {
  if (goes(name, row, { redact: seek, reads })) return false
  const about = recordOf(row)
  if (name !== evidence && about !== undefined && seek.isErased(about)) return true
  if (keys.some((key) => typeof row[key] === "string" && seek.text(row[key], null) !== row[key])) return true
  const text = name === badRecords ? row["record"] : undefined
  const read = readOf(name, row, reads)
  return typeof text === "string" && seek.stays(Erasure.redactText(text, seek, read) ?? text, read)
}

/** What is left of the texts of a row that lose something; undefined if none does. */
export const leftOf = (
  { name, others }: { readonly name: string; readonly others: ReadonlyArray<string> },
  row: Values,
  { reads, redact }: Without
): Readonly<Record<string, string>> | undefined => {
  const read = readOf(name, row, reads)
  const left: Record<string, string> = {}
  for (const column of others) {
    const value = row[column]
    const less = typeof value === "string" ? Erasure.redactText(value, redact, read) : undefined
    if (less !== undefined) left[column] = less
  }
  return Object.keys(left).length === 0 ? undefined : left
}

export const loses = (texts: Parameters<typeof leftOf>[0], row: Values, without: Without): boolean =>
  goes(texts.name, row, without) || leftOf(texts, row, without) !== undefined

/** In the current file. */
const textsOf = (database: DatabaseSync): ReadonlyArray<Texts> =>
  storeTables
    .filter(({ name, only }) => only !== "postgres" && name !== "inbox" && !tombstones.has(name))
    .map(({ columns, key, name }) => {
      const texts = columns.filter(({ type }) => type.sqlite === "text" || type.sqlite === "any")
      return {
        name,
        keys: texts.flatMap((column) => (key.includes(column.name) ? [column.name] : [])),
        others: texts.flatMap((column) => (key.includes(column.name) ? [] : [column.name]))
      }
    })
    .filter(({ name }) => database.prepare("select 1 from sqlite_schema where name = ?").get(name) !== undefined)

const keyOf = (table: string): ReadonlyArray<string> => storeTables.find(({ name }) => name === table)?.key ?? []

type Value = string | number | bigint | Uint8Array | null
type Row = Readonly<Record<string, Value>>

const rowsIn = (database: DatabaseSync, { name, others }: Texts): Iterable<Row> => {
  const names = [...new Set([...keyOf(name), ...others])].map(quoted)
  const more = name === evidence ? Object.entries(factOf("")).map(([column, of]) => `${of} as ${column}`) : []
  const where = name === "meta" ? ` where ${notIdentity}` : ""
  return database
    .prepare(`select ${[...names, ...more].join(", ")} from ${quoted(name)}${where}`)
    .iterate() as Iterable<Row>
}

const named = (counts: ReadonlyArray<readonly [string, number]>): Counts =>
  Object.fromEntries(counts.filter(([, count]) => count > 0))

/** What would be removed and what would stay; nothing is changed. */
export const look = (database: DatabaseSync, seek: Seek, reads: Erasure.Reads): RowsFound => {
  const all = textsOf(database).map((texts) => {
    const found = { name: texts.name, changed: 0, kept: 0 }
    for (const row of rowsIn(database, texts)) {
      if (loses(texts, row, { redact: seek, reads })) found[books.has(texts.name) ? "kept" : "changed"]++
      if (keeps(texts, row, seek, reads)) found.kept++
    }
    return found
  })
  return {
    changed: named(all.map(({ changed, name }) => [name, changed])),
    kept: named(all.map(({ kept, name }) => [name, kept]))
  }
}

/** Triggers refuse changes of append-only rows, and log other changes: the log is rebuilt as a whole. */
const withoutTriggers = (database: DatabaseSync, table: string, use: () => void): void => {
  const triggers = database
    .prepare("select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?")
    .all(table)
  for (const { name } of triggers) database.exec(`drop trigger ${quoted(String(name))}`)
  use()
  for (const { sql } of triggers) database.exec(String(sql))
}

/** In one transaction. `note`: is told the hash of each answer that loses something. */
export const erase = (database: DatabaseSync, without: Without, note: (sha256: string) => void): void => {
  for (const texts of textsOf(database).filter(({ name }) => !books.has(name))) {
    const { name } = texts
    const changes: Array<{ readonly row: Row; readonly left: Readonly<Record<string, string>> }> = []
    const gone: Array<Row> = []
    for (const row of rowsIn(database, texts)) {
      if (goes(name, row, without)) {
        gone.push(row)
        continue
      }
      const left = leftOf(texts, row, without)
      if (left !== undefined) changes.push({ row, left })
    }
    if (changes.length + gone.length === 0) continue
    withoutTriggers(database, name, () => {
      const key = keyOf(name)
      const where = key.map((column) => `${quoted(column)} is ?`).join(" and ")
      for (const row of gone)
        database.prepare(`delete from ${quoted(name)} where ${where}`).run(...key.map((column) => row[column] ?? null))
      for (const { left, row } of changes) {
        if (name === evidence) note(originalOf(row))
        const set = Object.keys(left).map((column) => `${quoted(column)} = ?`)
        database
          .prepare(`update ${quoted(name)} set ${set.join(", ")} where ${where}`)
          .run(...Object.values(left), ...key.map((column) => row[column] ?? null))
      }
    })
  }
}
