/** The manual journals of the stand-in: what it stores, refuses, and lists in pages as Xero does. */
import { randomUUID } from "node:crypto"
import { Result } from "effect"
import * as Amount from "../../../src/Domain/Amount.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { type Answer, type Asked, type ManualJournal, readRequest } from "./Document.ts"

interface Tracking {
  readonly Name: string
  readonly Option: string
}

export interface Line {
  readonly LineAmount: unknown
  readonly AccountCode?: string
  readonly Description?: string
  readonly TaxType?: string
  readonly Tracking?: ReadonlyArray<Tracking>
}

/** As a person, or a request, has left it. */
export interface Stored {
  readonly ManualJournalID: string
  Narration: string
  Date: string
  Status: string
  LineAmountTypes: string
  JournalLines: ReadonlyArray<Line>
  updatedMs: number
}

const usualPageSize = 100

const unitsOf = (amount: unknown): bigint => Amount.toUnits(Amount.read(amount, Amount.Money) ?? "0.0000")

/** As Xero writes amounts: with two decimals, rounded to them. */
const rounded = (amount: unknown): unknown => {
  const units = unitsOf(amount)
  const cents = (units + (units < 0n ? -50n : 50n)) / 100n
  return Json.parse(Amount.sumOfUnits(cents * 100n).slice(0, -2))
}

const twoDecimals = (units: bigint): string => Amount.sumOfUnits(units).slice(0, -2)

export class Journals {
  readonly all: Array<Stored> = []
  /** By code. */
  readonly accounts = new Map([
    ["200", "REVENUE"],
    ["880", "CURRENT"],
    ["090", "BANK"],
    ["610", "DEBTORS"]
  ])
  readonly taxTypes = new Set(["OUTPUT2", "NONE"])
  /** The options of each tracking category. */
  readonly categories = new Map([
    ["Project", ["7", "North Bridge"]],
    ["Region", ["South"]]
  ])
  nextId: () => string = randomUUID
  /** Refused journals are answered with a 400, although the request asks for a 200. */
  answers400 = false
  /** Without `pagination` in the answers. */
  saysPages = true
  /** Whatever is asked for. */
  mostPerPage = 1000
  /** Lists no journal that it took later. */
  isBehind = false

  /** As a person enters it. */
  enter(given: Partial<Stored> & Pick<Stored, "Narration">): Stored {
    const journal = {
      ManualJournalID: this.nextId(),
      Date: "2026-03-01",
      Status: "POSTED",
      LineAmountTypes: "NoTax",
      JournalLines: [
        { LineAmount: 1, AccountCode: "200" },
        { LineAmount: -1, AccountCode: "880" }
      ],
      updatedMs: performance.timeOrigin + performance.now(),
      ...given
    }
    this.all.push(journal)
    return journal
  }

  invalid(messages: ReadonlyArray<string>): Answer {
    const ValidationErrors = messages.map((Message) => ({ Message }))
    return {
      status: 400,
      body: {
        ErrorNumber: 10,
        Type: "ValidationException",
        Message: "A validation exception occurred",
        Elements: [{ ManualJournalID: "00000000-0000-0000-0000-000000000000", ValidationErrors }]
      }
    }
  }

