/**
 * The statement of each project: what is certified, how much of it is held back, released and added, and what is due,
 * paid and open; by company and currency.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import { amountsOf, paidIn } from "../Balance.ts"
import type { Report } from "./Report.ts"
import { type AsOf, companyOf, eachBooks } from "./Entries.ts"
import { postedUnder } from "./PostedUnder.ts"

const amounts = ["certified", "held_back", "released", "added", "due", "paid", "open"] as const

interface Sum {
  readonly company: string | null
  readonly project: string | null
  readonly currency: string | null
  ipcs: number
  /** IPCs for which the amount due isn't known; payments for them still count. */
  unknown: number
  readonly units: Record<(typeof amounts)[number], bigint>
}

export const statement = (of: AsOf) =>
  Effect.gen(function* () {
    const sums = new Map<string, Sum>()
    const sumAt = (project: string | null, currency: string | null): Sum => {
      const company = companyOf(of.chart, project)
      const key = JSON.stringify([company, project, currency])
      const sum = sums.get(key) ?? { company, project, currency, ipcs: 0, unknown: 0, units: zero() }
      sums.set(key, sum)
      return sum
    }
    yield* eachBooks(of, (books) => {
      const known = amountsOf(books, of.terms)
      if (known.newest === undefined && books.entries.length === 0) return
      const under = postedUnder(books, of.terms)
      const isKnown = known.due !== undefined && known.of !== undefined
      const sum = sumAt(under.projectId, under.currency)
      sum.ipcs++
      if (known.due === undefined || known.of === undefined) sum.unknown++
      else {
        sum.units.certified += known.of.certified
        sum.units.held_back += known.of.heldBack
        sum.units.released += known.released
        sum.units.added += known.of.added
        sum.units.due += known.due
        sum.units.open += known.due
      }
      // Where it is posted: after a change of project, or an entry by hand, this may be elsewhere.
      for (const { currency, project_id, units } of paidIn(books)) {
        const at = sumAt(project_id ?? under.projectId, currency)
        at.units.paid += units
        if (isKnown) at.units.open -= units
      }
    })
    const ordered = [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, sum]) => sum)
      .filter(({ ipcs, units }) => ipcs > 0 || units.paid !== 0n)
    return {
      columns: ["company", "project", "currency", "ipcs", ...amounts, "unknown"],
      rows: ordered.map(({ units, ...sum }) => ({
        ...sum,
        ...Object.fromEntries(amounts.map((name) => [name, Amount.sumOfUnits(units[name])]))
      }))
    } satisfies Report
  })

const zero = (): Sum["units"] => ({
  certified: 0n,
  held_back: 0n,
  released: 0n,
  added: 0n,
  due: 0n,
  paid: 0n,
  open: 0n
})
