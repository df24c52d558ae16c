/**
 * Months of the books that people close and open again, in the books' time zone. What takes effect in a closed month
 * waits for a person or goes into the open period, as it does for a period that the configuration closes. Pure.
 */
import { type Closed, rulesVersion } from "../../../config/Ledger.ts"
import { dateIn } from "../../Domain/CalendarDay.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { Terms } from "../Fact.ts"
import { openFromOf } from "../Fold/Posted.ts"

export interface Change {
  readonly verb: "close" | "open"
  /** As the person wrote it. */
  readonly month: string
  readonly by: string
  readonly reason: string
}

/** What is closed after the change, or a sentence for the person that says what is wrong. */
export const changed = ({ verb, ...given }: Change, terms: Terms, now: Instant): Closed | string => {
  const { by, month } = given
  if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(month)) return "Say the month like 2026-09."
  if (by.trim() === "") return "Say who does it (--by)."
  if (terms.rules < rulesVersion) return ofEarlierVersion
  const openFrom = firstOpenDay(terms) ?? ""
  const [first, next] = [`${month}-01`, `${monthAfter(month)}-01`]
  const closing = (day: string): Closed => ({ openFrom: day, by, at: now, reason: given.reason })
  if (verb === "close") {
    if (next <= openFrom) return `${month} is closed already.`
    return first > dateIn(now, terms.timezone) ? `${month} hasn't begun yet.` : closing(next)
  }
  if (first >= openFrom) return `${month} is open already.`
  const floor = terms.openFrom === null ? "" : dateIn(terms.openFrom, terms.timezone)
  if (floor === openFrom) {
    return `${month} is closed by SITELEDGER_LEDGER_OPEN_FROM: change the setting, and start the worker again.`
  }
  return closing(first > floor ? first : floor)
}

const ofEarlierVersion =
  "The books follow an earlier version of the ledger's rules: start a worker of this version first, which changes that."

const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`
}

/** The first day of the open period, in the books' time zone; null if nothing is closed. */
export const firstOpenDay = (terms: Terms): string | null => {
  const openFrom = openFromOf(terms)
  return openFrom === null ? null : dateIn(openFrom, terms.timezone)
}
