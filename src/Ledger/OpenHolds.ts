/**
 * Totals of the open holds: how many, how much money by currency, and the oldest.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import * as Amount from "../Domain/Amount.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

type HoldRow = StoreTables["ledger_holds"]

export interface OpenHolds {
  readonly count: number
  /** By currency; amounts without one come last. Exact. */
  readonly sums: ReadonlyArray<{ readonly currency: string | null; readonly amount: string; readonly count: number }>
  /** Holds without an amount; no sum includes them. */
  readonly unknownAmounts: number
  readonly oldest: { readonly since: string; readonly ipcId: string; readonly reason: string } | null
}

const counts = sql<string>`
  (select coalesce(max("number"), 0) from ledger_facts) || ' ' || (select count(*) from ledger_holds)`

/** Changes if the open holds may have changed. */
export const stamp = Effect.flatMap(Store, (store) => store.look(counts))

/** A page of 20,000 takes 40 ms; one of this size takes 2 ms. */
const atOnce = 1000

/** Read in pages, so that other work runs in between. */
export const openHolds = Effect.gen(function* () {
  const store = yield* Store
  const total = new Total()
  let after = ""
  while (true) {
    const rows = yield* store.run((db) =>
      db
        .selectFrom("ledger_holds")
        .select(["hold_id", "ipc_id", "reason", "since", "amount", "currency"])
        .where("hold_id", ">", after)
        .orderBy("hold_id")
        .limit(atOnce)
        .execute()
    )
    for (const row of rows) total.add(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < atOnce) return total.all
    after = last.hold_id
    yield* Effect.yieldNow
  }
})

class Total {
  #count = 0
  #unknown = 0
  #oldest: Pick<HoldRow, "ipc_id" | "reason" | "since"> | undefined
  readonly #sums = new Map<string | null, { units: bigint; count: number }>()

  add(row: Pick<HoldRow, "amount" | "currency" | "ipc_id" | "reason" | "since">): void {
    this.#count++
    if (this.#oldest === undefined || row.since < this.#oldest.since) this.#oldest = row
    if (row.amount === null) {
      this.#unknown++
      return
    }
    const sum = this.#sums.get(row.currency) ?? { units: 0n, count: 0 }
    this.#sums.set(row.currency, { units: sum.units + Amount.toUnits(row.amount), count: sum.count + 1 })
  }

  get all(): OpenHolds {
    const place = (currency: string | null): string => currency ?? "~"
    const sums = [...this.#sums].toSorted(([a], [b]) => (place(a) < place(b) ? -1 : 1))
    const oldest = this.#oldest
    return {
      count: this.#count,
      sums: sums.map(([currency, { count, units }]) => ({ currency, amount: Amount.sumOfUnits(units), count })),
      unknownAmounts: this.#unknown,
      oldest: oldest === undefined ? null : { since: oldest.since, ipcId: oldest.ipc_id, reason: oldest.reason }
    }
  }
}
