/**
 * Reads the journal from the Store in the order of posting date and number, a part at a time.
 *
 * No index has that order. So one pass along the numbers finds the dates, and then each date is read between its first
 * and last number. Memory grows with the dates, not with the entries. Entries posted meanwhile have higher numbers and
 * are in no part, so all parts together are the journal at one moment.
 */
import { Effect } from "effect"
import type { Chart } from "../../../config/Chart.ts"
import * as Amount from "../../Domain/Amount.ts"
import * as Instant from "../../Domain/Instant.ts"
import { Store } from "../../Stores/Store.ts"
import { dateOf, type Vouched, type VoucherLine, voucherOf } from "../Voucher.ts"
import type { JournalEntry, Line, Part, PostingDay, Range } from "./JournalEntry.ts"

const numbersAtOnce = 20_000

/** Oldest first. */
export const days = Effect.fn("Ledger.days")(function* ({ from = "", to = "9999-12-31" }: Range) {
  const store = yield* Store
  const found = new Map<string, PostingDay>()
  let after = 0
  while (true) {
    const rows = yield* store.run((db) =>
      db
        .selectFrom("ledger_entries")
        .select(["sequence", "posting_date", "effective_at"])
        .where("sequence", ">", after)
        .orderBy("sequence")
        .limit(numbersAtOnce)
        .execute()
    )
    for (const row of rows) {
      const day = dateOf(row)
      after = Number(row.sequence)
      if (day < from || day > to) continue
      const { entries, first } = found.get(day) ?? { entries: 0, first: after }
      found.set(day, { day, entries: entries + 1, first, last: after })
    }
    if (rows.length < numbersAtOnce) break
    yield* Effect.yieldNow
  }
  return [...found.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
})

const entriesAtOnce = 500

/** The first entries of a part, in the order of their numbers. */
export const entriesOf = Effect.fn("Ledger.entriesOf")(function* ({ after, day, last }: Part, chart: Chart) {
  const begin = `${day}T00:00:00.000000Z`
  const end = Instant.fromMicros(Instant.toMicros(begin) + dayMicros)
  const store = yield* Store
  const rows = yield* store.run((db) =>
    db
      .selectFrom("ledger_entries")
      .select([...columns])
      .where("sequence", ">", after)
      .where("sequence", "<=", last)
      .where(({ and, eb, or }) =>
        or([
          eb("posting_date", "=", day),
          and([eb("posting_date", "is", null), eb("effective_at", ">=", begin), eb("effective_at", "<", end)])
        ])
      )
      .orderBy("sequence")
      .limit(entriesAtOnce)
      .execute()
  )
  return rows.map((row) => laidOut(row, chart))
})

const dayMicros = 86_400_000_000

const columns = [
  "entry_id",
  "epoch",
  "sequence",
  "posting_date",
  "effective_at",
  "ipc_id",
  "project_id",
  "kind",
  "amount",
  "currency",
  "payment_reference",
  "certificate_url",
  "debit_account",
  "credit_account",
  "lines",
  "known_at"
] as const

type Row = Vouched & {
  readonly epoch: number | null
  readonly certificate_url: string | null
  readonly known_at: string
}

export const laidOut = (row: Row, chart: Chart): JournalEntry => {
  const { lines, status: _status, ...voucher } = voucherOf({ entry: row, status: "posted" }, chart)
  return {
    ...voucher,
    epoch: Number(row.epoch ?? 1),
    sequence: Number(row.sequence),
    ipc: row.ipc_id,
    project: row.project_id,
    kind: row.kind,
    certificateUrl: row.certificate_url,
    knownAt: row.known_at,
    lines: lines.map(lineOf)
  }
}

const lineOf = ({ units, ...line }: VoucherLine): Line => ({ ...line, amount: Amount.sumOfUnits(units) })
