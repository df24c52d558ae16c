/**
 * Erases from the rows of an embedded Store that isn't in use: from every text that isn't part of a key. The books keep what
 * they have: amounts, ids and what people wrote when they decided are linked by hashes and were sent to accounting; only the
 * answers of look-ups that facts rest on lose something, and keep the hash of what had come.
 */
import { hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import * as Erasure from "../../Domain/Erasure.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import { ledger } from "../../Stores/Tables/Ledger.ts"
import type { Counts, RowsFound } from "./Engine.ts"

export const evidence = "ledger_evidence"
export const books: ReadonlySet<string> = new Set(Object.keys(ledger).filter((name) => name !== evidence))
/** They say what was erased, without saying it. */
export const tombstones: ReadonlySet<string> = new Set(["erasures", "erased_bodies"])
/** Which service and which files the Store belongs to. */
const identity: ReadonlySet<string> = new Set(["service", "inbox", "row_log", "warehouse_id"])
export const isIdentity = (key: string): boolean => identity.has(key)
const notIdentity = `key not in (${[...identity].map((key) => `'${key}'`).join(", ")})`

interface Texts {
  readonly table: string
  readonly key: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const quoted = (name: string): string => `"${name}"`

/** In the file as it is. */
const textsOf = (database: DatabaseSync): ReadonlyArray<Texts> =>
  storeTables
    .filter(({ name, only }) => only !== "postgres" && name !== "inbox" && !tombstones.has(name))
    .map(({ columns, key, name: table }) => {
      const texts = columns.filter(({ type }) => type.sqlite === "text" || type.sqlite === "any")
      return {
        table,
        key: texts.flatMap(({ name }) => (key.includes(name) ? [name] : [])),
        others: texts.flatMap(({ name }) => (key.includes(name) ? [] : [name]))
      }
    })
    .filter(({ table }) => database.prepare("select 1 from sqlite_schema where name = ?").get(table) !== undefined)

const keyOf = (table: string): ReadonlyArray<string> => storeTables.find(({ name }) => name === table)?.key ?? []

type Value = string | number | bigint | Uint8Array | null
type Row = Readonly<Record<string, Value>>

interface Change {
  readonly row: Row
  readonly texts: Readonly<Record<string, string>>
}

const keepsNone: Erasure.IsKept = () => false

const changesIn = function* (
  database: DatabaseSync,
  { others, table }: Texts,
  redact: Erasure.Redact,
  isKept: Erasure.IsKept
): Generator<Change> {
  const names = [...keyOf(table), ...others].map(quoted).join(", ")
  const where = table === "meta" ? ` where ${notIdentity}` : ""
  for (const row of database.prepare(`select ${names} from ${quoted(table)}${where}`).iterate() as Iterable<Row>) {
    const texts: Record<string, string> = {}
    for (const name of others) {
      const text = row[name]
      const left = typeof text === "string" ? Erasure.redactText(text, redact, isKept) : undefined
      if (left !== undefined) texts[name] = left
    }
    if (Object.keys(texts).length > 0) yield { row, texts }
  }
}

const countOf = (all: Iterable<unknown>): number => {
  let count = 0
  for (const _ of all) count++
  return count
}

const inKeys = (database: DatabaseSync, { key, table }: Texts, redact: Erasure.Redact): number => {
  if (key.length === 0) return 0
  const rows = database.prepare(`select ${key.map(quoted).join(", ")} from ${quoted(table)}`).iterate() as Iterable<Row>
  let count = 0
  for (const row of rows) {
    if (Object.values(row).some((text) => typeof text === "string" && redact(text, null) !== text)) count++
  }
  return count
}

const named = (counts: ReadonlyArray<readonly [string, number]>): Counts =>
  Object.fromEntries(counts.filter(([, count]) => count > 0))

/** What would go and what stays; nothing is changed. */
export const look = (database: DatabaseSync, redact: Erasure.Redact): RowsFound => {
  const all = textsOf(database).map((texts) => {
    const { table } = texts
    const found = countOf(changesIn(database, texts, redact, keepsNone))
    return { table, found, inKey: inKeys(database, texts, redact) }
  })
  return {
    changed: named(all.map(({ found, table }) => [table, books.has(table) ? 0 : found])),
    kept: named(all.map(({ found, inKey, table }) => [table, inKey + (books.has(table) ? found : 0)]))
  }
}

/** Triggers refuse changes of append-only rows, and log them: the log is made again as a whole. */
const withoutTriggers = (database: DatabaseSync, table: string, use: () => void): void => {
  const triggers = database
    .prepare("select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?")
    .all(table)
  for (const { name } of triggers) database.exec(`drop trigger ${quoted(String(name))}`)
  use()
  for (const { sql } of triggers) database.exec(String(sql))
}

/** In one transaction. `note`: hears the hash of each answer that loses something. */
export const erase = (
  database: DatabaseSync,
  { isKept, redact }: { readonly redact: Erasure.Redact; readonly isKept: Erasure.IsKept },
  note: (sha256: string) => void
): void => {
  for (const texts of textsOf(database).filter(({ table }) => !books.has(table))) {
    const { table } = texts
    const isAnswer = table === evidence
    const changes = [...changesIn(database, texts, redact, isAnswer ? isKept : keepsNone)]
    if (changes.length === 0) continue
    withoutTriggers(database, table, () => {
      for (const { row, texts: left } of changes) {
        if (isAnswer) note(originalOf(database, row))
        const set = Object.keys(left).map((name) => `${quoted(name)} = ?`)
        const key = keyOf(table)
        database
          .prepare(
            `update ${quoted(table)} set ${set.join(", ")} where ${key.map((name) => `${quoted(name)} is ?`).join(" and ")}`
          )
          .run(...Object.values(left), ...key.map((name) => row[name] ?? null))
      }
    })
  }
}

/** As the fact names it, which an earlier erasure may have changed. */
const originalOf = (database: DatabaseSync, { body, fact }: Row): string => {
  const content = database.prepare("select content from ledger_facts where number = ?").get(fact ?? null)?.["content"]
  const named = (JSON.parse(String(content ?? "{}")) as { readonly sha256?: string }).sha256
  return named ?? hash("sha256", String(body))
}
