/**
 * Texts as the fields of other programs accept them: on one line, no longer than the field, and never a formula. Pure.
 *
 * A text that identifies something is never simply cut, because two of them could become equal: a hash of the whole
 * text stands at its end.
 */
import { createHash } from "node:crypto"
import { guarded } from "../Journal.ts"

/** Line breaks, tabs and other control characters become spaces. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/** For text that only explains. */
export const explaining = (text: string, most: number): string => {
  const whole = guarded(oneLine(text))
  return whole.length <= most ? whole : `${beginning(whole, most - 1)}…`
}

const hashDigits = 8

/**
 * For text that identifies something. `shown`: the text as the field can hold it. If that differs from the text, a hash
 * distinguishes it from others that would look the same.
 */
export const telling = (text: string, most: number, shown = oneLine(text)): string => {
  const whole = guarded(shown)
  if (shown === text && whole.length <= most) return whole
  const hash = createHash("sha256").update(text).digest("hex").slice(0, hashDigits)
  return `${beginning(whole, most - hashDigits - 1)}~${hash}`
}

/** Doesn't end in half a character. */
const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
