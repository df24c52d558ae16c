/**
 * What QuickBooks' answers mean. Pure.
 *
 * Only a fault about the entry itself refuses it. A problem with access, the subscription or the network is transient
 * for the entry, and its sentence says who can help. Sentences quote QuickBooks on one line and repeat no token.
 */
import { Data, Duration, Option, Result, Schema } from "effect"
import * as Json from "../../src/Domain/Json.ts"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { quotedLast } from "../../src/Ledger/Outbox/Quoted.ts"
import { retryAfterMs } from "../../src/Runtime/RetryAfter.ts"

export interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | undefined
}

/** Why an attempt ended without the entry. */
export class QuickBooksError extends Data.TaggedError("QuickBooksError")<{
  readonly verdict: Exclude<Verdict, { readonly _tag: "Taken" }>
  /** The code of QuickBooks' fault; empty if there is none. */
  readonly code: string
}> {}

export const refused = (reason: string, code = ""): QuickBooksError =>
  new QuickBooksError({ verdict: { _tag: "Refused", reason }, code })

export const held = (reason: string): QuickBooksError =>
  new QuickBooksError({ verdict: { _tag: "Held", reason }, code: "" })

export const unavailable = (reason: string, retryAfterMs?: number): QuickBooksError =>
  new QuickBooksError({ verdict: { _tag: "Unavailable", reason, retryAfterMs }, code: "" })

/** As listed on Intuit's developer pages. */
export const faultCodes = { notFound: "610", duplicateNumber: "6140", subscription: "6190" } as const
/** The user isn't allowed to, the app isn't allowed to, the token is invalid, or the feature isn't in the plan. */
const accessCodes: ReadonlySet<string> = new Set(["120", "3100", "3200", "5020"])

export const reconnect =
  "A person must connect siteledger to QuickBooks again, and set SITELEDGER_QUICKBOOKS_REFRESH_TOKEN to the new token."

/** QuickBooks' pause for a 429 without Retry-After. */
const throttledMs = Duration.toMillis("60 seconds")

const Words = Schema.optional(Schema.NullOr(Schema.String))
const Fault = Schema.Struct({
  Fault: Schema.Struct({ Error: Schema.Array(Schema.Struct({ Message: Words, Detail: Words, code: Words })) })
})
/** In the format of the gateway in front of QuickBooks. */
const GatewayFault = Schema.Struct({
  fault: Schema.Struct({ error: Schema.Array(Schema.Struct({ message: Words, code: Words })) })
})
const readFault = Schema.decodeUnknownOption(Fault)
const readGatewayFault = Schema.decodeUnknownOption(GatewayFault)

interface Said {
  readonly code: string
  readonly words: string
}

const faultIn = (body: unknown): Said | undefined =>
  Option.getOrUndefined(
    Option.orElse(
      Option.map(readFault(body), ({ Fault: { Error } }) => ({
        code: codeOf(Error[0]),
        words: Error.map(({ Detail, Message }) => joined(Message ?? "", Detail ?? "")).join(" / ")
      })),
      () =>
        // Its details would repeat the token.
        Option.map(readGatewayFault(body), ({ fault: { error } }) => ({
          code: codeOf(error[0]),
          words: error.map(({ message }) => message ?? "").join(" / ")
        }))
    )
  )

const codeOf = (error: { readonly code?: string | null | undefined } | undefined): string =>
  /^\d{1,6}$/.exec(error?.code ?? "")?.[0] ?? ""

/** Many details begin with their message. */
const joined = (message: string, detail: string): string => {
  if (message === "" || detail.startsWith(message)) return detail
  return detail === "" ? message : `${message}: ${detail}`
}

/** The JSON object that was requested. `secrets`: what no sentence may repeat. */
export const read = (
  answer: Answer,
  secrets: ReadonlyArray<string>,
  nowMs: number
): Result.Result<unknown, QuickBooksError> => {
  const body = Json.parse(answer.text)
  const fault = faultIn(body)
  const isGood = answer.status >= 200 && answer.status < 300 && fault === undefined
  if (isGood && Json.isObject(body)) return Result.succeed(body)
  const code = fault?.code ?? ""
  const said = `(${answer.status}${code === "" ? "" : `, ${code}`})${quotedLast(fault?.words ?? "", secrets, mostQuotedCharacters)}`
  const askedMs = retryAfterMs(answer.retryAfter, nowMs)
  return Result.fail(judge(answer.status, fault, said, askedMs))
}

const judge = (status: number, fault: Said | undefined, said: string, askedMs: number | undefined): QuickBooksError => {
  const code = fault?.code ?? ""
  if (status === 429) return unavailable(`QuickBooks wants fewer requests ${said}`, askedMs ?? throttledMs)
  if (status === 408 || status === 425 || status >= 500)
    return unavailable(`QuickBooks can't take entries for now ${said}`, askedMs)
  if (status === 401 || status === 403 || accessCodes.has(code))
    return unavailable(`QuickBooks gives siteledger no access ${said} ${reconnect}`)
  if (code === faultCodes.subscription)
    return unavailable(`QuickBooks takes no entries until its subscription is in order ${said}`)
  if (fault !== undefined) return refused(`QuickBooks refused ${said}`, code)
  return unavailable(
    `What answers isn't QuickBooks, or doesn't know the company (${status}): check SITELEDGER_QUICKBOOKS_URL and ` +
      "SITELEDGER_QUICKBOOKS_REALM_ID."
  )
}

const mostQuotedCharacters = 250

/** `askAgainMs`: QuickBooks must not be asked before this. */
export const silent = (patience: Duration.Duration, askAgainMs?: number): QuickBooksError =>
  unavailable(`QuickBooks gave no answer within ${Duration.toSeconds(patience)} seconds.`, askAgainMs)

/** `why` continues "can't be reached: ". */
export const unreachable = (why: string): QuickBooksError => unavailable(`QuickBooks can't be reached: ${why}.`)

/** QuickBooks answered, but not as documented. */
export const unreadable = (what: string): QuickBooksError =>
  unavailable(`QuickBooks answered without ${what}: check SITELEDGER_QUICKBOOKS_URL.`)
