/**
 * A workbook for Excel and other spreadsheets: the lines of each entry, as in `journal.csv`, then what the chart adds.
 * Pure.
 *
 * Dates are real dates. An amount is a number if a spreadsheet keeps all its digits, otherwise text. A journal that is
 * too long for one sheet continues on the next. Texts are complete unless longer than a cell can hold. `notes` counts
 * deviations from this.
 */
import { Result } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import { decimalsFor, figure } from "./Figures.ts"
import { type FileWriter, utf8 } from "./Format.ts"
import type { JournalEntry, Line } from "./JournalEntry.ts"
import * as Workbook from "./Workbook.ts"
import { Zip } from "./Zip.ts"

/** A double has at least this many, and Excel keeps no more. */
const mostDigits = 15
const mostCharacters = 32_767
/** Of 1,048,576 rows, one is the heading. */
const mostLines = 1_048_575

interface Counted {
  amounts: number
  texts: number
}

interface Column {
  readonly width: number
  readonly cell: (entry: JournalEntry, line: Line, counted: Counted) => Workbook.Cell | undefined
}

const isKept = (figure: string): boolean => figure.replace(".", "").replace(/^0+|0+$/g, "").length <= mostDigits

const amount =
  (sign: 1n | -1n): Column["cell"] =>
  ({ currency }, line, counted) => {
    const units = Amount.toUnits(line.amount) * sign
    if (units < 0n) return undefined
    const shown = figure(units, currency)
    if (isKept(shown)) return Workbook.number(shown, Workbook.style.amount(decimalsFor(units, currency)))
    counted.amounts++
    return Workbook.text(shown)
  }

const text =
  (of: (entry: JournalEntry, line: Line) => string | null): Column["cell"] =>
  (entry, line, counted) => {
    const value = of(entry, line)
    if (value === null || value === "") return undefined
    if (value.length <= mostCharacters) return Workbook.text(value)
    counted.texts++
    return Workbook.text(`${value.slice(0, mostCharacters - 1).replace(/[\uD800-\uDBFF]$/, "")}…`)
  }

const columns: Readonly<Record<string, Column>> = {
  date: { width: 11, cell: ({ date }) => Workbook.date(date) },
  entry_id: { width: 35, cell: text(({ id }) => id) },
  sequence: { width: 10, cell: ({ sequence }) => Workbook.number(String(sequence)) },
  ipc_id: { width: 14, cell: text(({ ipc }) => ipc) },
  project_id: { width: 11, cell: text(({ project }) => project) },
  account: { width: 16, cell: text((_, { account }) => account) },
  debit: { width: 18, cell: amount(1n) },
  credit: { width: 18, cell: amount(-1n) },
  currency: { width: 9, cell: text(({ currency }) => currency) },
  payment_reference: { width: 22, cell: text(({ reference }) => reference) },
  kind: { width: 12, cell: text(({ kind }) => kind) },
  certificate_url: { width: 30, cell: text(({ certificateUrl }) => certificateUrl) },
  known_at: { width: 28, cell: text(({ knownAt }) => knownAt) },
  narration: { width: 40, cell: text(({ narration }) => narration) },
  company: { width: 16, cell: text(({ company }) => company) },
  tax_code: { width: 10, cell: text((_, { taxCode }) => taxCode) },
  cost_code: { width: 10, cell: text((_, { costCode }) => costCode) },
  counterparty: { width: 24, cell: text((_, { counterparty }) => counterparty?.name ?? null) },
  tracking: {
    width: 24,
    cell: text((_, { tracking }) => tracking.map(({ category, option }) => `${category}: ${option}`).join("; "))
  }
}

const cells = Object.values(columns).map(({ cell }) => cell)
const heading = Object.keys(columns).map((name) => Workbook.text(name, Workbook.style.heading))
const widths = Object.values(columns).map(({ width }) => width)

/** The first entries whose lines fit a sheet that already has some. An empty sheet takes any first entry. */
const fitting = (all: ReadonlyArray<JournalEntry>, lines: number, most: number): ReadonlyArray<JournalEntry> => {
  let count = lines
  const next = all.findIndex((entry, index) => (count += entry.lines.length) > most && lines + index > 0)
  return next < 0 ? all : all.slice(0, next)
}

const tooLarge = "The journal is too large for a workbook (4 GiB): write it in parts, with --from and --to."

/** `most`: lines per sheet. The lines of an entry stay together. */
export const xlsx = (most = mostLines): FileWriter => {
  const zip = new Zip()
  const counted: Counted = { amounts: 0, texts: 0 }
  let [sheets, lines] = [0, 0]

  const begin = (): ReadonlyArray<Uint8Array> => {
    lines = 0
    const first = utf8(Workbook.sheetBegin(widths) + Workbook.row(1, heading))
    return [zip.begin(Workbook.sheetPath(++sheets)), zip.add(first)]
  }

  const end = (): ReadonlyArray<Uint8Array> => [zip.add(utf8(Workbook.sheetEnd)), zip.end()]

  const rows = (some: ReadonlyArray<JournalEntry>): Uint8Array => {
    const texts = some.flatMap((entry) =>
      entry.lines.map((line) =>
        Workbook.row(
          ++lines + 1,
          cells.map((cell) => cell(entry, line, counted))
        )
      )
    )
    return utf8(texts.join(""))
  }

  const add = (all: ReadonlyArray<JournalEntry>): Result.Result<Uint8Array, string> => {
    const pieces: Array<Uint8Array> = []
    for (let rest = all; rest.length > 0;) {
      const some = fitting(rest, lines, most)
      rest = rest.slice(some.length)
      const bytes = rows(some)
      if (zip.isFull(bytes.length)) return Result.fail(tooLarge)
      pieces.push(zip.add(bytes))
      if (rest.length > 0) pieces.push(...end(), ...begin())
    }
    return Result.succeed(Buffer.concat(pieces))
  }

  const finish = (): Uint8Array => {
    const parts = Object.entries(Workbook.partsOf(sheets)).flatMap(([name, part]) => [
      zip.begin(name),
      zip.add(utf8(part)),
      zip.end()
    ])
    return Buffer.concat([...parts, zip.finish()])
  }

  return {
    begin: () => Buffer.concat(begin()),
    add,
    end: () => Buffer.concat([...end(), finish()]),
    notes: () => notesOf(counted)
  }
}

const notesOf = ({ amounts, texts }: Counted): ReadonlyArray<string> => [
  ...(amounts === 0
    ? []
    : [
        `${amounts} amounts have more digits than a spreadsheet keeps (${mostDigits}). They are texts, which sums leave out.`
      ]),
  ...(texts === 0 ? [] : [`${texts} texts are longer than a cell holds (${mostCharacters} characters) and were cut.`])
]
