/**
 * What requests to /ManualJournals may hold, from the interface document XeroAPI/Xero-OpenAPI, xero_accounting.yaml (16.1.0):
 * the schemas ManualJournals, ManualJournal, ManualJournalLine and TrackingCategory without what is read-only, with the
 * names, types, enumerations and lengths given there.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Result, Schema } from "effect"
import * as Json from "../../../src/Domain/Json.ts"

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** `type: number, format: double`; its digits are kept. */
const Double = Schema.Unknown.check(Schema.makeFilter((value) => Json.numberText(value) !== undefined))

const TrackingCategory = Schema.Struct({
  Name: Schema.String.check(Schema.isMaxLength(100)),
  Option: Schema.String.check(Schema.isMaxLength(100))
})

const ManualJournalLine = Schema.Struct({
  LineAmount: Double,
  AccountCode: Schema.String,
  Description: Schema.optionalKey(Schema.String),
  TaxType: Schema.optionalKey(Schema.String),
  /** "Any JournalLine can have a maximum of 2 <TrackingCategory> elements." */
  Tracking: Schema.optionalKey(Schema.Array(TrackingCategory).check(Schema.isMaxLength(2)))
})

const ManualJournal = Schema.Struct({
  Narration: Schema.NonEmptyString,
  JournalLines: Schema.Array(ManualJournalLine).check(Schema.isMinLength(2)),
  Date: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
  LineAmountTypes: Schema.Literals(["Exclusive", "Inclusive", "NoTax"]),
  Status: Schema.Literals(["DRAFT", "POSTED", "DELETED", "VOIDED", "ARCHIVED"])
})
export type ManualJournal = typeof ManualJournal.Type

const ManualJournals = Schema.Struct({ ManualJournals: Schema.Array(ManualJournal).check(Schema.isMinLength(1)) })

const decode = Schema.decodeUnknownResult(ManualJournals, { onExcessProperty: "error" })

/** A failure says what is wrong. */
export const readRequest = (body: string): Result.Result<ReadonlyArray<ManualJournal>, string> =>
  Result.mapBoth(decode(Json.parse(body)), {
    onSuccess: ({ ManualJournals: journals }) => journals,
    onFailure: ({ message }) => message
  })

/** The query parameters of the operations getManualJournals and createManualJournals. */
export const parameters: Readonly<Record<string, ReadonlyArray<string>>> = {
  GET: ["where", "order", "page", "pageSize"],
  PUT: ["summarizeErrors"]
}
