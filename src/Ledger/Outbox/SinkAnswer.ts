/**
 * What the accounting sink's answer to an entry means, and when to try again. Pure.
 *
 * Any 2xx means that the entry was accepted. So does a 409 that names this entry as already there: an earlier answer
 * may have been lost. 408, 425, 429, 5xx and no answer at all are transient and are retried for as long as it takes.
 * Everything else is a refusal, which needs a person if it is repeated.
 */
import { Duration, Option, Schema } from "effect"
import { retryAfterMs } from "../../Runtime/RetryAfter.ts"
import type { OutboxMessage } from "./Due.ts"
import { quoted } from "./Quoted.ts"

export interface Answer {
  readonly status: number
  /** The beginning of the answer's text. */
  readonly text: string
  readonly retryAfter: string | undefined
}

/** `retryAfterMs`: as requested by the sink. */
export type Verdict =
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Unavailable"; readonly reason: string; readonly retryAfterMs: number | undefined }
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Not sent: the entry isn't for this system, so only a person can help. */
  | { readonly _tag: "Held"; readonly reason: string }
  /**
   * The system answers, but may already have accepted the entry: it isn't sent again for this long, and is looked for
   * then.
   */
  | { readonly _tag: "Waits"; readonly reason: string; readonly forMs: number }

const mostQuotedCharacters = 500

const Known = Schema.fromJsonString(Schema.Struct({ entry_id: Schema.String }))
const readKnown = Schema.decodeUnknownOption(Known)

export const judge = (answer: Answer, entryId: string, secret: string, nowMs: number): Verdict => {
  const { retryAfter, status, text } = answer
  if (status >= 200 && status < 300) return { _tag: "Taken" }
  if (status === 409 && Option.exists(readKnown(text), (known) => known.entry_id === entryId)) return { _tag: "Taken" }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const reason = `The accounting sink can't take entries for now (${status})${quote(text, secret)}`
    return { _tag: "Unavailable", reason, retryAfterMs: retryAfterMs(retryAfter, nowMs) }
  }
  if (status >= 300 && status < 400) {
    const reason = `The accounting sink redirects (${status}), which isn't followed: check SITELEDGER_LEDGER_SINK_URL.`
    return { _tag: "Refused", reason }
  }
  return { _tag: "Refused", reason: `The accounting sink refused the entry (${status})${quote(text, secret)}` }
}

/** `code` as given by the system, such as ECONNREFUSED; empty if there is none. */
export const unreachable = (code: string): Verdict => ({
  _tag: "Unavailable",
  reason: `The accounting sink can't be reached${code === "" ? "" : ` (${code})`}.`,
  retryAfterMs: undefined
})

export const silent = (patience: Duration.Duration): Verdict => ({
  _tag: "Unavailable",
  reason: `The accounting sink gave no answer within ${Duration.toSeconds(patience)} seconds.`,
  retryAfterMs: undefined
})

/** Why a system without drafts doesn't get it; undefined if it isn't a draft. */
export const whyDraftHeld = (
  system: string,
  { isKept, status }: Pick<OutboxMessage, "isKept" | "status">
): string | undefined => {
  if (status === "posted") return undefined
  const isNone = `${system} has no drafts, and this entry is one.`
  return isKept
    ? `${isNone} Review it, then release it: \`siteledger ledger sink release ENTRY --reason WHY\` (\`--all\`: all of them).`
    : `${isNone} Another system may have it: release it there; if no system has it, enter it by hand. Record either with ` +
        "`siteledger ledger sink settle`."
}

const quote = (text: string, secret: string): string => {
  const line = quoted(text, [secret], mostQuotedCharacters)
  return line === "" ? " and gave no reason." : `: ${line}`
}

export interface Pauses {
  readonly first: Duration.Duration
  readonly longest: Duration.Duration
}

/** This many refusals make an entry a dead message. */
export const mostRefusals = 5

const growth = 4

/**
 * The pause before the next attempt, after this many failed ones; `chance` in [0, 1) spreads entries that failed
 * together. Never longer than `longest`, even if the system asks for more.
 */
export const pauseMs = ({ first, longest }: Pauses, attempts: number, verdict: Verdict, chance: number): number => {
  const longestMs = Duration.toMillis(longest)
  if (verdict._tag === "Waits") return Math.min(verdict.forMs, longestMs)
  const grown = Math.min(longestMs, Duration.toMillis(first) * growth ** (attempts - 1))
  const askedMs = verdict._tag === "Unavailable" ? (verdict.retryAfterMs ?? 0) : 0
  return Math.max(grown * (0.75 + 0.25 * chance), Math.min(askedMs, longestMs))
}
