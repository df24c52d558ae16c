/**
 * How the ledger posts: accounts by perspective or by name, currencies, and where the open period begins. And where
 * entries go from there, which is no part of how they are posted: the terms of posting are kept with the books.
 */
import { Option, type Redacted, Result } from "effect"
import type { Environment, Field } from "./Environment.ts"
import { all, check, field, optional } from "./Environment.ts"
import * as Parse from "./ParseLedger.ts"

export interface LedgerSettings {
  readonly debitAccount: string
  readonly creditAccount: string
  /** Three letters; null: none. */
  readonly currency: string | null
  /** By project id, where it differs. */
  readonly currencies: Readonly<Record<string, string>>
  /** The first instant of the open period; null: no period is closed. */
  readonly openFrom: string | null
  readonly inClosedPeriod: "hold" | "post"
}

const presets = {
  contractor: { debit: "bank", credit: "receivable" },
  employer: { debit: "payable", credit: "bank" }
} as const

export const ledgerSettings = (environment: Environment): Field<LedgerSettings> => {
  const fields = all({
    perspective: field(environment, "SITELEDGER_LEDGER_PERSPECTIVE", Parse.perspective),
    debit: optional(environment, "SITELEDGER_LEDGER_DEBIT_ACCOUNT", Parse.account),
    credit: optional(environment, "SITELEDGER_LEDGER_CREDIT_ACCOUNT", Parse.account),
    currencies: optional(environment, "SITELEDGER_LEDGER_CURRENCY", Parse.currencies),
    openFrom: optional(environment, "SITELEDGER_LEDGER_OPEN_FROM", Parse.day),
    inClosedPeriod: field(environment, "SITELEDGER_LEDGER_CLOSED_PERIOD", Parse.closedPeriod)
  })
  return Result.flatMap(fields, ({ credit, currencies, debit, inClosedPeriod, openFrom, perspective }) => {
    const preset = presets[perspective]
    const debitAccount = debit ?? preset.debit
    const creditAccount = credit ?? preset.credit
    const differ = check(
      debitAccount !== creditAccount,
      "SITELEDGER_LEDGER_CREDIT_ACCOUNT",
      "is the account that is debited too; an entry needs two."
    )
    return Result.map(differ, () => ({
      debitAccount,
      creditAccount,
      currency: currencies?.standard ?? null,
      currencies: currencies?.byProject ?? {},
      openFrom: openFrom === undefined ? null : `${openFrom}T00:00:00.000000Z`,
      inClosedPeriod
    }))
  })
}

export interface SinkSettings {
  readonly url: URL
  /** At least 8 characters. */
  readonly secret: Redacted.Redacted
  /** How the accounting system is to take an entry. */
  readonly status: "draft" | "posted"
}

export const sinkSettings = (environment: Environment): Field<Option.Option<SinkSettings>> => {
  const url = optional(environment, "SITELEDGER_LEDGER_SINK_URL", Parse.sinkUrl)
  const secret = optional(environment, "SITELEDGER_LEDGER_SINK_SECRET", Parse.sinkSecret)
  const isUnsigned = Result.isSuccess(secret) && secret.success === undefined
  const isWanted = Result.isFailure(url) || url.success !== undefined
  const fields = all({
    url,
    secret,
    status: field(environment, "SITELEDGER_LEDGER_SINK_STATUS", Parse.sinkStatus),
    rule: check(
      !(isWanted && isUnsigned),
      "SITELEDGER_LEDGER_SINK_SECRET",
      "is missing; SITELEDGER_LEDGER_SINK_URL needs it."
    )
  })
  return Result.map(fields, ({ secret, status, url }) =>
    url === undefined || secret === undefined ? Option.none() : Option.some({ url, secret, status })
  )
}
