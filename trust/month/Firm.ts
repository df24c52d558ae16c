/**
 * A firm with two companies. North's certificates are cumulative over their project, before retention and without tax.
 * Each of South's stands alone, without tax, and some of its projects are in dollars.
 */
import * as Decimal from "./Decimal.ts"

/** In the order in which they apply, each to what the one before leaves; and what is withheld from payments. */
export interface Rules {
  readonly retention?: { readonly percent: string; readonly cap: string }
  readonly tax: string
  readonly withheld?: string
}

export interface Company {
  readonly name: string
  readonly isCumulative: boolean
  readonly rules: Rules
  /** The first digit of its projects' ids. */
  readonly digit: string
}

export const north: Company = {
  name: "North Ltd",
  isCumulative: true,
  rules: { retention: { percent: "5", cap: "50000" }, tax: "20" },
  digit: "1"
}

export const south: Company = {
  name: "South Ltd",
  isCumulative: false,
  rules: { tax: "7.7", withheld: "2.5" },
  digit: "2"
}

export const companies = [north, south] as const

/** The books that one accounting system keeps. */
export interface Ledger {
  readonly company: Company
  readonly currency: string
}

/** By siteledger's names for them. */
export const accounts: Readonly<Record<string, string>> = {
  bank: "1000",
  receivable: "1400",
  retention: "1450",
  VAT: "1700",
  withheld: "1800",
  revenue: "4000",
  charges: "5000"
}

export const customer = "City of Springfield"

/** Above this amount, a second person has to agree. */
export const confirmAbove = "250000"

export const timezone = "Asia/Dubai"
const aheadMs = 4 * 3_600_000

export interface Calendar {
  /** The start of the month of events; a calendar month ends in the middle of it. */
  readonly from: number
  readonly to: number
  /** The end of the closed month, in the firm's time zone. */
  readonly boundary: number
  /** The month that is closed, like 2026-09. */
  readonly closing: string
  /** From this day on, certificates are posted. */
  readonly accruing: { readonly day: string; readonly from: number }
  /** The years in which something may be posted. */
  readonly years: ReadonlyArray<number>
}

const dayMs = 86_400_000

export const calendarAt = (nowMs: number): Calendar => {
  const now = new Date(nowMs + aheadMs)
  const closed = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1))
  const boundary = Date.UTC(closed.getUTCFullYear(), closed.getUTCMonth() + 1, 1) - aheadMs
  const [first, last] = [closed.getUTCFullYear(), now.getUTCFullYear()]
  const accruing = boundary - 16 * dayMs
  return {
    from: boundary - 20 * dayMs,
    accruing: { day: new Date(accruing + aheadMs).toISOString().slice(0, 10), from: accruing },
    to: boundary + 10 * dayMs,
    boundary,
    closing: closed.toISOString().slice(0, 7),
    years: first === last ? [first] : [first, last]
  }
}

export interface Payable {
  readonly certified: bigint
  readonly retained: bigint
  readonly tax: bigint
  readonly payable: bigint
}

/** The increase. */
export const less = (now: Payable, before: Payable): Payable => ({
  certified: now.certified - before.certified,
  retained: now.retained - before.retained,
  tax: now.tax - before.tax,
  payable: now.payable - before.payable
})

/** What is payable of a certified amount. */
export const payableOf = (certified: bigint, { retention, tax: percent }: Rules): Payable => {
  const [full, cap] =
    retention === undefined
      ? [0n, 0n]
      : [Decimal.share(certified, Decimal.read(retention.percent)), Decimal.read(retention.cap)]
  const retained = full > cap ? cap : full
  const tax = Decimal.share(certified - retained, Decimal.read(percent))
  return { certified, retained, tax, payable: certified - retained + tax }
}

export interface Site {
  readonly id: string
  readonly company: Company
  readonly currency: string
  /** What was certified before; undefined: no one says. */
  readonly before: bigint | undefined
}

const rulesIn = ({ retention, tax }: Rules) => [
  ...(retention === undefined
    ? []
    : [{ name: "retention", percent: `-${retention.percent}`, cap: retention.cap, account: "retention" }]),
  { name: "VAT", percent: tax, account: "VAT" }
]

const withheldIn = ({ withheld }: Rules) =>
  withheld === undefined ? [] : [{ name: "tax of the payer", percent: withheld, account: "withheld" }]

const projectOf = ({ before, company: { isCumulative, name, rules } }: Site) => {
  if (!isCumulative)
    return { certificates: "each", company: name, payable: rulesIn(rules), withheld: withheldIn(rules) }
  return before === undefined ? {} : { certifiedBefore: Decimal.text(before, 2) }
}

/** The content of SITELEDGER_LEDGER_FILE. */
export const ledgerFile = (sites: ReadonlyArray<Site>, { accruing }: Calendar) => ({
  certificates: "cumulative",
  company: north.name,
  payable: rulesIn(north.rules),
  accrual: { account: "revenue", from: accruing.day },
  projects: Object.fromEntries(sites.map((site) => [site.id, projectOf(site)])),
  accounts,
  narration: "IPC {ipc}, {reference}",
  lines: [{ account: "receivable", customer }]
})

/** The value of SITELEDGER_LEDGER_CURRENCY. */
export const currencies = (sites: ReadonlyArray<Site>): string =>
  ["EUR", ...sites.flatMap(({ currency, id }) => (currency === "EUR" ? [] : [`${id}=${currency}`]))].join(" ")
