/**
 * What Tryton's answers mean. Pure.
 *
 * Only what Tryton says about the entry itself refuses it. A problem with the user, its rights, the server or the
 * network is transient for the entry, and its sentence says who can help. Sentences quote Tryton on one line and repeat
 * no secret.
 */
import { Data, Duration, Result } from "effect"
import * as Json from "../../src/Domain/Json.ts"
import { quotedLast } from "../../src/Ledger/Outbox/Quoted.ts"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { retryAfterMs } from "../../src/Runtime/RetryAfter.ts"

export interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | undefined
}

/** Why an attempt ended without the entry. */
export class TrytonError extends Data.TaggedError("TrytonError")<{
  readonly verdict: Exclude<Verdict, { readonly _tag: "Taken" }>
}> {}

export const refused = (reason: string): TrytonError => new TrytonError({ verdict: { _tag: "Refused", reason } })

export const held = (reason: string): TrytonError => new TrytonError({ verdict: { _tag: "Held", reason } })

export const unavailable = (reason: string, retryAfterMs?: number): TrytonError =>
  new TrytonError({ verdict: { _tag: "Unavailable", reason, retryAfterMs } })

/** After too many logins with a wrong password, Tryton slows down and then rejects the user. */
export const deniedPauseMs = Duration.toMillis("1 minute")

/** The result of a call. `secrets`: what no sentence may repeat. */
export const read = (
  answer: Answer,
  secrets: ReadonlyArray<string>,
  nowMs: number
): Result.Result<unknown, TrytonError> => {
  if (answer.status < 200 || answer.status >= 300) return Result.fail(judgeStatus(answer, nowMs))
  const body = Json.parse(answer.text)
  if (!Json.isObject(body)) return Result.fail(notTryton(answer.status))
  if ("error" in body) return Result.fail(judgeError(body["error"], secrets))
  return "result" in body ? Result.succeed(body["result"]) : Result.fail(notTryton(answer.status))
}

/** Why a login gave no session. */
export const denied = (answer: Answer, secrets: ReadonlyArray<string>, nowMs: number): TrytonError => {
  if (answer.status === 401) return wrongPassword()
  return Result.match(read(answer, secrets, nowMs), { onSuccess: wrongPassword, onFailure: (failure) => failure })
}

const wrongPassword = (): TrytonError =>
  unavailable(
    "Tryton doesn't accept the user or its password: set SITELEDGER_TRYTON_USER and SITELEDGER_TRYTON_PASSWORD to those of " +
      "a user in Tryton.",
    deniedPauseMs
  )

/** Even a fresh session isn't accepted. */
export const unaccepted = (): TrytonError =>
  unavailable("Tryton doesn't accept the session that it has just given: check the address and the server's clock.")

const judgeStatus = ({ retryAfter, status }: Answer, nowMs: number): TrytonError => {
  const askedMs = retryAfterMs(retryAfter, nowMs)
  if (status === 429) return unavailable("Tryton wants fewer logins (429).", askedMs ?? deniedPauseMs)
  if (status === 408 || status === 425 || status >= 500)
    return unavailable(`Tryton can't take entries for now (${status}).`, askedMs)
  if (status === 403) return unavailable(`Tryton forbids the request (403). ${rights}`)
  if (status >= 300 && status < 400)
    return unavailable(`Tryton's address redirects (${status}), which isn't followed: check SITELEDGER_TRYTON_URL.`)
  return notTryton(status)
}

const notTryton = (status: number): TrytonError =>
  unavailable(
    `What answers isn't Tryton, or has no such database (${status}): check SITELEDGER_TRYTON_URL, which ends with the ` +
      "database's name."
  )

const rights = "Give the user the rights that docs/accounting/tryton.md lists."

/** In English, which every call requests: Tryton has no code for it. */
const isAboutRights = (said: string): boolean => /^You are not allowed to |^Calling button .* is not allowed/.test(said)

/** Tryton sends an error as a list: its own kinds by name, with their messages; others as text and a stack trace. */
const judgeError = (error: unknown, secrets: ReadonlyArray<string>): TrytonError => {
  const [kind, said]: ReadonlyArray<unknown> = Array.isArray(error) ? error : [error]
  const quoted = (...words: ReadonlyArray<unknown>) => quote(words, secrets)
  const [first, second, third]: ReadonlyArray<unknown> = Array.isArray(said) ? said : [said]
  if (kind === "UserError") {
    return isAboutRights(String(first))
      ? unavailable(`Tryton doesn't let siteledger's user do this${quoted(first, second)} ${rights}`)
      : refused(`Tryton refused the entry${quoted(first, second)}`)
  }
  if (kind === "UserWarning")
    return refused(`Tryton asks something that only a person can answer${quoted(second, third)}`)
  if (kind === "ConcurrencyException") return unavailable(`Someone else is changing the same record${quoted(said)}`)
  if (kind === "LoginException")
    return unavailable(
      `Tryton asks for more than a password${quoted(second)} Let siteledger's user log in with a password alone.`,
      deniedPauseMs
    )
  return isAboutDatabase(String(kind)) ? notTryton(200) : unavailable(`Tryton failed${quoted(kind)}`)
}

/** In the wording of SQLite and PostgreSQL. */
const isAboutDatabase = (said: string): boolean => /\bdatabase .* (doesn't|does not) exist/i.test(said)

const mostQuotedCharacters = 300

/** One line without control characters. */
const quote = (words: ReadonlyArray<unknown>, secrets: ReadonlyArray<string>): string => {
  const text = words.filter((word) => typeof word === "string" && word !== "").join(" ")
  return quotedLast(text, secrets, mostQuotedCharacters)
}

export const silent = (patience: Duration.Duration): TrytonError =>
  unavailable(`Tryton gave no answer within ${Duration.toSeconds(patience)} seconds.`)

/** `why` continues "can't be reached: ". */
export const unreachable = (why: string): TrytonError => unavailable(`Tryton can't be reached: ${why}.`)

/** Tryton answered, but not according to its API. */
export const unreadable = (what: string): TrytonError =>
  unavailable(`Tryton answered without ${what}: check SITELEDGER_TRYTON_URL.`)
