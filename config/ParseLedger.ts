/**
 * From the text of a ledger variable to its value, as Parse does for the others. Pure; a failure is a sentence that
 * goes on after the variable's name and never repeats the text.
 */
import { DateTime, Option, Redacted } from "effect"
import { isLoopback, one } from "./Parse.ts"

export const perspective = one("must be contractor or employer.", (text) => {
  const word = text.toLowerCase()
  return word === "contractor" || word === "employer" ? word : undefined
})

export const account = one("must be the name of an account: up to 64 characters, no line breaks.", (text) =>
  text.length <= 64 && !/\p{Cc}/u.test(text) ? text : undefined
)

export interface Currencies {
  readonly standard: string | null
  readonly byProject: Readonly<Record<string, string>>
}

export const currencies = one(
  "must be a currency like EUR, and may name others by project: EUR 4711=USD.",
  (text): Currencies | undefined => {
    const words = text.split(/[\s,]+/).map((word) => /^(?:(-?\d+)=)?([A-Z]{3})$/.exec(word))
    if (words.includes(null)) return undefined
    const standard = words.filter((word) => word?.[1] === undefined)
    if (standard.length > 1) return undefined
    return {
      standard: standard[0]?.[2] ?? null,
      byProject: Object.fromEntries(
        words.flatMap((word) => (word?.[1] === undefined ? [] : [[word[1], word[2] ?? ""]]))
      )
    }
  }
)

/** The last of February is no 31st. */
const isDay = (text: string): boolean =>
  Option.exists(DateTime.make(text), (day) => DateTime.formatIsoDateUtc(day) === text)

export const day = one("must be a date like 2026-01-31.", (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) ? text : undefined
)

export const closedPeriod = one("must be hold or post.", (text) => {
  const word = text.toLowerCase()
  return word === "hold" || word === "post" ? word : undefined
})

/** Entries name payments, so they leave this machine encrypted or not at all. */
export const sinkUrl = one("must be an https URL (http on loopback only) without credentials or #fragment.", (text) => {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return undefined
  const isPrivate = url.protocol === "https:" || isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))
  return isPrivate && url.username === "" && url.password === "" && url.hash === "" ? url : undefined
})

export const sinkSecret = one("must have at least 8 characters.", (text) =>
  text.length < 8 ? undefined : Redacted.make(text)
)

export const sinkStatus = one("must be draft or posted.", (text) => {
  const word = text.toLowerCase()
  return word === "draft" || word === "posted" ? word : undefined
})
