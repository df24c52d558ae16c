/**
 * Reads a journal of hledger by its documented grammar, as far as files of siteledger use it, and checks what
 * `hledger check --strict` does: declarations, balanced transactions, asserted balances. Throws at what it doesn't know.
 */
import { unitsOf } from "./Journals.ts"

export interface Posting {
  readonly account: string
  readonly units: bigint
  readonly commodity: string
  /** As it is written. */
  readonly amount: string
}

export interface Transaction {
  readonly date: string
  readonly code: string
  readonly description: string
  readonly tags: Record<string, string>
  readonly postings: Array<Posting>
}

export interface Read {
  readonly transactions: ReadonlyArray<Transaction>
  readonly balances: ReadonlyMap<string, bigint>
}

const posting = /^ {4}(\S.*?) {2}(-?\d+(?:\.\d+)?) ([A-Z]{3}) = (-?\d+(?:\.\d+)?) ([A-Z]{3})$/
const first = /^(\d{4}-\d\d-\d\d) \((\d+)\)(?: (.*))?$/

const fail = (line: string, why: string): never => {
  throw new Error(`${why}: ${JSON.stringify(line.slice(0, 200))}`)
}

class Journal {
  readonly accounts = new Set<string>()
  readonly commodities = new Set<string>()
  readonly balances = new Map<string, bigint>()
  readonly transactions: Array<Transaction> = []

  line(line: string): void {
    if (line === "" || line.startsWith(";") || line === "decimal-mark .") return
    const [, account] = /^account (.+)$/.exec(line) ?? []
    if (account !== undefined) return void this.accounts.add(account)
    const [, commodity] = /^commodity 1000\.0* ([A-Z]{3})$/.exec(line) ?? []
    if (commodity !== undefined) return void this.commodities.add(commodity)
    const [, date, code = "", description = ""] = first.exec(line) ?? []
    if (date !== undefined) {
      if (description.includes(";")) fail(line, "a comment in the description")
      this.transactions.push({ date, code, description, tags: {}, postings: [] })
      return
    }
    const [, tag, value = ""] = /^ {4}; (\w+):([^,]*)$/.exec(line) ?? []
    const last = this.transactions.at(-1) ?? fail(line, "no transaction")
    if (tag !== undefined) last.tags[tag] = value
    else this.#posting(line, last)
  }

  #posting(line: string, { postings }: Transaction): void {
    const [, account = "", amount = "", commodity = "", asserted = "", same] =
      posting.exec(line) ?? fail(line, "unknown")
    if (/^[([*!;=~@"]|;| {2}/.test(account)) fail(line, "no name of an account")
    if (!this.accounts.has(account)) fail(line, "an undeclared account")
    if (!this.commodities.has(commodity)) fail(line, "an undeclared commodity")
    if (same !== commodity) fail(line, "another commodity")
    const units = unitsOf(amount)
    const key = `${commodity} ${account}`
    const balance = (this.balances.get(key) ?? 0n) + units
    if (balance !== unitsOf(asserted)) fail(line, `the balance is ${balance}`)
    this.balances.set(key, balance)
    postings.push({ account, units, commodity, amount })
  }
}

export const readJournal = (text: string): Read => {
  const journal = new Journal()
  for (const line of text.split("\n")) journal.line(line)
  for (const { code, postings } of journal.transactions) {
    const commodities = new Set(postings.map(({ commodity }) => commodity))
    const sum = postings.reduce((total, { units }) => total + units, 0n)
    if (commodities.size !== 1 || sum !== 0n) throw new Error(`transaction ${code} isn't balanced`)
  }
  return journal
}
