/**
 * Judges a month: the trial balances of siteledger, of hledger (from siteledger's journal), of the accounting systems,
 * and the one that the history implies are the same, to the last digit; and so is each entry, and each IPC.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "../../bench/Waiting.ts"
import { behindIn, codeOf, compared, type Entry, keyOf, misposted, ofLines, type Side, unlike } from "./Balances.ts"
import * as Decimal from "./Decimal.ts"
import { expected } from "./Expected.ts"
import type { Site } from "./Firm.ts"
import * as Hledger from "./Hledger.ts"
import type { Played } from "./Month.ts"
import type { Office } from "./Office.ts"
import type { System } from "./Systems.ts"

interface Row {
  readonly company: string
  readonly currency: string
  readonly code: string
  readonly debit: string
  readonly credit: string
  readonly balance: string
}

/** The output of a command, as JSON whose numbers are text; fails if the command does. */
const printed = async (office: Office, ...words: ReadonlyArray<string>): Promise<unknown> => {
  const { code, stderr, stdout } = await office.command(...words)
  if (code !== 0) throw new Error(`siteledger ${words.join(" ")} ends with ${code}: ${stderr.trim().slice(-300)}`)
  return Decimal.parse(stdout)
}

const trialBalance = async (office: Office): Promise<Side> => {
  const rows = (await printed(office, "report", "trial-balance", "--json")) as ReadonlyArray<Row>
  return {
    name: "siteledger",
    balances: new Map(
      rows.map(({ balance, code, company, currency }) => [keyOf(company, currency, code), Decimal.read(balance)])
    )
  }
}

interface Listed {
  readonly entry_id: string
  readonly ipc_id: string
  readonly project_id: string
  readonly currency: string
  readonly amount: string
  readonly debit_account: string
  readonly credit_account: string
  /** As JSON, by account, if there are more than two lines. */
  readonly lines: string | null
}

const linesIn = ({ amount, credit_account, debit_account, lines }: Listed): Entry["lines"] => {
  if (lines !== null) {
    const all = Object.entries(JSON.parse(lines) as Readonly<Record<string, string>>)
    return all.map(([account, units]) => ({ code: codeOf(account), units: Decimal.read(units) }))
  }
  const units = Decimal.read(amount)
  return [
    { code: codeOf(debit_account), units },
    { code: codeOf(credit_account), units: -units }
  ]
}

const journal = async (office: Office, sites: ReadonlyArray<Site>): Promise<ReadonlyArray<Entry>> => {
  const companies = new Map(sites.map(({ company, id }) => [id, company.name]))
  const rows = (await printed(office, "ledger", "list", "--all", "--json")) as ReadonlyArray<Listed>
  return rows.map((row) => ({
    id: row.entry_id,
    ipc: row.ipc_id,
    company: companies.get(row.project_id) ?? "",
    currency: row.currency,
    lines: linesIn(row)
  }))
}

const byHledger = async (office: Office): Promise<Side> => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-journal-"))
  try {
    const file = join(folder, "books.journal")
    const { code, stderr } = await office.command("ledger", "write", "hledger", file)
    if (code !== 0) throw new Error(`siteledger ledger write ends with ${code}: ${stderr.trim().slice(-300)}`)
    return { name: "hledger", balances: Hledger.balances(file, ["EUR", "USD"]) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isOf = ({ ledger }: System, { company, currency }: Pick<Entry, "company" | "currency">): boolean =>
  ledger.company.name === company && ledger.currency === currency

/** Compares what one system holds with siteledger's entries for it. */
const wrongIn = async (system: System, ours: Side, entries: ReadonlyArray<Entry>): Promise<ReadonlyArray<string>> => {
  const held = await system.held()
  const { company, currency } = system.ledger
  const prefix = keyOf(company.name, currency, "")
  const own = entries.filter((entry) => isOf(system, entry))
  const theirs = new Map([...held.balances].map(([code, units]) => [`${prefix}${code}`, units] as const))
  const mine = new Map([...ours.balances].filter(([key]) => key.startsWith(prefix)))
  return [
    ...compared({ ...ours, balances: mine }, { name: system.name, balances: theirs }, (key) =>
      behindIn(held, own, key.slice(prefix.length))
    ),
    ...unlike(held, own).map((sentence) => `${system.name}: ${sentence}`),
    ...held.complaints.map((sentence) => `${system.name}: ${sentence}`)
  ]
}

/** Each entry belongs to exactly one system. */
const homeless = (systems: ReadonlyArray<System>, entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries
    .filter((entry) => systems.filter((system) => isOf(system, entry)).length !== 1)
    .map(({ company, currency, id }) => `entry ${id} is ${company}'s in ${currency}, which no accounting system keeps`)

const soundness = async (office: Office): Promise<ReadonlyArray<string>> => {
  const { holds } = await office.ledger()
  const code = await office.stop()
  const verified = await office.command("ledger", "verify")
  return [
    ...(holds === 0 ? [] : [`${holds} holds are left`]),
    ...(code === 0 ? [] : [`the worker ended with ${code}`]),
    ...(verified.code === 0
      ? []
      : [`siteledger ledger verify ends with ${verified.code}: ${verified.stdout.slice(-500)}`])
  ]
}

export interface Judged {
  readonly violations: ReadonlyArray<string>
  readonly entries: number
  /** How many accounts were compared on each side. */
  readonly accounts: number
}

export const judged = async ({ calendar, history, office, violations }: Played): Promise<Judged> => {
  const { lives, sites } = history
  const right = expected(lives, calendar)
  const ours = await trialBalance(office)
  const entries = await journal(office, sites)
  const kinds = new Map(lives.map(({ id, kind }) => [id, kind]))
  const wrong = misposted(right, entries, (ipc) => kinds.get(ipc) ?? "no IPC of the history")
  const ofAccount = (key: string) => wrong.filter((sentence) => sentence.includes(key))
  const history_: Side = { name: "the history", balances: ofLines(right) }
  const others = Hledger.missing === undefined ? [await byHledger(office).catch((cause: unknown) => text(cause))] : []
  const systems = await Promise.all(office.systems.map((system) => wrongIn(system, ours, entries)))
  return {
    violations: [
      ...violations,
      ...compared(ours, history_, ofAccount),
      ...wrong,
      ...others.flatMap((side) => (typeof side === "string" ? [side] : compared(ours, side, ofAccount))),
      ...systems.flat(),
      ...homeless(office.systems, entries),
      ...(await soundness(office))
    ],
    entries: entries.length,
    accounts: ours.balances.size
  }
}
