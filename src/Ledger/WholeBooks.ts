/**
 * Reads the complete books of one IPC after the other, for verification: each row once, along the indexes by IPC, a few
 * hundred at a time, so that memory doesn't grow with the books.
 */
import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely"
import { Effect } from "effect"
import { asOfNow, atOnce, listedNumbers, manyRows } from "../Stores/Sql.ts"
import type { Reader, StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { Fact } from "./Fact.ts"
import * as Rows from "./Rows.ts"

type Db = Kysely<StoreTables>
type EntryRow = Selectable<StoreTables["ledger_entries"]>
type HoldRow = Selectable<StoreTables["ledger_holds"]>
type DecisionRow = Selectable<StoreTables["ledger_hold_decisions"]>

/** With the link of the preceding fact among all facts; null if that fact has none, or doesn't exist. */
export type FactRow = Selectable<StoreTables["ledger_facts"]> & { readonly before: string | null }

/** Everything that the Store holds about an IPC: its facts, and the rows that they led to, in order. */
export interface WholeBooks {
  readonly ipcId: string
  readonly facts: ReadonlyArray<Fact>
  /** The same facts, as they are stored. */
  readonly stored: ReadonlyArray<FactRow>
  readonly entries: ReadonlyArray<EntryRow>
  readonly holds: ReadonlyArray<HoldRow>
  readonly decisions: ReadonlyArray<DecisionRow>
}

/** IPCs in the order of the database: those after one, up to another or to the last one. */
export interface Range {
  readonly after: string
  readonly through: string | undefined
}

export const isWithin = (column: string, { after, through }: Range): RawBuilder<boolean> => {
  const name = sql.ref(column)
  return through === undefined ? sql`${name} > ${after}` : sql`${name} > ${after} and ${name} <= ${through}`
}

/**
 * The garbage collector copies young objects as long as they live. Of a few hundred facts with what they brought, most
 * are dead before the first copy. On a server, each page takes a round trip, which costs more than copying the objects
 * of a thousand facts.
 */
const factsAtOnce = { embedded: 300, server: 1000 }

const factColumns = {
  number: "number",
  ipc_id: "text",
  kind: "text",
  known_at: "text",
  content: "text",
  chain: "text or null",
  before: "text or null"
} as const

const factsWhere = (where: RawBuilder<unknown>) => sql<FactRow>`
  select each.*, (select last.chain from ledger_facts last where last.number = each.number - 1) as before
  from ledger_facts each where ${where}`

/** Facts of whole IPCs: as many IPCs as fit, but at least one. */
const factsIn = async (tx: Db, range: Range): Promise<Pick<Range, "through"> & { rows: ReadonlyArray<FactRow> }> => {
  const most = atOnce(tx, factsAtOnce)
  const page = factsWhere(sql`${isWithin("ipc_id", range)} order by ipc_id, number limit ${most}`)
  const rows = await manyRows(tx, page, factColumns)
  const last = rows.at(-1)
  if (last === undefined || rows.length < most) return { rows, through: range.through }
  const begun = rows.findIndex(({ ipc_id }) => ipc_id === last.ipc_id)
  const before = rows[begun - 1]
  if (before !== undefined) return { rows: rows.slice(0, begun), through: before.ipc_id }
  const others = factsWhere(sql`ipc_id = ${last.ipc_id} and number > ${last.number} order by number`)
  return { rows: [...rows, ...(await others.execute(tx)).rows], through: last.ipc_id }
}

const rowsIn = async <A extends { readonly ipc_id: string }>(
  tx: Db,
  table: "ledger_entries" | "ledger_holds",
  range: Range,
  order: string
): Promise<ReadonlyMap<string, ReadonlyArray<A>>> => {
  const { rows } = await sql<A>`
    select * from ${sql.table(table)} where ${isWithin("ipc_id", range)} order by ipc_id, ${sql.ref(order)}`.execute(tx)
  return Map.groupBy(rows, ({ ipc_id }) => ipc_id)
}

/**
 * Decisions have no index by IPC, so those of a range are read once, and from then on only new ones. They never change,
 * and are numbered without gaps.
 */
class Decisions {
  readonly #ofIpcs = new Map<string, Array<DecisionRow>>()
  /** Undefined if none was read. A forged decision may have any number, even less than 1. */
  #through: number | undefined

  /** `left`: the part of the range that hasn't been read yet. */
  async read(tx: Db, left: Range): Promise<void> {
    const newest = await tx
      .selectFrom("ledger_hold_decisions")
      .select((of) => of.fn.max("number").as("number"))
      .executeTakeFirst()
    const through = Number(newest?.number ?? 0)
    if (through === this.#through) return
    const isNew = this.#through === undefined ? sql`true` : sql`number > ${this.#through}`
    const { rows } = await sql<DecisionRow>`
      select * from ledger_hold_decisions where ${isNew} and ${isWithin("ipc_id", left)} order by number`.execute(tx)
    for (const row of rows) {
      const before = this.#ofIpcs.get(row.ipc_id)
      if (before === undefined) this.#ofIpcs.set(row.ipc_id, [row])
      else before.push(row)
    }
    this.#through = through
  }

  /** Returns the decisions of an IPC and forgets them. */
  take(ipcId: string): ReadonlyArray<DecisionRow> {
    const rows = this.#ofIpcs.get(ipcId) ?? []
    this.#ofIpcs.delete(ipcId)
    return rows
  }

  /** IPCs whose decisions weren't taken. */
  get left(): ReadonlyArray<string> {
    return [...this.#ofIpcs.keys()]
  }
}

export interface Page {
  readonly range: Range
  /**
   * Each is made only when it is asked for, so the objects made for earlier IPCs needn't live until the last one is
   * done.
   */
  readonly books: Iterable<WholeBooks>
}

/** Runs within a transaction that sees one point in time. */
const pageOf = async (tx: Db, within: Range, decisions: Decisions): Promise<Page> => {
  await decisions.read(tx, within)
  const { rows, through } = await factsIn(tx, within)
  const range: Range = { after: within.after, through }
  const facts = Map.groupBy(rows, ({ ipc_id }) => ipc_id)
  const entries = await rowsIn<EntryRow>(tx, "ledger_entries", range, "sequence")
  const holds = await rowsIn<HoldRow>(tx, "ledger_holds", range, "hold_id")
  // For an IPC that has only decisions, its position among the others isn't known here.
  const alone = through === within.through ? decisions.left : []
  const ids = new Set([...facts.keys(), ...entries.keys(), ...holds.keys(), ...alone])
  function* made(): Generator<WholeBooks> {
    for (const ipcId of ids) {
      const stored = facts.get(ipcId) ?? []
      yield {
        ipcId,
        facts: stored.map(Rows.toFact),
        stored,
        entries: entries.get(ipcId) ?? [],
        holds: holds.get(ipcId) ?? [],
        decisions: decisions.take(ipcId)
      }
    }
  }
  return { range, books: made() }
}

/** `look`: runs in the transaction that reads the books. Events keep arriving meanwhile. */
export const each = (
  store: Reader,
  { after: first, through: last }: Range,
  look: (tx: Db, page: Page) => Promise<void>
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const decisions = new Decisions()
    for (let after: string | undefined = first; after !== undefined && after !== last;) {
      const from: string = after
      after = yield* store.transaction(async (tx) => {
        await asOfNow(tx)
        const page = await pageOf(tx, { after: from, through: last }, decisions)
        await look(tx, page)
        return page.range.through
      })
      yield* Effect.yieldNow
    }
  })

export const all: Range = { after: "", through: undefined }

/**
 * All IPCs in at most this many ranges, with about the same number of facts each: cut at the IPCs of some facts that
 * lie far apart.
 */
export const ranges = async (db: Db, count: number): Promise<ReadonlyArray<Range>> => {
  const newest = await db
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("number"))
    .executeTakeFirst()
  const step = Number(newest?.number ?? 0) / count
  const numbers = Array.from({ length: count - 1 }, (_, n) => Math.ceil((n + 1) * step))
  const ends = await db
    .selectFrom("ledger_facts")
    .select("ipc_id")
    .distinct()
    .where("number", "in", listedNumbers(db, numbers))
    .orderBy("ipc_id")
    .execute()
  const cuts = ends.map((row) => row.ipc_id)
  return ["", ...cuts].map((after, n) => ({ after, through: cuts[n] }))
}
