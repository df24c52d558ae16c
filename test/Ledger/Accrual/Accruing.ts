/** Books in which certificates are posted when they are made, and what is posted on each account. */
import { Effect } from "effect"
import type { Certificates } from "../../../config/Certificates.ts"
import type { PayableRule } from "../../../config/Payable.ts"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import * as Lines from "../../../src/Ledger/Lines.ts"
import type { StoreTables } from "../../../src/Stores/StoreTables.ts"
import { contractor } from "../Contractor.ts"
import { journal } from "../Started.ts"

export const retention: PayableRule = {
  name: "retention",
  percent: "-50000",
  amount: null,
  of: "payable",
  cap: "40.0000",
  account: "retention"
}
export const vat: PayableRule = {
  name: "VAT",
  percent: "200000",
  amount: null,
  of: "payable",
  cap: null,
  account: "VAT"
}
export const tax: PayableRule = {
  name: "withholding tax",
  percent: "-50000",
  amount: null,
  of: "certified",
  cap: null,
  account: "tax"
}

/** In project 7 certificates are cumulative, before retention and without tax; in 10 each stands for itself, without tax. */
export const certificates: Certificates = {
  standard: "each",
  payable: [],
  byProject: {
    "7": { amounts: "cumulative", certifiedBefore: "0.0000", payable: [retention, vat] },
    "10": { amounts: null, certifiedBefore: null, payable: [vat] }
  }
}

export const terms: Terms = {
  ...contractor,
  currency: "EUR",
  minorDigits: {},
  certificates,
  accrual: { account: "revenue", from: "2026-11-20" }
}

type Row = StoreTables["ledger_entries"]

const summed = (rows: ReadonlyArray<Row>): Record<string, number> =>
  Object.fromEntries(
    Lines.summed(rows.flatMap(Lines.inRow)).map(({ account, units }) => [account, Number(units) / 10_000])
  )

/** By account; debited above zero. */
export const balances = Effect.map(journal, summed)

export const balancesOf = (ipcId: string) =>
  Effect.map(journal, (rows) => summed(rows.filter(({ ipc_id }) => ipc_id === ipcId)))

/** Each entry: its kind, and what it moves by account. */
export const posted = Effect.map(journal, (rows) => rows.map((row) => [row.kind, summed([row])] as const))
