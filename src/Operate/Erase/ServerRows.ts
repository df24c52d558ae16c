/**
 * Erases from the rows of a Store in PostgreSQL, by the same rules as for an embedded one (`Rows`): from bodies and
 * headers of deliveries, and from every text that isn't part of a key. The books keep their contents.
 */
import type { Client } from "pg"
import * as Erasure from "../../Domain/Erasure.ts"
import { appendOnly, placed } from "../../Stores/Postgres/Rights.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import type { Without } from "./Engine.ts"
import { mostBytes } from "./Inbox.ts"
import { books, evidence, factOf, goes, isIdentity, leftOf as leftIn, originalOf, tombstones } from "./Rows.ts"
import { atomically, batches, type Change, type Column, type Row, update } from "./ServerScan.ts"
import type { Seek } from "./Seek.ts"

export interface Texts {
  readonly name: string
  /** Including its schema. */
  readonly table: string
  readonly columns: ReadonlyArray<Column>
  readonly keys: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const text = "text"

/** Every table of the Store that has texts, except those that record what was erased. */
export const all: ReadonlyArray<Texts> = storeTables
  .filter(({ name, only }) => only !== "sqlite" && name !== "inbox" && !tombstones.has(name))
  .map(({ columns, key, name }) => {
    const texts = columns.filter(({ type }) => type.sqlite === "text" || type.sqlite === "any")
    return {
      name,
      table: placed(name),
      columns: [
        ...texts.map((column) => ({ name: column.name, type: text })),
        ...(name === evidence
          ? Object.entries(factOf("ledger.")).map(([column, of]) => ({ name: column, type: text, of }))
          : [])
      ],
      keys: texts.flatMap((column) => (key.includes(column.name) ? [column.name] : [])),
      others: texts.flatMap((column) => (key.includes(column.name) ? [] : [column.name]))
    }
  })
  .filter(({ keys, others }) => keys.length + others.length > 0)

/** Only the owner may change their rows, for a moment. */
export const isGuarded = ({ name }: Texts): boolean => appendOnly.includes(name)
export const isBook = ({ name }: Texts): boolean => books.has(name)

/** What is left of a row's texts; undefined if they contain nothing of it. */
export const leftOf = (texts: Texts, { place, values }: Row, without: Without): Change | undefined => {
  if (texts.name === "meta" && isIdentity(String(values["key"]))) return undefined
  const left = leftIn(texts, values, without)
  return left && { place, values: left }
}

export const loses = (texts: Texts, row: Row, without: Without): boolean =>
  goes(texts.name, row.values, without) || leftOf(texts, row, without) !== undefined

/** `sequence`: null for an answer. */
type Lost = readonly [sha256: string, sequence: number | null]

const noted = (client: Client, erasure: number, lost: ReadonlyArray<Lost>) =>
  client.query(
    `insert into siteledger.erased_bodies (body_sha256, erasure, sequence)
     select sha256, $1, sequence from unnest($2::text[], $3::bigint[]) as lost (sha256, sequence)
     on conflict (body_sha256) do nothing`,
    [erasure, lost.map(([sha256]) => sha256), lost.map(([, sequence]) => sequence)]
  )

export const eraseRows = async (client: Client, texts: Texts, without: Without): Promise<void> => {
  for await (const rows of batches(client, texts.table, texts.columns)) {
    const gone = rows.filter(({ values }) => goes(texts.name, values, without))
    const changes = rows.flatMap((row) => (gone.includes(row) ? [] : (leftOf(texts, row, without) ?? [])))
    await update(client, texts.table, texts.columns, changes)
    if (gone.length > 0)
      await client.query(`delete from ${texts.table} where ctid = any($1::tid[])`, [gone.map(({ place }) => place)])
  }
}

/** A session that may change them, in the same database. */
export const isIn = async (client: Client, texts: Texts, without: Without): Promise<boolean> => {
  for await (const rows of batches(client, texts.table, texts.columns)) {
    if (rows.some((row) => leftOf(texts, row, without) !== undefined)) return true
  }
  return false
}

export interface Guarded {
  readonly client: Client
  /** Runs as `owner`, who takes the right for one transaction, in which no trigger refuses it. */
  readonly owner: Client
  readonly erasure: number
}

/** Returns the same objects if they contain nothing of it. */
export const eraseGuarded = async (
  { client, erasure, owner }: Guarded,
  texts: Texts,
  without: Without
): Promise<void> => {
  for await (const rows of batches(client, texts.table, texts.columns)) {
    const changed = rows.flatMap((row) => {
      const change = leftOf(texts, row, without)
      return change === undefined ? [] : [{ row, change }]
    })
    if (changed.length === 0) continue
    if (texts.name === evidence)
      await noted(
        client,
        erasure,
        changed.map(({ row }): Lost => [originalOf(row.values), null])
      )
    await atomically(owner, async () => {
      await owner.query(`grant update on ${texts.table} to current_user`)
      await owner.query(`alter table ${texts.table} disable trigger user`)
      await update(
        owner,
        texts.table,
        texts.columns,
        changed.map(({ change }) => change)
      )
      await owner.query(`alter table ${texts.table} enable trigger user`)
      await owner.query(`revoke update on ${texts.table} from current_user`)
    })
  }
}

const inbox = "siteledger.inbox"

const inboxColumns: ReadonlyArray<Column> = [
  { name: "sequence", type: "bigint" },
  { name: "body_sha256", type: "bytea" },
  { name: "headers", type: text },
  { name: "body", type: "bytea" }
]

interface Delivery {
  readonly body: Buffer
  readonly headers: string | null
}

/** Bodies keep the hash of the original. */
const withoutIn = ({ body, headers }: Delivery, redact: Erasure.Redactor, read: Erasure.Read): Delivery => {
  const pairs = headers === null ? [] : (JSON.parse(headers) as ReadonlyArray<string>)
  const left = Erasure.redactPairs(pairs, redact)
  const areSame = left.every((each, at) => each === pairs[at])
  const less = Erasure.redactBody(body, mostBytes, redact, read)
  return {
    headers: areSame ? headers : JSON.stringify(left),
    body: less === undefined ? body : Buffer.from(less)
  }
}

const deliveryOf = ({ values }: Row): Delivery => ({
  body: values["body"] as Buffer,
  headers: values["headers"] as string | null
})

export interface InboxFound {
  losing: number
  keeping: number
}

export const lookIntoInbox = async (
  client: Client,
  seeks: ReadonlyArray<Seek>,
  { bodies }: Erasure.Reads
): Promise<ReadonlyArray<InboxFound>> => {
  const found = seeks.map(() => ({ losing: 0, keeping: 0 }))
  for await (const rows of batches(client, inbox, inboxColumns)) {
    for (const row of rows) {
      for (const [at, seek] of seeks.entries()) {
        const text = Erasure.textOf(deliveryOf(row).body, mostBytes)
        if (text === undefined || !seek.mayBeIn(text)) continue
        const left = Erasure.redactText(text, seek, bodies)
        if (left !== undefined) found[at]!.losing++
        if (seek.stays(left ?? text, bodies)) found[at]!.keeping++
      }
    }
  }
  return found
}

/** Bodies keep the hash of what had come. */
export const eraseInbox = async (client: Client, { reads, redact }: Without, erasure: number): Promise<void> => {
  for await (const rows of batches(client, inbox, inboxColumns)) {
    const lost: Array<Lost> = []
    const changes = rows.flatMap((row): ReadonlyArray<Change> => {
      const delivery = deliveryOf(row)
      const { body, headers } = withoutIn(delivery, redact, reads.bodies)
      if (body !== delivery.body)
        lost.push([(row.values["body_sha256"] as Buffer).toString("hex"), Number(row.values["sequence"])])
      const values = {
        ...(body === delivery.body ? {} : { body }),
        ...(headers === delivery.headers ? {} : { headers })
      }
      return Object.keys(values).length === 0 ? [] : [{ place: row.place, values }]
    })
    if (changes.length === 0) continue
    await atomically(client, async () => {
      await noted(client, erasure, lost)
      await update(client, inbox, inboxColumns, changes)
    })
  }
}
