/**
 * An answer as an aligned table: numbers on the right, NULL as ∅, control characters escaped.
 *
 * The first rows decide the widths, so memory stays flat for an answer of any length. If nothing is cut, a later, wider
 * cell is shown in full and makes its line longer. On a terminal, long text is cut but a number never is; columns that
 * don't fit are left out, and a note names them.
 */
import type { Cell, Column, Row } from "./Frames.ts"
import * as Text from "./Text.ts"
import type { Writer } from "./Writer.ts"

export interface TableOptions {
  /** Columns of the terminal; undefined if nothing is cut. */
  readonly width: number | undefined
  readonly color: boolean
}

const sampleRows = 1000
const sampleLength = 1024 * 1024
const gap = "  "

/** Text isn't cut below this width while a column could be left out instead. */
const leastWidth = 8

interface Layout {
  readonly widths: ReadonlyArray<number>
  readonly left: ReadonlyArray<string>
}

export const table = ({ color, width }: TableOptions): Writer => {
  let columns: ReadonlyArray<Column> = []
  let isPlan = false
  let layout: Layout | undefined
  let sample: Array<ReadonlyArray<string>> = []
  let length = 0

  const nothing = color ? "\u001b[2m∅\u001b[22m" : "∅"

  const line = (texts: ReadonlyArray<string>, { widths }: Layout): string => {
    const cells = widths.map((most, index) => padded(texts[index] ?? "", most, columns[index]?.isNumber === true))
    return `${cells.join(gap).trimEnd()}\n`
  }
  const padded = (text: string, most: number, isNumber: boolean): string => {
    const shown = text === absent ? nothing : width === undefined || isNumber ? text : Text.cut(text, most)
    const space = " ".repeat(Math.max(0, most - (text === absent ? 1 : Text.width(shown))))
    return isNumber ? space + shown : shown + space
  }

  const begin = (): string => {
    const names = columns.map(({ name }) => Text.visible(name))
    layout = fit(columns, naturalWidths([names, ...sample]), width)
    const chosen = layout
    const rule = chosen.widths.map((most) => "-".repeat(most))
    const lines = [names, rule, ...sample].map((texts) => line(texts, chosen))
    sample = []
    return lines.join("")
  }

  return {
    columns: (head) => {
      columns = head.columns
      isPlan = head.isPlan
      return ""
    },
    row: (row) => {
      if (isPlan) return planText(row)
      const texts = row.map(shownText)
      if (layout !== undefined) return line(texts, layout)
      sample.push(texts)
      length += texts.reduce((sum, text) => sum + text.length, 0)
      return sample.length >= sampleRows || length >= sampleLength ? begin() : ""
    },
    end: (ending) => {
      const isNothing = columns.length === 0 || (ending === "failed" && sample.length === 0)
      return isPlan || layout !== undefined || isNothing ? "" : begin()
    },
    notes: () => leftOut(layout?.left ?? [])
  }
}

// A character that `visible` never lets through.
const absent = "\u0000"

const shownText = (cell: Cell): string => (cell === null ? absent : Text.visible(Text.cellText(cell)))

/** EXPLAIN has its own layout. */
const planText = (row: Row): string => `${Text.visibleLines(Text.cellText(row.at(-1)))}\n`

const naturalWidths = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const texts of lines) {
    for (const [index, text] of texts.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, text === absent ? 1 : Text.width(text))
    }
  }
  return widths
}

const total = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))

/** Cuts the widest text columns first; if that isn't enough, leaves out columns from the right. */
const fit = (columns: ReadonlyArray<Column>, natural: ReadonlyArray<number>, width: number | undefined): Layout => {
  if (width === undefined) return { widths: natural, left: [] }
  for (let count = columns.length; count > 1; count--) {
    const widths = narrowed(columns, natural.slice(0, count), width, leastWidth)
    if (total(widths) <= width) return { widths, left: columns.slice(count).map(({ name }) => name) }
  }
  return { widths: narrowed(columns, natural.slice(0, 1), width, 1), left: columns.slice(1).map(({ name }) => name) }
}

const narrowed = (
  columns: ReadonlyArray<Column>,
  natural: ReadonlyArray<number>,
  width: number,
  least: number
): ReadonlyArray<number> => {
  const capped = (cap: number) =>
    natural.map((each, index) => (columns[index]?.isNumber === true ? each : Math.min(each, cap)))
  let low = least
  for (let high = Math.max(width, least); low < high;) {
    const middle = Math.ceil((low + high) / 2)
    if (total(capped(middle)) <= width) low = middle
    else high = middle - 1
  }
  return capped(low)
}

const leftOut = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (names.length === 0) return []
  const shown = names.slice(0, 10).map(Text.visible).join(", ")
  const more = names.length > 10 ? ", …" : ""
  return [`Not shown because the terminal is too narrow: ${shown}${more} (--csv and --json have every column).`]
}
