/**
 * What a verb did, in a few lines for people. `--json` prints the same as one document.
 *
 * Guarantees: no control character in a value reaches the terminal, and no value produces a line of its own.
 */
import { Console } from "effect"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Text from "../src/Query/Text.ts"
import * as Print from "./Print.ts"

type Lines = ReadonlyArray<string>

/** Prints an answer: a page for people, or one line of JSON for programs. */
export const answer =
  <A>(asJson: boolean, page: (value: A) => Lines) =>
  (value: A) =>
    asJson ? Print.document(value) : Console.log(page(value).map(Text.visible).join("\n"))

/** `1 row`, `12,345 rows`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`

const units = ["bytes", "kB", "MB", "GB", "TB"]

/** `512 bytes`, `1.4 MB`. */
export const size = (bytes: number): string => {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${units[step]}`
}

type Named = Readonly<Record<string, unknown>>

const isNamed = (value: unknown): value is Named => typeof value === "object" && value !== null && !Array.isArray(value)

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null

const isEmpty = (value: unknown): boolean => value == null || (!isFlat(value) && Object.keys(value).length === 0)

/** Names with their values beside them; nested values stand below their name, and equal objects form a table. */
export const outline = (value: Named): Lines => {
  const known = Object.entries(value).filter(([, each]) => !isEmpty(each))
  const flat = known.filter(([, each]) => isFlat(each))
  const width = Math.max(0, ...flat.map(([name]) => name.length))
  return [
    ...flat.map(([name, each]) => `${name.padEnd(width)}  ${String(each)}`),
    ...known.flatMap(([name, each]) => (isFlat(each) ? [] : ["", name, ...nested(each).map(indented)]))
  ]
}

/** A part of a page, after an empty line. `nothing`: the text if there are no lines. */
export const section = (title: string, lines: Lines, nothing: string): Lines => [
  "",
  title,
  ...(lines.length === 0 ? [nothing] : lines).map((line) => `  ${line}`)
]

const indented = (line: string): string => (line === "" ? "" : `  ${line}`)

const nested = (value: unknown): Lines => {
  if (isNamed(value)) return outline(value)
  const items: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  if (items.every((item) => isNamed(item) && Object.values(item).every(isFlat))) return table(items as Array<Named>)
  return items.flatMap((item) => (isFlat(item) ? [String(item)] : nested(item)))
}

export const table = (rows: ReadonlyArray<Named>): Lines =>
  Print.aligned([...new Set(rows.flatMap(Object.keys))], rows).split("\n")

type Posted = Answer<"ledger-post">

const entry = ({ amount, entry_id, ipc_id, kind }: Posted["posted"][number]): string =>
  `Posted ${kind} ${amount ?? "(too many digits)"} for IPC ${ipc_id}: entry ${entry_id}`

const hold = (verb: string) => (found: Posted["opened"][number]) =>
  `${verb} hold ${found.hold_id} of IPC ${found.ipc_id}: ${found.reason}`

/** What a person's act did to the books. */
export const posted = ({ closed, opened, posted: entries }: Posted): Lines => {
  const lines = [...entries.map(entry), ...opened.map(hold("Opened")), ...closed.map(hold("Closed"))]
  return lines.length === 0 ? ["Recorded. It posts nothing."] : lines
}

export const period = ({ open_from, ...effects }: Answer<"ledger-close">): Lines => [
  open_from === null ? "No month is closed." : `The books are closed before ${open_from}.`,
  ...(effects.posted.length + effects.opened.length + effects.closed.length === 0 ? [] : posted(effects))
]
