/**
 * Months of the books that people close and open again, in the books' time zone. What is effective in a closed month waits for
 * a person or goes into the open period, as for one that is closed by the configuration.
 */
import { DateTime, Option } from "effect"
import { type Closed, midnight } from "../../../config/Ledger.ts"
import { dateIn } from "../../Domain/CalendarDay.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { Terms } from "../Fact.ts"
import { openFromOf } from "../Fold/Posted.ts"

export interface Change {
  readonly verb: "close" | "open"
  /** As written by the person. */
  readonly month: string
  readonly by: string
  readonly reason: string
}

/** The terms with the change, or a sentence for the person about what is wrong. */
export const changed = ({ verb, ...given }: Change, terms: Terms, now: Instant): Terms | string => {
  const { by, month } = given
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return "Say the month like 2026-09."
  if (by.trim() === "") return "Say who does it (--by)."
  const { before, from } = monthOf(month, terms.timezone)
  const openFrom = openFromOf(terms)
  const closing = (until: Instant): Terms => ({ ...terms, closed: closedBy(until, given, now) })
  if (verb === "close") {
    if (openFrom !== null && before <= openFrom) return `${month} is closed already.`
    return from > now ? `${month} hasn't begun yet.` : closing(before)
  }
  if (openFrom === null || from >= openFrom) return `${month} is open already.`
  return terms.openFrom !== null && from < terms.openFrom
    ? `${month} is closed by SITELEDGER_LEDGER_OPEN_FROM: change the setting, and start the worker again.`
    : closing(from)
}

const closedBy = (before: Instant, { by, reason }: Omit<Change, "verb">, at: Instant): Closed => ({
  before,
  by,
  at,
  reason
})

/** Its first instant, and the first one after it. */
const monthOf = (month: string, timezone: string) => {
  const zone = Option.getOrThrow(DateTime.zoneFromString(timezone))
  const [year = 0, number = 0] = month.split("-").map(Number)
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`
  return { from: midnight(`${month}-01`, zone), before: midnight(`${next.padStart(7, "0")}-01`, zone) }
}

/** The first day of the open period, in the books' time zone; null if nothing is closed. */
export const firstOpenDay = (terms: Terms): string | null => {
  const openFrom = openFromOf(terms)
  return openFrom === null ? null : dateIn(openFrom, terms.timezone)
}
