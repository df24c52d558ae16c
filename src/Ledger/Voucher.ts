/**
 * An entry as an accounting system accepts it: two or more balanced lines, with the system's codes and texts
 * (`config/Chart`). Pure.
 *
 * Guarantees: the lines add up to zero, and the voucher's id is the entry's, so a system can be asked whether it has
 * it.
 */
import { type Chart, type Counterparty, filled, type LineRule } from "../../config/Chart.ts"
import type { Line } from "./Fact.ts"
import * as Lines from "./Lines.ts"
import type { OutboxMessage } from "./Outbox/Due.ts"

export interface VoucherLine {
  /** The system's code. */
  readonly account: string
  /** In ten-thousandths: debited above zero, credited below zero. Never zero. */
  readonly units: bigint
  readonly taxCode: string | null
  readonly costCode: string | null
  readonly counterparty: Counterparty | null
  readonly tracking: ReadonlyArray<{ readonly category: string; readonly option: string }>
}

export interface Voucher {
  /** 32 hexadecimal digits: the entry's id. */
  readonly id: string
  /** The company whose books it belongs to; null if none is configured. */
  readonly company: string | null
  /** YYYY-MM-DD, in the books' time zone; for entries of 0.1, the UTC day on which they took effect. */
  readonly date: string
  /** ISO 4217; null if none is configured. */
  readonly currency: string | null
  readonly narration: string
  readonly reference: string
  readonly status: OutboxMessage["status"]
  /** At least two, debited lines first. Several may have the same code. */
  readonly lines: ReadonlyArray<VoucherLine>
}

type Entry = OutboxMessage["entry"]

/** The columns of an entry that make up a voucher. */
export type Vouched = Pick<
  Entry,
  | "amount"
  | "credit_account"
  | "currency"
  | "debit_account"
  | "effective_at"
  | "entry_id"
  | "ipc_id"
  | "kind"
  | "lines"
  | "payment_reference"
  | "posting_date"
  | "project_id"
  | "sequence"
>

export const dateOf = ({ effective_at, posting_date }: Pick<Entry, "effective_at" | "posting_date">): string =>
  posting_date ?? effective_at.slice(0, 10)

/** The system's code for an account of the books. */
export const codeOf = ({ accounts }: Pick<Chart, "accounts">, account: string): string =>
  (Object.hasOwn(accounts, account) ? accounts[account] : undefined) ?? account

interface Told {
  readonly entry: Vouched
  readonly status: Voucher["status"]
}

export const voucherOf = ({ entry, status }: Told, chart: Chart): Voucher => {
  const values = {
    ipc: entry.ipc_id,
    project: entry.project_id ?? "",
    reference: entry.payment_reference,
    kind: entry.kind,
    sequence: String(entry.sequence)
  }
  const lineOf = ({ account, units }: Line): VoucherLine => {
    const rule = chart.lines.find((each) => fits(each, account, entry.project_id))
    return {
      account: codeOf(chart, account),
      units,
      taxCode: rule?.taxCode ?? null,
      costCode: rule?.costCode ?? null,
      counterparty: rule?.counterparty ?? null,
      tracking: Object.entries(rule?.tracking ?? {}).map(([category, option]) => ({
        category,
        option: filled(option, values)
      }))
    }
  }
  return {
    id: entry.entry_id,
    company: chart.companies[entry.project_id ?? ""] ?? chart.company,
    date: dateOf(entry),
    currency: entry.currency,
    narration: filled(chart.narration, values),
    reference: entry.payment_reference,
    status,
    lines: Lines.inOrder(Lines.inRow(entry)).map(lineOf)
  }
}

const fits = ({ account, projects }: LineRule, own: string, projectId: string | null): boolean =>
  (account === null || account === own) &&
  (projects.length === 0 || projects.some((pattern) => isOf(pattern, projectId ?? "")))

const isOf = (pattern: string, projectId: string): boolean =>
  pattern.endsWith("*") ? projectId.startsWith(pattern.slice(0, -1)) : projectId === pattern
