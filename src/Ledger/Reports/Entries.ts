/**
 * The entries that were posted by a day, in the order of the journal, and the books of IPCs as of that day.
 */
import { Effect } from "effect"
import type { Chart } from "../../../config/Chart.ts"
import { dayAfter, firstInstantOf } from "../../Domain/CalendarDay.ts"
import type { Instant } from "../../Domain/Instant.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Books } from "../Fold/Known.ts"
import type { Terms } from "../Fact.ts"
import * as StoredBooks from "../StoredBooks.ts"

export interface AsOf {
  /** "YYYY-MM-DD"; everything posted by its end counts. */
  readonly day: string
  readonly terms: Terms
  readonly chart: Chart
}

type Row = StoreTables["ledger_entries"]

export const companyOf = ({ companies, company }: Chart, projectId: string | null): string | null =>
  companies[projectId ?? ""] ?? company

/** Entries of 0.1 have no posting date; for them, the UTC day on which they took effect. */
export const dayOf = ({ effective_at, posting_date }: Pick<Row, "effective_at" | "posting_date">): string =>
  posting_date ?? effective_at.slice(0, 10)

const rowsAtOnce = 2000

export const eachEntry = (day: string, take: (entry: Row) => void): Effect.Effect<void, StoreError, Store> =>
  Effect.gen(function* () {
    const store = yield* Store
    for (let after = 0; ;) {
      const rows = yield* store.run((db) =>
        db
          .selectFrom("ledger_entries")
          .selectAll()
          .where("sequence", ">", after)
          .orderBy("sequence")
          .limit(rowsAtOnce)
          .execute()
      )
      for (const row of rows) if (dayOf(row) <= day) take(row)
      const last = rows.at(-1)
      if (last === undefined) return
      after = Number(last.sequence)
      yield* Effect.yieldNow
    }
  })

/** With what was certified and posted by that day. */
export const eachBooks = ({ day, terms }: AsOf, take: (books: Books) => void): Effect.Effect<void, StoreError, Store> =>
  Effect.flatMap(Store, (store) =>
    StoredBooks.eachIpc(store, (ids) =>
      Effect.map(
        store.run((db) => StoredBooks.read(db, ids)),
        (all) => {
          for (const books of all.values()) take(asOf(books, day, terms.timezone))
        }
      )
    )
  )

/** The exclusive end of the day. */
export const endOf = (day: string, timezone: string): Instant => firstInstantOf(dayAfter(day), timezone)

const asOf = (books: Books, day: string, timezone: string): Books => {
  const end = endOf(day, timezone)
  const isBy = (at: Instant) => at < end
  const { certificates, entries, opening } = books
  return {
    ...books,
    certificates: certificates.filter(({ at }) => isBy(at)),
    opening: opening !== undefined && isBy(opening.knownAt) ? opening : undefined,
    entries: entries.filter((entry) => dayOf(entry) <= day)
  }
}
