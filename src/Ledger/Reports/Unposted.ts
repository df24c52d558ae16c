/**
 * What waited at the end of a day for a person or for an event, by reason and currency.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import type { Instant } from "../../Domain/Instant.ts"
import { Store } from "../../Stores/Store.ts"
import type { Report } from "./Report.ts"
import { type AsOf, endOf } from "./Entries.ts"

interface Sum {
  readonly reason: string
  readonly currency: string | null
  holds: number
  units: bigint
  /** Holds without a known amount. */
  unknown: number
  oldest: string
}

interface Held {
  readonly reason: string
  readonly since: string
  /** Null if not known, or if the hold has been closed since. */
  readonly amount: string | null
  readonly currency: string | null
}

const rowsAtOnce = 2000

export const unposted = ({ day, terms }: AsOf) =>
  Effect.gen(function* () {
    const end = endOf(day, terms.timezone)
    const isBy = (at: Instant) => at < end
    const sums = new Map<string, Sum>()
    const add = ({ amount, currency, reason, since }: Held): void => {
      if (!isBy(since)) return
      const key = JSON.stringify([reason, currency])
      const sum = sums.get(key) ?? { reason, currency, holds: 0, units: 0n, unknown: 0, oldest: since }
      sum.holds++
      if (amount === null) sum.unknown++
      else sum.units += Amount.toUnits(amount)
      if (since < sum.oldest) sum.oldest = since
      sums.set(key, sum)
    }
    const store = yield* Store
    for (let after = ""; ;) {
      const rows = yield* store.run((db) =>
        db
          .selectFrom("ledger_holds")
          .select(["hold_id", "reason", "since", "amount", "currency"])
          .where("hold_id", ">", after)
          .orderBy("hold_id")
          .limit(rowsAtOnce)
          .execute()
      )
      rows.forEach(add)
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.hold_id
      yield* Effect.yieldNow
    }
    for (let after = 0; ;) {
      const rows = yield* store.run((db) =>
        db
          .selectFrom("ledger_hold_decisions")
          .select(["number", "reason", "since", "decided_at"])
          .where("number", ">", after)
          .orderBy("number")
          .limit(rowsAtOnce)
          .execute()
      )
      for (const row of rows) if (!isBy(row.decided_at)) add({ ...row, amount: null, currency: null })
      const last = rows.at(-1)
      if (last === undefined) break
      after = Number(last.number)
      yield* Effect.yieldNow
    }
    const ordered = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
    return {
      columns: ["reason", "currency", "holds", "amount", "unknown", "oldest"],
      rows: ordered.map(({ units, ...sum }) => ({ ...sum, amount: Amount.sumOfUnits(units) }))
    } satisfies Report
  })
