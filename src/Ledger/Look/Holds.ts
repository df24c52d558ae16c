/**
 * The open holds for a person: oldest first or largest first, of one reason or of all, a page at a time.
 *
 * A page begins after the last hold of the previous page, by that hold's sort key, so it is the same whether that hold
 * is still open or not. No hold is left out or shown twice, unless it changes meanwhile. Amounts are ordered to the
 * last digit, regardless of sign and currency; holds without an amount come last.
 */
import { Effect } from "effect"
import { type RawBuilder, sql, type SelectQueryBuilder } from "kysely"
import * as LookUps from "../../Stores/LookUps.ts"
import { Store } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { questions } from "../People/Questions.ts"

type Row = StoreTables["ledger_holds"]

export type Order = "oldest" | "largest"

/** The last hold of the previous page. */
export type Last = Pick<Row, "amount" | "hold_id" | "since">

export interface Wanted {
  readonly ipc?: string
  readonly reason?: string
  readonly order?: Order
  readonly after?: Last
  readonly limit: number
}

/** With its question, and what a look-up found for it; null if it found nothing or none was made. */
export const asked = (row: Row, findings: ReadonlyMap<string, string>) => ({
  ...row,
  question: questions[row.reason],
  looked_up: row.reason === "awaiting-certified-amount" ? (findings.get(row.ipc_id) ?? null) : null
})

/** Canonical text: of two amounts, the longer text is the larger. */
const size = sql<string>`ltrim(amount, '-')`

const isBehind: Readonly<Record<Order, (last: Last) => RawBuilder<boolean>>> = {
  oldest: ({ hold_id: id, since }) => sql<boolean>`(since > ${since} or since = ${since} and hold_id > ${id})`,
  largest: ({ amount, hold_id: id }) => {
    if (amount === null) return sql<boolean>`(amount is null and hold_id > ${id})`
    const last = amount.replace("-", "")
    return sql<boolean>`(amount is null or length(${size}) < ${last.length} or length(${size}) = ${last.length}
      and (${size} < ${last} or ${size} = ${last} and hold_id > ${id}))`
  }
}

type Query<Selected> = SelectQueryBuilder<StoreTables, "ledger_holds", Selected>

const of = <Selected>(query: Query<Selected>, { ipc, reason }: Pick<Wanted, "ipc" | "reason">): Query<Selected> =>
  query
    .$if(ipc !== undefined, (all) => all.where("ipc_id", "=", ipc ?? ""))
    .$if(reason !== undefined, (all) => all.where(sql<boolean>`reason = ${reason}`)) as Query<Selected>

const inOrder = <Selected>(query: Query<Selected>, order: Order): Query<Selected> =>
  order === "oldest"
    ? query.orderBy("since").orderBy("hold_id")
    : query
        .orderBy(sql`amount is null`)
        .orderBy(sql`length(${size})`, "desc")
        .orderBy(size, "desc")
        .orderBy("hold_id")

export const holds = ({ after, limit, order = "oldest", ...filters }: Wanted) =>
  Effect.flatMap(Store, (store) =>
    store.run(async (db) => {
      const all = of(db.selectFrom("ledger_holds").selectAll(), filters)
      const behind = after === undefined ? all : all.where(isBehind[order](after))
      const rows = await inOrder(behind, order).limit(limit).execute()
      const findings = await LookUps.findings(
        db,
        rows.map((row) => row.ipc_id)
      )
      return rows.map((row) => asked(row, findings))
    })
  )

/** The total number, before and after the page. */
export const count = (filters: Pick<Wanted, "ipc" | "reason">) =>
  Effect.flatMap(Store, (store) =>
    store.run(async (db) => {
      const counted = db.selectFrom("ledger_holds").select((all) => all.fn.countAll<number>().as("total"))
      const { total } = await of(counted, filters).executeTakeFirstOrThrow()
      return Number(total)
    })
  )
