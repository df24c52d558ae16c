/**
 * Posts ledger entries to QuickBooks Online as journal entries, each exactly once (docs/accounting/quickbooks.md).
 *
 * Guarantees: before each attempt, QuickBooks is asked whether it has the entry, by a document number made from the
 * entry's id. The request that creates it carries the id as `requestid`, for which QuickBooks repeats its first answer.
 * An entry counts as delivered only after it has been read back with the lines that were sent. If the process dies at
 * any point, the next attempt finds what is there.
 */
import { Duration, Effect, Option } from "effect"
import type { HttpClient } from "effect/http"
import type { Chart } from "../../config/Chart.ts"
import type { Adapter } from "../../src/Ledger/Outbox/Adapter.ts"
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"
import { type Verdict, whyDraftHeld } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { type Voucher, voucherOf } from "../../src/Ledger/Voucher.ts"
import type { Seal } from "../../src/Runtime/Seal.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { faultCodes, held, type QuickBooksError, refused, unavailable } from "./QuickBooksAnswer.ts"
import * as Api from "./QuickBooksApi.ts"
import { bodyOf, type Company, docNumberOf, isSame, readStored, requestIdOf, whyHeld } from "./QuickBooksEntry.ts"
import * as Names from "./QuickBooksNames.ts"
import * as Token from "./QuickBooksToken.ts"
import type { Configured } from "./QuickBooksTokenKept.ts"

export interface QuickBooksOptions extends Configured, Company {
  readonly clientSecret: Token.TokenOptions["clientSecret"]
  readonly chart: Chart
  readonly baseUrl?: URL
  readonly tokenUrl?: URL
  readonly minorVersion?: number
  /** How long to wait for an answer. */
  readonly patience?: Duration.Duration
  readonly requestsPerMinute?: number
}

const defaults = {
  baseUrl: new URL("https://quickbooks.api.intuit.com"),
  tokenUrl: new URL("https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer"),
  minorVersion: 75,
  patience: Duration.seconds(10),
  /** QuickBooks' limit for one company. */
  requestsPerMinute: 500
}

interface QuickBooks {
  readonly api: Api.QuickBooksApi
  readonly names: Names.QuickBooksNames
  readonly company: Company
  readonly chart: Chart
  /** How often QuickBooks has refused to create an entry, in this process. */
  readonly refusals: Map<string, number>
}

export const make = Effect.fnUntraced(function* (
  given: QuickBooksOptions
): Effect.fn.Return<Adapter, never, Seal | Store> {
  const options = { ...defaults, ...given }
  const api = yield* Api.make(options, yield* Token.make(options))
  const quickBooks: QuickBooks = {
    api,
    names: yield* Names.make(api),
    company: options,
    chart: options.chart,
    refusals: new Map()
  }
  return {
    post: Effect.fn("QuickBooks.post")(
      (message: OutboxMessage) => post(quickBooks, message),
      Effect.catch(({ verdict }: QuickBooksError) => Effect.succeed<Verdict>(verdict))
    )
  }
})

type Attempt = Effect.fn.Return<Verdict, QuickBooksError, HttpClient.HttpClient>

const post = Effect.fnUntraced(function* (quickBooks: QuickBooks, message: OutboxMessage): Attempt {
  const voucher = voucherOf(message, quickBooks.chart)
  const why = whyDraftHeld("QuickBooks", message) ?? whyHeld(voucher, quickBooks.company)
  if (why !== undefined) return yield* held(why)
  return (yield* lookUp(quickBooks, voucher)) ?? (yield* create(quickBooks, voucher))
})

/** Undefined if QuickBooks doesn't have it. */
const lookUp = Effect.fnUntraced(function* (
  quickBooks: QuickBooks,
  voucher: Voucher
): Effect.fn.Return<Verdict | undefined, QuickBooksError, HttpClient.HttpClient> {
  const number = docNumberOf(voucher.id)
  const there = yield* quickBooks.api.query("JournalEntry", `DocNumber = ${Api.quoted(number)}`)
  if (there.length === 0) return undefined
  if (there.length > 1)
    return yield* refused(
      `QuickBooks has ${there.length} journal entries numbered ${number}: delete all but one there.`
    )
  return yield* compare(quickBooks, voucher, there[0])
})

const compare = Effect.fnUntraced(function* ({ names }: QuickBooks, voucher: Voucher, there: unknown): Attempt {
  const stored = Option.getOrUndefined(readStored(there))
  const accounts = yield* names.accounts(voucher)
  if (stored !== undefined && isSame(stored, voucher, accounts)) return { _tag: "Taken" }
  return yield* refused(
    `QuickBooks has a journal entry numbered ${docNumberOf(voucher.id)} with other accounts or amounts: ` +
      "correct it there and replay this entry, or record with `siteledger ledger sink settle` that it is right as it is."
  )
})

const create = Effect.fnUntraced(function* (quickBooks: QuickBooks, voucher: Voucher): Attempt {
  const { api, names, refusals } = quickBooks
  const currency = yield* currencyFor(quickBooks)
  const body = bodyOf(voucher, yield* names.lines(voucher), currency)
  const before = refusals.get(voucher.id) ?? 0
  const created = yield* Effect.result(api.create(body, requestIdOf(voucher.id, before)))
  if (created._tag === "Success") return yield* readBack(quickBooks, voucher, created.success)
  const { code, verdict } = created.failure
  if (code === faultCodes.duplicateNumber) return (yield* lookUp(quickBooks, voucher)) ?? (yield* hidden(voucher.id))
  if (verdict._tag === "Refused") {
    refusals.set(voucher.id, before + 1)
    yield* names.forget(voucher)
  }
  return yield* created.failure
})

/** QuickBooks was still processing an earlier attempt when it was asked for the number. */
const hidden = (entryId: string): QuickBooksError =>
  unavailable(`QuickBooks says that it has a journal entry numbered ${docNumberOf(entryId)}, and doesn't show it yet.`)

/** Undefined if QuickBooks keeps only one currency. */
const currencyFor = Effect.fnUntraced(function* ({ company: { currency }, names }: QuickBooks) {
  const { home, isMulti } = yield* names.currencies
  if (home !== undefined && home !== currency)
    return yield* unavailable(
      `QuickBooks keeps its books in ${home}, and SITELEDGER_QUICKBOOKS_CURRENCY is ${currency}: nothing is sent until ` +
        "they agree."
    )
  return isMulti ? currency : undefined
})

/** The answer may have been a remembered one, and a person may have deleted or changed the entry since. */
const readBack = Effect.fnUntraced(function* (quickBooks: QuickBooks, voucher: Voucher, id: string): Attempt {
  const there = yield* Effect.catchIf(
    quickBooks.api.read(id),
    ({ code }) => code === faultCodes.notFound,
    () => Effect.fail(deleted(docNumberOf(voucher.id)))
  )
  return yield* compare(quickBooks, voucher, there)
})

const deleted = (number: string): QuickBooksError =>
  held(
    `QuickBooks took this entry before, and a person has deleted it there. Enter it again under the number ${number} and ` +
      "replay it, or record with `siteledger ledger sink settle` that it stays deleted."
  )
