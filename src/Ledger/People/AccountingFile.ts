/**
 * What an accounting system has, from a file that it exported: CSV or JSON with at least `entry_id` and `amount`, named
 * as in the entries that it received (in CSV, `lines` is a cell with JSON). One message names all bad lines; a file
 * with one bad line is refused.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import * as Instant from "../../Domain/Instant.ts"
import * as Limits from "../../Domain/Limits.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { ledger } from "../../Stores/Tables/Ledger.ts"
import type * as Fact from "../Fact.ts"
import { LedgerError } from "./Decide.ts"
import * as FileLines from "./FileLines.ts"
import * as TextRows from "./TextRows.ts"

type Kind = StoreTables["ledger_entries"]["kind"]

/** An entry as the accounting system has it. */
export interface Line {
  readonly entryId: string
  readonly units: bigint
  /** Null if the file doesn't say. */
  readonly currency: string | null
  readonly ipcId: string | null
  readonly reference: string | null
  readonly effectiveAt: Instant.Instant | null
  readonly kind: Kind | null
  /** What it moves on each account, as `Lines.summed` gives it. */
  readonly lines: ReadonlyArray<Fact.Line> | null
  /** Its place in the journal from which it came, as sortable text; null if the file doesn't say. */
  readonly place: string | null
}

export interface AccountingFile {
  /** By entry. */
  readonly lines: ReadonlyMap<string, Line>
  /** Lines with ids that no ledger entry has: the accounting system's own. */
  readonly others: number
}

const columns = [
  "entry_id",
  "amount",
  "currency",
  "ipc_id",
  "payment_reference",
  "effective_at",
  "epoch",
  "sequence",
  "kind",
  "lines"
]
const mostComplaints = 20
const mostLines = 1_000_000

const isEntryId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id)

export const read = Effect.fn("Ledger.readAccounting")(function* (path: string) {
  const rows = yield* TextRows.read(path, columns)
  if (rows.length > mostLines) return yield* unusable(path, `it has more than ${mostLines} lines`)
  const [first] = rows
  const missing = columns.slice(0, 2).filter((name) => first !== undefined && !(name in first))
  if (missing.length > 0) return yield* unusable(path, `it needs the columns ${missing.join(", ")}`)
  const lines = new Map<string, Line>()
  const complaints: Array<string> = []
  let others = 0
  for (const [index, row] of rows.entries()) {
    const line = lineOf(row)
    if (line === undefined) others++
    else if (typeof line === "string") complaints.push(`line ${index + 2}: ${line}`)
    else if (lines.has(line.entryId)) complaints.push(`line ${index + 2}: entry ${line.entryId} is there twice`)
    else lines.set(line.entryId, line)
  }
  if (complaints.length === 0) return { lines, others } satisfies AccountingFile
  const shown = complaints.slice(0, mostComplaints).join("; ")
  return yield* unusable(path, `${shown}${complaints.length > mostComplaints ? "; …" : ""}`)
})

const unusable = (path: string, why: string) => new LedgerError({ message: `${path} can't be compared: ${why}.` })

const textOf = (row: TextRows.TextRow, name: string): string | null => {
  const text = row[name]?.trim() ?? ""
  return text === "" ? null : text
}

/** Undefined if it isn't one of ours; a text says what is wrong. */
const lineOf = (row: TextRows.TextRow): Line | string | undefined => {
  const entryId = textOf(row, "entry_id")?.toLowerCase() ?? ""
  if (!isEntryId(entryId)) return undefined
  const amount = Amount.read(row["amount"] ?? "", Amount.Money)
  if (amount === undefined) return "the amount isn't a number"
  if (!Object.values(row).every((text) => text === null || Limits.isText(text))) return "it holds a NUL"
  if (Limits.isTooLong(row["ipc_id"] ?? "")) return `the ipc_id is longer than ${Limits.longestId} bytes`
  const written = textOf(row, "lines")
  const lines = written === null ? null : FileLines.read(written)
  if (typeof lines === "string") return lines
  const time = textOf(row, "effective_at")
  const micros = time === null ? undefined : Instant.readMicros(time)
  return {
    entryId,
    units: Amount.toUnits(amount),
    currency: textOf(row, "currency"),
    ipcId: textOf(row, "ipc_id"),
    reference: textOf(row, "payment_reference"),
    effectiveAt: micros === undefined ? null : Instant.fromMicros(micros),
    kind: kindOf(row),
    lines,
    place: placeOf(row)
  }
}

const kinds: ReadonlySet<string> = new Set(ledger.ledger_entries.columns.kind.type.words)

/** Other words are the accounting system's own. */
const kindOf = (row: TextRows.TextRow): Kind | null => {
  const word = textOf(row, "kind") ?? ""
  return kinds.has(word) ? (word as Kind) : null
}

const digits = 20

const placeOf = (row: TextRows.TextRow): string | null => {
  const [epoch, sequence] = [textOf(row, "epoch") ?? "1", textOf(row, "sequence")]
  return sequence === null ? null : `${epoch.padStart(digits, "0")} ${sequence.padStart(digits, "0")}`
}
