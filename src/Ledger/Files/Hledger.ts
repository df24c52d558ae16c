/**
 * A journal for hledger that `hledger check --strict` accepts. Pure.
 *
 * Every account and commodity is declared before its first use. Every line asserts the balance of its account, counted
 * from the first entry of the file, so hledger detects a lost, doubled or changed line. Amounts are exact.
 */
import { Result } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import { oneLine } from "./Fields.ts"
import { decimalsOf, figure } from "./Figures.ts"
import { type Format, nothing, utf8 } from "./Format.ts"
import type { JournalEntry, Line } from "./JournalEntry.ts"

/** ISO 4217: no currency. */
const noCurrency = "XXX"

const heading = `; The journal of siteledger, in the order of posting dates.
; Each balance counts from the first entry of this file.
decimal-mark .
`

export const hledger: Format = () => {
  const nameOf = naming()
  const declared = new Set<string>()
  const balances = new Map<string, bigint>()

  const declare = (directive: string): string => {
    if (declared.has(directive)) return ""
    declared.add(directive)
    return `\n${directive}\n`
  }

  const posting = ({ account, amount }: Line, currency: string | null): string => {
    const name = nameOf(account)
    const commodity = currency ?? noCurrency
    const key = `${commodity} ${name}`
    const units = Amount.toUnits(amount)
    const balance = (balances.get(key) ?? 0n) + units
    balances.set(key, balance)
    return `    ${name}  ${figure(units, currency)} ${commodity} = ${figure(balance, currency)} ${commodity}\n`
  }

  const transaction = (entry: JournalEntry): string => {
    const { currency, date, lines, narration, sequence } = entry
    const directives = [commodityOf(currency), ...lines.map(({ account }) => `account ${nameOf(account)}`)]
    const first = `${date} (${sequence}) ${oneLine(narration).replaceAll(";", ",")}`
    const postings = lines.map((line) => posting(line, currency))
    return `${directives.map(declare).join("")}\n${first.trimEnd()}\n${tagsOf(entry)}${postings.join("")}`
  }

  return {
    begin: () => utf8(heading),
    add: (entries) => Result.succeed(utf8(entries.map(transaction).join(""))),
    end: () => nothing,
    notes: () => []
  }
}

/** The number shows the decimal mark and how many digits follow it. */
const commodityOf = (currency: string | null): string =>
  `commodity 1000.${"0".repeat(decimalsOf(currency))} ${currency ?? noCurrency}`

const tagsOf = ({ id, ipc, kind, project, reference }: JournalEntry): string => {
  const tags = { entry: id, kind, ipc, project, reference }
  return Object.entries(tags)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `    ; ${name}:${tagValue(value ?? "")}\n`)
    .join("")
}

/** A comma would end the tag. */
const tagValue = (text: string): string => oneLine(text.replaceAll(",", " "))

/** Different accounts never get the same name. */
const naming = () => {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  return (account: string): string => {
    const known = names.get(account)
    if (known !== undefined) return known
    const name = safe(account)
    let own = name
    for (let next = 2; taken.has(own); next++) own = `${name}_${next}`
    names.set(account, own)
    taken.add(own)
    return own
  }
}

/**
 * A colon separates parts of account names, a semicolon begins a comment, and other marks have a meaning at the
 * beginning.
 */
const safe = (account: string): string => {
  const parts = oneLine(account)
    .replaceAll(";", ",")
    .split(":")
    .map((part) => part.trim() || "_")
  const name = parts.join(":")
  return /^[\p{L}\p{N}_]/u.test(name) ? name : `_${name}`
}
