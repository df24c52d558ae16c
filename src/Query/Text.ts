/**
 * Cells as text, and text made safe for a terminal: control characters are escaped, widths are counted in columns.
 *
 * Guarantees: the output of `visible` can't move a cursor, ring the bell, change colours, or change the writing
 * direction. `cut` never splits what is displayed as one character. Pure.
 */
import type { Cell } from "./Frames.ts"

export const cellText = (cell: Cell): string => (typeof cell === "string" ? cell : JSON.stringify(cell))

// Control characters, line and paragraph separators, and characters that change the writing direction.
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const hiddenButLines = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

const names: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  return names[character] ?? (code < 256 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`)
}

/** One line, with control characters escaped. */
export const visible = (text: string): string => text.replace(hidden, escape)

/** The same for text of several lines, such as a DuckDB message. */
export const visibleLines = (text: string): string => text.replace(hiddenButLines, escape)

const inJson = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`

/** JSON text that is safe on a terminal and parses to the same value. */
export const visibleJson = (json: string): string => json.replace(hiddenButLines, inJson)

/** `a`, `a_2`, `a_3`: numbers repeated column names. Names with the same `key` count as equal. */
export const distinct = (
  names: ReadonlyArray<string>,
  key: (name: string) => string = (name) => name
): ReadonlyArray<string> => {
  const taken = new Set(names.map(key))
  const seen = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let count = 2; seen.has(key(free)) || (free !== name && taken.has(key(free))); count++) {
      free = `${name}_${count}`
    }
    seen.add(key(free))
    return free
  })
}

const plain = /^[ -~]*$/
const wide =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\u3000-\u303f]/u
const invisible = /^[\p{M}\p{Cf}]+$/u

const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

const characterWidth = (character: string): number => {
  if (plain.test(character)) return 1
  if (wide.test(character)) return 2
  return invisible.test(character) ? 0 : 1
}

/** Columns that the text takes in a terminal. */
export const width = (text: string): number => {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of characters.segment(text)) columns += characterWidth(segment)
  return columns
}

/** The text in at most `columns` columns, with an ellipsis if something is missing. */
export const cut = (text: string, columns: number): string => {
  if (text.length <= columns && plain.test(text)) return text
  if (plain.test(text)) return `${text.slice(0, columns - 1)}…`
  let kept = ""
  let taken = 0
  for (const { segment } of characters.segment(text)) {
    const next = taken + characterWidth(segment)
    if (next > columns - 1) return width(text) <= columns ? text : `${kept}…`
    kept += segment
    taken = next
  }
  return text
}