  create({ body, url }: Asked, complaints: Array<string>): Answer {
    const read = readRequest(body)
    if (Result.isFailure(read)) {
      complaints.push(read.failure)
      return this.invalid([read.failure])
    }
    const errors = read.success.flatMap((journal) => this.#wrongIn(journal))
    const isWhole = url.searchParams.get("summarizeErrors") !== "false" || this.answers400
    if (errors.length > 0 && isWhole) return this.invalid(errors)
    return {
      status: 200,
      body: Json.stringify({
        Id: randomUUID(),
        Status: "OK",
        ManualJournals: read.success.map((journal) => this.#outcome(journal))
      })
    }
  }

  #outcome(journal: ManualJournal): unknown {
    const errors = this.#wrongIn(journal)
    if (errors.length > 0) {
      return {
        ...journal,
        ManualJournalID: "00000000-0000-0000-0000-000000000000",
        StatusAttributeString: "ERROR",
        ValidationErrors: errors.map((Message) => ({ Message }))
      }
    }
    const dropped = journal.JournalLines.flatMap(({ Tracking = [] }) => Tracking).filter(
      (each) => !this.#isTracked(each)
    )
    const stored = this.enter({
      ...journal,
      JournalLines: journal.JournalLines.map((line) => ({
        ...line,
        LineAmount: rounded(line.LineAmount),
        TaxType: line.TaxType ?? "NONE",
        Tracking: (line.Tracking ?? []).filter((each) => this.#isTracked(each))
      }))
    })
    const Warnings = dropped.map(({ Name }) => ({ Message: `The tracking category '${Name}' has been removed.` }))
    return { ...shown(stored, true), StatusAttributeString: "OK", ...(Warnings.length === 0 ? {} : { Warnings }) }
  }

  #isTracked({ Name, Option }: Tracking): boolean {
    return this.categories.get(Name)?.includes(Option) === true
  }

  #wrongIn({ JournalLines }: ManualJournal): ReadonlyArray<string> {
    const wrong = JournalLines.flatMap(({ AccountCode, TaxType }) => {
      const type = this.accounts.get(AccountCode)
      const isReserved = type === undefined || type === "BANK" || type === "DEBTORS"
      return [
        ...(isReserved ? [`Account code '${AccountCode}' is not a valid code for this document.`] : []),
        ...(TaxType === undefined || this.taxTypes.has(TaxType)
          ? []
          : [`The TaxType code '${TaxType}' does not exist.`])
      ]
    })
    const units = JournalLines.map(({ LineAmount }) => unitsOf(LineAmount))
    const debits = units.filter((each) => each > 0n).reduce((sum, each) => sum + each, 0n)
    const credits = units.filter((each) => each < 0n).reduce((sum, each) => sum + each, 0n)
    if (debits + credits === 0n) return wrong
    return [...wrong, `The total debits (${twoDecimals(debits)}) must equal total credits (${twoDecimals(credits)})`]
  }

  list({ headers, url }: Asked): Answer {
    const since = Date.parse(String(headers["if-modified-since"] ?? "1970-01-01T00:00:00Z"))
    const found = this.all.filter(({ updatedMs }) => !this.isBehind && Math.floor(updatedMs / 1000) * 1000 >= since)
    const isById = url.searchParams.get("order") === "ManualJournalID ASC"
    const sorted = found.toSorted((a, b) =>
      isById ? (a.ManualJournalID < b.ManualJournalID ? -1 : 1) : a.updatedMs - b.updatedMs
    )
    const page = Number(url.searchParams.get("page") ?? "0")
    const pageSize = Math.min(Number(url.searchParams.get("pageSize") ?? usualPageSize), this.mostPerPage)
    const itemCount = sorted.length
    const pagination = { page, pageSize, pageCount: Math.ceil(itemCount / pageSize), itemCount }
    const ManualJournals = page === 0 ? sorted : sorted.slice((page - 1) * pageSize, page * pageSize)
    return {
      status: 200,
      body: Json.stringify({
        Id: randomUUID(),
        Status: "OK",
        ...(page === 0 || !this.saysPages ? {} : { pagination }),
        ManualJournals: ManualJournals.map((each) => shown(each, page > 0))
      })
    }
  }
}

/** The lines are shown only with paging. */
const shown = ({ updatedMs, ...journal }: Stored, hasLines: boolean) => ({
  ...journal,
  Date: `/Date(${Date.parse(journal.Date)}+0000)/`,
  UpdatedDateUTC: `/Date(${Math.floor(updatedMs)}+0000)/`,
  JournalLines: hasLines ? journal.JournalLines.map((line) => ({ ...line, IsBlank: false })) : [],
  HasAttachments: false
})
