/**
 * What Xero's answers mean for an entry, in sentences for a person. Pure.
 *
 * Only what Xero says about the journal itself refuses an entry. Any other obstacle (limits, outages, a token, a wrong
 * address or right) would stop every entry, so it is Unavailable: nothing is given up, and as soon as it is fixed, all
 * entries continue. A sentence repeats no secret.
 */
import { Duration, Result, Schema } from "effect"
import { retryAfterMs } from "../../src/Runtime/RetryAfter.ts"
import { whyUnreached } from "../../src/Runtime/NetworkFailure.ts"
import * as Quoted from "../../src/Ledger/Outbox/Quoted.ts"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import type { Voucher } from "../../src/Ledger/Voucher.ts"
import { isSame } from "./XeroJournal.ts"
import { type Journal, type Journals, messagesIn, readJournals } from "./XeroWire.ts"

export interface Answer {
  readonly status: number
  readonly text: string
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly receivedMs: number
  /** Known here; must not be repeated. */
  readonly secrets: ReadonlyArray<string>
}

export const unavailable = (reason: string, afterMs?: number): Verdict => ({
  _tag: "Unavailable",
  reason,
  retryAfterMs: afterMs
})

const refused = (reason: string): Verdict => ({ _tag: "Refused", reason })

/** Xero was asked for it, and shows none. */
export const mayShowYet = (forMs: number): Verdict => ({
  _tag: "Waits",
  reason:
    "Xero's answer to a request with several entries was lost, and Xero doesn't show this one: it is looked for again, and " +
    "sent if Xero still doesn't have it, two minutes after that request.",
  forMs
})

export const silent = (host: string, patience: Duration.Duration): Verdict =>
  unavailable(`${host} gave no answer within ${Duration.toSeconds(patience)} seconds.`)

export const unreachable = (host: string, error: unknown): Verdict =>
  unavailable(`${host} can't be reached: ${whyUnreached(error)}.`)

/** The outcome for the entries of a request. */
export interface Outcome {
  readonly verdictOf: (voucher: Voucher) => Verdict
  /** Xero has given the outcome of each. If not, it may have any of them. */
  readonly isCertain: boolean
  /** Xero accepted none of several, because of one or more of them. */
  readonly isForOthers: boolean
}

/** Judges the answer to entries that were sent together. */
export const judge = (answer: Answer, vouchers: ReadonlyArray<Voucher>): Outcome => {
  const all = (verdict: Verdict, isCertain: boolean, isForOthers = false): Outcome => ({
    verdictOf: () => verdict,
    isCertain,
    isForOthers
  })
  const trouble = troubleIn(answer)
  if (trouble !== undefined) return all(trouble, answer.status < 500 && !passing.has(answer.status))
  const isAlone = vouchers.length === 1
  if (answer.status >= 400) return isAlone ? all(refusal(answer), false) : all(together(answer, vouchers), false, true)
  const journals = readJournals(answer.text)?.journals ?? []
  const ofEntry = ({ id }: Voucher) => (isAlone ? journals[0] : journals.find(({ entryId }) => entryId === id))
  return {
    verdictOf: (voucher) => verdictOn(ofEntry(voucher), voucher, answer.secrets),
    isCertain: vouchers.every((voucher) => isReadable(ofEntry(voucher))),
    isForOthers: false
  }
}

const isReadable = (journal: Journal | undefined): journal is Journal =>
  journal !== undefined && (journal.isRefused || (journal.manualJournalId !== "" && journal.lines.length > 0))

const verdictOn = (journal: Journal | undefined, voucher: Voucher, secrets: ReadonlyArray<string>): Verdict => {
  if (!isReadable(journal)) return unreadable
  if (journal.isRefused) return refused(`Xero refused the journal${quoted(journal.messages, secrets)}`)
  return isSame(voucher, journal.lines) ? { _tag: "Taken" } : otherLines(journal, secrets)
}

/** Judges the journals that name the entry; undefined if it must be sent. */
export const judgeFound = (found: ReadonlyArray<Journal>, voucher: Voucher): Verdict | undefined => {
  if (found.some(({ lines }) => isSame(voucher, lines))) return { _tag: "Taken" }
  const other = found.find(({ isGone }) => !isGone)
  return other === undefined ? undefined : otherLines(other, [])
}

export const journalsIn = (answer: Answer): Result.Result<Journals, Verdict> => {
  if (answer.status === 304) return Result.succeed({ journals: [], pageCount: undefined })
  const trouble = troubleIn(answer)
  if (trouble !== undefined) return Result.fail(trouble)
  const journals = answer.status < 300 ? readJournals(answer.text) : undefined
  return journals === undefined
    ? Result.fail(unavailable(`Xero's journals can't be read (${answer.status})${quotedError(answer)}`))
    : Result.succeed(journals)
}

