/**
 * The protocol between the query and its child process: one JSON line in (the request), then lines out.
 *
 * The child sends the columns, then one line for each row (an array of cells) unless it writes the rows to a file, then
 * how it ended. A cell is null, a boolean, a number that a double holds exactly, or text; nested values are arrays and
 * objects of such cells. Lines without an ending mean that the child died and rows may be missing. The child starts
 * with this module, so it imports nothing: Effect alone would double the child's startup time.
 */
export interface Request {
  readonly file: string
  readonly sql: string
  readonly rows: number
  readonly millis: number
  readonly memoryMb: number
  /** Where the answer is written as Parquet; null if its rows are sent. */
  readonly folder: string | null
  /** The most bytes in that folder, including what is needed to make the answer; absent for as many as the disk has. */
  readonly mostBytes?: number
}

/** The child writes here: DuckDB itself may print to standard output. */
export const frameFd = 3

/** In the request's folder: the answer as Parquet. */
export const answerFile = "answer.parquet"

/** The largest row on the wire, in characters: a larger one would cost the parent its flat memory. */
export const maxRowLength = 32 * 1024 * 1024

export interface Column {
  readonly name: string
  readonly isNumber: boolean
}

export interface Columns {
  readonly columns: ReadonlyArray<Column>
  /** EXPLAIN's drawing of a plan, as text with line breaks. */
  readonly isPlan: boolean
}

export interface Ending {
  readonly ended: "complete" | "cut" | "failed"
  readonly message: string
  /** Rows of a complete answer. */
  readonly rows: number
}

export type Cell = unknown
export type Row = ReadonlyArray<Cell>
export type Frame = Columns | Ending | Row

export const isRow = (frame: Frame): frame is Row => Array.isArray(frame)
export const isEnding = (frame: Frame): frame is Ending => "ended" in frame

export const write = (frame: Frame): string => `${JSON.stringify(frame)}\n`

/** A value in a form that JSON can carry: bytes as `\x…`, NaN and the infinities by name. */
export const cell = (value: unknown): Cell => {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  if (Array.isArray(value)) return value.map(cell)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cell(item)]))
}
