/**
 * Breaks of one place each that falsify some balance of a month: the month has to detect every one of them. `node
 * trust/month/breaks.ts` plants them into a copy of the sources.
 */
import { at, type Break } from "../simulation/Break.ts"

const payable = at("config/Payable.ts")
const position = at("src/Ledger/Fold/Position.ts")
const paid = at("src/Ledger/Fold/PaidAmounts.ts")
const refusals = at("src/Ledger/Fold/Refusals.ts")
const posted = at("src/Ledger/Fold/Posted.ts")
const sending = at("src/Ledger/Outbox/Sending.ts")
const voucher = at("src/Ledger/Voucher.ts")
const report = at("src/Ledger/Reports/TrialBalance.ts")
const hledger = at("src/Ledger/Files/Hledger.ts")
const xero = at("connectors/xero/XeroBatches.ts")
const quickBooks = at("connectors/quickbooks/QuickBooksEntry.ts")

export const breaks: ReadonlyArray<Break> = [
  payable(
    "return (dividend + half) / divisor",
    "return (dividend + 0n * half) / divisor",
    "shares are cut, not rounded"
  ),
  payable(
    "const most = cap === null ? undefined : unitsOf(cap)",
    "const most = undefined as bigint | undefined",
    "retention has no cap"
  ),
  position(
    "before.certificates.findLast((each) => each.at <= at)",
    "before.certificates.findLast((each) => each.at > '' || at > '')",
    "what was certified before counts by now, not by then"
  ),
  paid(
    'decision.verdict === "reject" ? 0n : answer.units',
    'decision.verdict === "reject" ? answer.units : answer.units',
    "a payment that a person rejected is posted"
  ),
  refusals(
    'verdict === "reject" && about !== undefined && ofDifferences.has(about.reason)',
    'verdict === "reject" && about !== undefined && about.units === 0n && ofDifferences.has(about.reason)',
    "what a person refused for a closed month comes back"
  ),
  posted(
    'if (decision?.verdict === "reject") return nothing',
    "",
    "what a person refused for a closed month is posted"
  ),
  sending(
    'if (verdict._tag === "Taken") {',
    'if (verdict._tag === "Taken" || verdict._tag === "Held") {',
    "entries of another company count as sent"
  ),
  voucher(
    "lines: Lines.inOrder(Lines.inRow(entry)).map(lineOf)",
    'lines: Lines.inOrder(Lines.inRow(entry).map((line) => (entry.kind === "reversal" ? { ...line, units: -line.units } : line))).map(lineOf)',
    "accounting gets reversals as payments"
  ),
  voucher(
    'company: chart.companies[entry.project_id ?? ""] ?? chart.company',
    "company: chart.company",
    "accounting gets all entries as one company's"
  ),
  report(
    "if (units > 0n) sum.debit += units",
    "if (units > 0n) sum.debit = BigInt(Number(sum.debit) + Number(units))",
    "the trial balance adds up floats"
  ),
  report("else sum.credit -= units", "else sum.debit += units", "credits are debits"),
  hledger(
    "const units = Amount.toUnits(amount)",
    "const units = Amount.toUnits(amount) / 1000n * 1000n",
    "the journal for hledger has no cents"
  ),
  xero(
    'HttpClientRequest.setHeader("idempotency-key", key)',
    'HttpClientRequest.setHeader("idempotency-key", `${key}${performance.now()}`)',
    "a journal comes late, and nothing shows that it is the same"
  ),
  quickBooks(
    '(units > 0n ? "Debit" : "Credit")',
    '(units > 0n || units < -9_000_000_000n ? "Debit" : "Debit")',
    "QuickBooks gets no credits"
  )
]
