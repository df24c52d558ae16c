/**
 * Texts as the fields of other programs take them: on one line, no longer than the field, and never a formula. Pure.
 *
 * What tells things apart is never cut to something that two of them may share: a hash of the whole stands at its end.
 */
import { createHash } from "node:crypto"
import { guarded } from "../Journal.ts"

/** Line breaks, tabs and other control characters become spaces. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/** For a text that only explains. */
export const explaining = (text: string, most: number): string => {
  const whole = guarded(oneLine(text))
  return whole.length <= most ? whole : `${beginning(whole, most - 1)}…`
}

const hashDigits = 8

/**
 * For a text that tells things apart. `shown`: as the field can hold it; if that isn't the text itself, its hash tells it from
 * others that would look the same.
 */
export const telling = (text: string, most: number, shown = oneLine(text)): string => {
  const whole = guarded(shown)
  if (shown === text && whole.length <= most) return whole
  const hash = createHash("sha256").update(text).digest("hex").slice(0, hashDigits)
  return `${beginning(whole, most - hashDigits - 1)}~${hash}`
}

/** Without half of a character at its end. */
const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
