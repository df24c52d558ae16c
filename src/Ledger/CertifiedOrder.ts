/**
 * In which order the IPCs of each project were certified. Where certificates are cumulative, what is due for one
 * depends on the one before it. So each IPC's books are told what precedes it, as part of their facts, and folding them
 * again needs no other books.
 *
 * The order has its own table, written in the transaction of the facts that it follows from
 * (`CertifiedOrder/OpenOrder`).
 */
import { type Kysely, sql, type Transaction } from "kysely"
import { readMeta, writeMeta } from "../Stores/Store.ts"
import { insertAll, joinedFirst } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { neighbour, positionIn, rowOf } from "./CertifiedOrder/Neighbours.ts"
import type { Told } from "./CertifiedOrder/OpenOrder.ts"
import type { Preceding, Terms } from "./Fact.ts"
import { certifiedAs, hasCumulative } from "./Fold/CertifiedAs.ts"
import type { Books } from "./Fold/Known.ts"
import { type Position, positionOf, precedingOf } from "./Fold/Position.ts"
import { ipcsAfter, read } from "./StoredBooks.ts"
import { isWithin, type Range } from "./WholeBooks.ts"

type Db = Kysely<StoreTables>
type Tx = Transaction<StoreTables>
type Row = StoreTables["ledger_certified"]

/** Set in the Store's meta once the table contains every IPC of the books. */
export const key = "ledger_certified"

const rowsAtOnce = 1000

/** Books of earlier versions have no order. */
export const ensure = async (tx: Tx): Promise<void> => {
  if ((await readMeta(tx, key)) === undefined) await make(tx)
}

/** Makes the order from the books. */
export const make = async (tx: Tx): Promise<void> => {
  await tx.deleteFrom("ledger_certified").execute()
  for (let after = ""; ;) {
    const ids = await ipcsAfter(tx, after)
    const last = ids.at(-1)
    if (last === undefined) break
    const books = await read(tx, ids)
    const positions = [...books.values()].map(positionOf).filter((each) => each !== undefined)
    await insertAll(tx, "ledger_certified", positions.map(rowOf))
    after = last
  }
  await writeMeta(tx, key, "whole")
}

export const allProjects = async (db: Db): Promise<ReadonlyArray<string>> => {
  const rows = await db.selectFrom("ledger_certified").select("project_id").distinct().orderBy("project_id").execute()
  return rows.map((row) => row.project_id)
}

/** The projects whose certificates are cumulative. */
export const projects = async (db: Db, terms: Terms): Promise<ReadonlyArray<string>> =>
  hasCumulative(terms) ? (await allProjects(db)).filter((id) => certifiedAs(id, terms) === "cumulative") : []

/** In order. */
const page = async (db: Db, projectId: string, last: Position | undefined): Promise<ReadonlyArray<Position>> => {
  const isNext = last === undefined ? sql`true` : sql`(first_at, ipc_id) > (${last.firstAt}, ${last.ipcId})`
  const { rows } = await sql<Row>`
    select * from ledger_certified where project_id = ${projectId} and ${isNext}
    order by first_at, ipc_id limit ${rowsAtOnce}`.execute(db)
  return rows.map((row) => positionIn(row))
}

/** What precedes each IPC of a project, in order: a thousand at a time. */
export async function* inProject(db: Db, projectId: string): AsyncGenerator<ReadonlyArray<Told>> {
  for (let before: Position | undefined; ;) {
    const positions = await page(db, projectId, before)
    const last = positions.at(-1)
    if (last === undefined) return
    const first = before
    yield positions.map((each, n) => ({
      ipcId: each.ipcId,
      preceding: precedingOf(n === 0 ? first : positions[n - 1], each)
    }))
    before = last
  }
}

/** The newest certified amounts of the first thousand IPCs of a project, in order. */
export const amountsIn = async (db: Db, projectId: string): Promise<ReadonlyArray<bigint>> => {
  const positions = await page(db, projectId, undefined)
  return positions.map(({ certificates }) => certificates.at(-1)?.units ?? 0n)
}

/** What precedes each of these IPCs whose certificates are cumulative. */
export const precedings = async (
  db: Db,
  books: ReadonlyArray<Books>,
  terms: Terms
): Promise<ReadonlyMap<string, Preceding>> => {
  const all = new Map<string, Preceding>()
  if (!hasCumulative(terms)) return all
  for (const position of books.map(positionOf)) {
    if (position === undefined || certifiedAs(position.projectId, terms) !== "cumulative") continue
    all.set(position.ipcId, precedingOf(await neighbour(db, position, "before"), position))
  }
  return all
}

/** Ids in the order that the books don't know. */
export const strangers = async (db: Db, most: number): Promise<ReadonlyArray<string>> => {
  const rows = await db
    .selectFrom("ledger_certified as certified")
    .select("ipc_id")
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom("ledger_facts").select("number").whereRef("ledger_facts.ipc_id", "=", "certified.ipc_id")))
    )
    .orderBy("ipc_id")
    .limit(most)
    .execute()
  return rows.map((row) => row.ipc_id)
}

/** The position of an IPC and that of the one before it, as stored: most are compared without being parsed. */
export interface Standing {
  readonly own: Row
  readonly before: Row | undefined
}

/**
 * The positions of those IPCs of the range that are in the order; undefined if there is no order yet. In one round
 * trip.
 */
export const standing = async (db: Db, range: Range): Promise<ReadonlyMap<string, Standing> | undefined> => {
  const beforeOwn = sql`
    where each.project_id = own.project_id and (each.first_at, each.ipc_id) < (own.first_at, own.ipc_id)
    order by each.first_at desc, each.ipc_id desc`
  const { rows } = await sql<WithBefore | Nothing>`
    select own.*, before.ipc_id as before_id, before.first_at as before_at, before.certificates as before_certificates
    from meta left join ledger_certified own on ${isWithin("own.ipc_id", range)}
      ${joinedFirst(db, { table: "ledger_certified", key: "ipc_id", as: "before" }, beforeOwn)}
    where meta.key = ${key}`.execute(db)
  if (rows.length === 0) return undefined
  const all = rows.filter((row) => row.ipc_id !== null)
  return new Map(all.map((own) => [own.ipc_id, { own, before: beforeIn(own) }]))
}

/** For a range without any. */
interface Nothing {
  readonly ipc_id: null
}

type WithBefore = Row & {
  readonly [Name in "before_at" | "before_certificates" | "before_id"]: string | null
}

const beforeIn = ({ before_at, before_certificates, before_id, project_id }: WithBefore): Row | undefined =>
  before_id === null || before_at === null || before_certificates === null
    ? undefined
    : { ipc_id: before_id, project_id, first_at: before_at, certificates: before_certificates }