export interface Granted {
  readonly token: string
  readonly lifeMs: number
}

const Grant = Schema.fromJsonString(
  Schema.Struct({
    // It is sent in a header (RFC 6750 §2.1).
    access_token: Schema.String.check(Schema.isPattern(/^[!-~]+$/)),
    expires_in: Schema.Number.check(Schema.isGreaterThan(0))
  })
)
const decodeGrant = Schema.decodeUnknownResult(Grant)
const decodeGrantError = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ error: Schema.String })))

/** The meaning of the token endpoint's errors (RFC 6749 §5.2), in words that say what to check. */
const advice: Readonly<Record<string, string>> = {
  invalid_client: "check the client id and the client secret",
  unauthorized_client: "the app must be a custom connection, and a person must have authorised it",
  invalid_scope: "the custom connection hasn't been given the scope that is asked for"
}

/** Repeats the error's code, never its description, which may contain a secret. */
export const grantIn = (answer: Answer): Result.Result<Granted, Verdict> => {
  const { receivedMs, status, text } = answer
  if (status === 200) {
    return Result.mapBoth(decodeGrant(text), {
      onSuccess: ({ access_token: token, expires_in: seconds }) => ({ token, lifeMs: seconds * 1000 }),
      onFailure: () => unavailable("Xero's answer to the request for a token holds none.")
    })
  }
  const after = retryAfterMs(answer.headers["retry-after"], receivedMs)
  const code = Result.getOrElse(
    Result.map(decodeGrantError(text), ({ error }) => error),
    () => ""
  )
  const what = /^[a-z_]{1,40}$/.test(code) ? `${status}, ${code}` : String(status)
  const why = advice[code] ?? (status >= 500 || status === 429 ? "it may pass" : "check the token URL")
  return Result.fail(unavailable(`Xero gives no access token (${what}): ${why}.`, after))
}

const passing: ReadonlySet<number> = new Set([408, 409, 425])

/** An obstacle for any request. */
const troubleIn = (answer: Answer): Verdict | undefined => {
  const { headers, receivedMs, status } = answer
  const after = retryAfterMs(headers["retry-after"], receivedMs)
  if (status === 429) {
    const limit = headers["x-rate-limit-problem"] ?? ""
    const which = /^[\w ]{1,40}$/.test(limit) ? `, limit: ${limit}` : ""
    return unavailable(`Xero takes no more requests for now (429${which}).`, after)
  }
  if (passing.has(status) || status >= 500) {
    return unavailable(`Xero can't take entries for now (${status})${quotedError(answer)}`, after)
  }
  if (status === 401) return unavailable(`Xero refuses the token that it gave (401)${quotedError(answer)}`)
  if (status === 403) {
    return unavailable(
      "Xero forbids the request (403): check the tenant id, and the custom connection's scopes and organisation."
    )
  }
  if (status === 404 || (status >= 300 && status < 400)) {
    return unavailable(`Xero has no manual journals at the configured address (${status}): check the base URL.`)
  }
  return undefined
}

/** The next look shows whether Xero accepted the earlier form. */
const keyReused = /idempotency.key.*different request/i

const refusal = (answer: Answer): Verdict => {
  const messages = messagesIn(answer.text)
  if (messages.some((message) => keyReused.test(message))) {
    return unavailable(
      "Xero still remembers an earlier form of this entry; it is sent again once Xero has forgotten it."
    )
  }
  return refused(`Xero refused the journal (${answer.status})${quoted(messages, answer.secrets)}`)
}

/** Some of them may be in Xero nevertheless. */
const together = ({ secrets, status, text }: Answer, { length }: ReadonlyArray<Voucher>): Verdict =>
  unavailable(
    `Xero refused ${length} journals together (${status}), and each is sent by itself${quoted(messagesIn(text), secrets)}`
  )

const unreadable = unavailable("Xero's answer doesn't show the journal; before it is sent again, Xero is asked for it.")

const otherLines = ({ manualJournalId, messages }: Journal, secrets: ReadonlyArray<string>): Verdict => {
  const says = messages.length === 0 ? "." : quoted(messages, secrets)
  return refused(
    `Xero has a journal with this entry's id and other lines (${manualJournalId}): correct it there, or void or delete ` +
      `it, then replay the entry${says}`
  )
}

const quotedError = ({ secrets, text }: Answer): string => {
  const messages = messagesIn(text)
  return messages.length === 0 ? "." : quoted(messages, secrets)
}

const mostQuotedCharacters = 500

const quoted = (messages: ReadonlyArray<string>, secrets: ReadonlyArray<string>): string => {
  const line = Quoted.quoted(messages.join(" "), secrets, mostQuotedCharacters)
  return line === "" ? " and gave no reason." : `: ${line}`
}
