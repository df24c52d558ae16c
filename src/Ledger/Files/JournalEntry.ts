/**
 * A journal entry as files for other programs show it: its lines, with the accounts and texts of the chart (`Voucher`).
 * It travels from the worker to the command line, so amounts are text.
 *
 * Debited lines come first: in an entry below zero, its accounts swap sides.
 */
import { Schema } from "effect"

const Text = Schema.NullOr(Schema.String)
const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

const Line = Schema.Struct({
  account: Schema.String,
  /** With four decimals: debited above zero, credited below zero. */
  amount: Schema.String,
  taxCode: Text,
  costCode: Text,
  counterparty: Schema.NullOr(Schema.Struct({ kind: Schema.Literals(["customer", "vendor"]), name: Schema.String })),
  tracking: Schema.Array(Schema.Struct({ category: Schema.String, option: Schema.String }))
})
export type Line = typeof Line.Type

export const JournalEntry = Schema.Struct({
  id: Schema.String,
  /** Unique in combination. */
  epoch: Schema.Int,
  sequence: Schema.Int,
  /** The posting date. */
  date: Schema.String,
  ipc: Schema.String,
  project: Text,
  kind: Schema.String,
  currency: Text,
  reference: Schema.String,
  certificateUrl: Text,
  knownAt: Schema.String,
  company: Text,
  narration: Schema.String,
  lines: Schema.Array(Line).check(Schema.isMinLength(2))
})
export type JournalEntry = typeof JournalEntry.Type

/** A range of posting dates, both included; absent means unbounded. */
export const Range = Schema.Struct({ from: Schema.optionalKey(Day), to: Schema.optionalKey(Day) })
export type Range = typeof Range.Type

/** The entries of one posting date: how many there are, and the numbers of the first and the last. */
export const PostingDay = Schema.Struct({ day: Day, entries: Schema.Int, first: Schema.Int, last: Schema.Int })
export type PostingDay = typeof PostingDay.Type

/** The entries of a posting date after one number, up to another. */
export const Part = Schema.Struct({ day: Day, after: Schema.Int, last: Schema.Int })
export type Part = typeof Part.Type
