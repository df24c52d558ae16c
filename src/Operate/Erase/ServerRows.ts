/**
 * Erases from the rows of a Store in PostgreSQL, by the same rules as from those of an embedded one (`Rows`): from bodies and
 * headers of deliveries, and from every text that isn't part of a key. The books keep what they have.
 */
import { hash } from "node:crypto"
import type { Client } from "pg"
import * as Erasure from "../../Domain/Erasure.ts"
import { appendOnly, placed } from "../../Stores/Postgres/Rights.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import type { Without } from "./Engine.ts"
import { mostBytes } from "./Inbox.ts"
import { books, evidence, isIdentity, tombstones } from "./Rows.ts"
import { atomically, batches, type Change, type Column, type Row, update } from "./ServerScan.ts"

export interface Texts {
  readonly name: string
  /** With its schema. */
  readonly table: string
  readonly columns: ReadonlyArray<Column>
  readonly keys: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const text = "text"

/** Every table of the Store that has texts, but for what says what was erased. */
export const all: ReadonlyArray<Texts> = storeTables
  .filter(({ name, only }) => only !== "sqlite" && name !== "inbox" && !tombstones.has(name))
  .map(({ columns, key, name }) => {
    const texts = columns.filter(({ type }) => type.sqlite === "text" || type.sqlite === "any")
    return {
      name,
      table: placed(name),
      columns: [
        ...texts.map((column) => ({ name: column.name, type: text })),
        ...(name === evidence ? [{ name: "fact", type: "bigint" }] : [])
      ],
      keys: texts.flatMap((column) => (key.includes(column.name) ? [column.name] : [])),
      others: texts.flatMap((column) => (key.includes(column.name) ? [] : [column.name]))
    }
  })
  .filter(({ keys, others }) => keys.length + others.length > 0)

/** Nobody may change their rows but who owns them, for a moment. */
export const isGuarded = ({ name }: Texts): boolean => appendOnly.includes(name)
export const isBook = ({ name }: Texts): boolean => books.has(name)

const keepsNone: Erasure.IsKept = () => false

/** What is left of a row's texts; undefined if it has nothing of it. */
export const leftOf = (
  { name, others }: Texts,
  { place, values }: Row,
  redact: Erasure.Redact,
  isKept: Erasure.IsKept = keepsNone
): Change | undefined => {
  if (name === "meta" && isIdentity(String(values["key"]))) return undefined
  const left: Record<string, string> = {}
  for (const column of others) {
    const value = values[column]
    const less = typeof value === "string" ? Erasure.redactText(value, redact, isKept) : undefined
    if (less !== undefined) left[column] = less
  }
  return Object.keys(left).length === 0 ? undefined : { place, values: left }
}

export const isInKey = ({ keys }: Texts, { values }: Row, redact: Erasure.Redact): boolean =>
  keys.some((key) => typeof values[key] === "string" && redact(values[key], null) !== values[key])

/** `sequence`: null for an answer. */
type Lost = readonly [sha256: string, sequence: number | null]

const noted = (client: Client, erasure: number, lost: ReadonlyArray<Lost>) =>
  client.query(
    `insert into siteledger.erased_bodies (body_sha256, erasure, sequence)
     select sha256, $1, sequence from unnest($2::text[], $3::bigint[]) as lost (sha256, sequence)
     on conflict (body_sha256) do nothing`,
    [erasure, lost.map(([sha256]) => sha256), lost.map(([, sequence]) => sequence)]
  )

export const eraseRows = async (client: Client, texts: Texts, { redact }: Without): Promise<void> => {
  for await (const rows of batches(client, texts.table, texts.columns)) {
    const changes = rows.flatMap((row) => leftOf(texts, row, redact) ?? [])
    await update(client, texts.table, texts.columns, changes)
  }
}

export interface Guarded {
  readonly client: Client
  /** Of whoever may change them: a session of the same database. */
  readonly owner: Client
  readonly erasure: number
}

/** As `owner`, who takes the right for one transaction, in which no trigger refuses it. */
export const eraseGuarded = async (
  { client, erasure, owner }: Guarded,
  texts: Texts,
  { answers, redact }: Without
): Promise<void> => {
  const isAnswer = texts.name === evidence
  for await (const rows of batches(client, texts.table, texts.columns)) {
    const changed = rows.flatMap((row) => {
      const change = leftOf(texts, row, redact, isAnswer ? answers : keepsNone)
      return change === undefined ? [] : [{ row, change }]
    })
    if (changed.length === 0) continue
    if (isAnswer) {
      const lost: Array<Lost> = []
      for (const { row } of changed) lost.push([await originalOf(client, row), null])
      await noted(client, erasure, lost)
    }
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

/** As the fact names it, which an earlier erasure may have changed. */
const originalOf = async (client: Client, { values }: Row): Promise<string> => {
  const { rows } = await client.query<{ content: string }>(
    "select content from ledger.ledger_facts where number = $1",
    [values["fact"]]
  )
  const named = (JSON.parse(rows[0]?.content ?? "{}") as { readonly sha256?: string }).sha256
  return named ?? hash("sha256", String(values["body"]))
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

const isSame = (one: Delivery, other: Delivery): boolean => one.body === other.body && one.headers === other.headers

/** The same objects if they have nothing of it. */
const withoutIn = ({ body, headers }: Delivery, redact: Erasure.Redact, isKept: Erasure.IsKept): Delivery => {
  const pairs = headers === null ? [] : (JSON.parse(headers) as ReadonlyArray<string>)
  const left = Erasure.redactPairs(pairs, redact)
  const areSame = left.every((each, at) => each === pairs[at])
  const less = Erasure.redactBody(body, mostBytes, redact, isKept)
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
  seeks: ReadonlyArray<Erasure.Redact>,
  isKept: Erasure.IsKept
): Promise<ReadonlyArray<InboxFound>> => {
  const found = seeks.map(() => ({ losing: 0, keeping: 0 }))
  for await (const rows of batches(client, inbox, inboxColumns)) {
    for (const row of rows) {
      for (const [at, redact] of seeks.entries()) {
        const delivery = deliveryOf(row)
        // Most have nothing of it, which one reading tells.
        if (isSame(withoutIn(delivery, redact, keepsNone), delivery)) continue
        const left = withoutIn(delivery, redact, isKept)
        if (left.body !== delivery.body) found[at]!.losing++
        if (!isSame(withoutIn(left, redact, keepsNone), left)) found[at]!.keeping++
      }
    }
  }
  return found
}

/** Bodies keep the hash of what had come. */
export const eraseInbox = async (client: Client, { bodies, redact }: Without, erasure: number): Promise<void> => {
  for await (const rows of batches(client, inbox, inboxColumns)) {
    const lost: Array<Lost> = []
    const changes = rows.flatMap((row): ReadonlyArray<Change> => {
      const delivery = deliveryOf(row)
      const { body, headers } = withoutIn(delivery, redact, bodies)
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
