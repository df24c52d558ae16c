/**
 * Whether a table matches the service's list: each record is there once, each field's value is in its column, in the
 * column beside it, or in `_extra`, and nothing else is there. Neither the merge nor the rules for types are used;
 * values are compared by meaning. Returns a sentence for each difference. Pure.
 */
import type { RecordTruth } from "../../sandbox/Catalogue.ts"
import * as Json from "../../src/Domain/Json.ts"
import type { Rows } from "../World.ts"
import type { Column, List } from "./Switched.ts"

/** A row of `learned_columns`. */
export interface Learned {
  readonly resource: string
  readonly name: string
  readonly field: string
  readonly type: string
  readonly beside: string | null
}

type Fields = Readonly<Record<string, unknown>>
type Typed = Pick<Column, "name" | "type">

/** As text in both engines. */
const selected = ({ name, type }: Typed): string =>
  `cast("${name}"${type === "TIMESTAMPTZ" ? " at time zone 'UTC'" : ""} as varchar) as "${name}"`

const shown = ({ columns }: List): ReadonlyArray<Column> => columns.filter(({ use }) => use === "keep")

/** Selects the living rows. */
export const sqlFor = (list: List, learned: ReadonlyArray<Learned>): string => {
  const columns = [...shown(list), ...learned.filter(({ resource }) => resource === list.table)]
  const unique = [...new Map(columns.map((column) => [column.name, column])).values()]
  const names = [...unique, { name: "_extra", type: "JSON" }].map(selected).join(", ")
  return `select ${names} from construction."${list.table}" where _deleted_at is null`
}

const plainDecimal = (text: string): string => {
  const [whole = "", part = ""] = text.split(".")
  const digits = part.replace(/0+$/, "")
  return digits === "" ? whole : `${whole}.${digits}`
}

/** The same text for equal values, whatever the order of keys and the trailing zeros of numbers. */
const canonical = (value: unknown): string => {
  const number = Json.numberText(value)
  if (number !== undefined) return plainDecimal(number)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!Json.isObject(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.keys(value).toSorted()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

const says = (type: string, cell: string, value: unknown): boolean => {
  if (type === "JSON") return canonical(Json.parse(cell)) === canonical(value)
  if (typeof value === "boolean") return cell === String(value)
  const text = typeof value === "string" ? value : Json.numberText(value)
  if (text === undefined) return false
  if (type === "TIMESTAMPTZ") return Date.parse(`${cell.replace(" ", "T")}Z`) === Date.parse(text)
  if (type === "DOUBLE") return Number(cell) === Number(text)
  return type === "VARCHAR" || type === "DATE" ? cell === text : plainDecimal(cell) === plainDecimal(text)
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

/** The column's place in the record, as the parts of its JSON Pointer. */
const partsOf = ({ from, name }: Column): ReadonlyArray<string> =>
  (from ?? `/${name}`)
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

const at = (record: Fields, parts: ReadonlyArray<string>): unknown =>
  parts.reduce<unknown>((value, part) => (Json.isObject(value) ? value[part] : undefined), record)

const patternOf = (read: string): RegExp =>
  new RegExp(`^${read.replace("GET ", "").replaceAll(/\{([^}]*)\}/g, "(?<$1>[^/]+)")}$`)

interface Expected {
  /** The values of the columns in the review file. */
  readonly values: ReadonlyMap<Column, unknown>
  /** The values that no column of the file takes, by field. */
  readonly rest: ReadonlyMap<string, unknown>
  /** Fields of which the file's columns take only a part. */
  readonly parted: ReadonlySet<string>
}

const expectedOf = (list: List, { list: path, listed }: RecordTruth): Expected => {
  const parameters = patternOf(list.read).exec(path)?.groups ?? {}
  const taken = new Set<string>()
  const parted = new Set<string>()
  const values = new Map<Column, unknown>()
  for (const column of list.columns) {
    const parts = partsOf(column)
    if (column.parameter === undefined) (parts.length > 1 ? parted : taken).add(parts[0] ?? "")
    if (column.use !== "keep") continue
    values.set(column, column.parameter === undefined ? at(listed, parts) : parameters[column.parameter])
  }
  const rest = Object.entries(listed).filter(([field]) => !taken.has(field) && !parted.has(field))
  return { values, rest: new Map(rest), parted }
}

interface Row {
  readonly cells: Readonly<Record<string, unknown>>
  readonly extra: Record<string, unknown>
  readonly learned: ReadonlyArray<Learned>
}

/** Takes the value out of `_extra`. Undefined: nothing is wrong. */
const wrongValue = (row: Row, field: string, column: Typed | undefined, value: unknown): string | undefined => {
  const beside = row.learned.filter((each) => each.beside !== null && each.beside === column?.name)
  const cells = [...(column === undefined ? [] : [column]), ...beside].flatMap(({ name, type }) => {
    const cell = row.cells[name]
    return isNothing(cell) || (type === "JSON" && cell === "null") ? [] : [{ name, type, cell: String(cell) }]
  })
  const places = new Set([field, column?.name ?? field])
  for (const name of places) {
    if (!Object.hasOwn(row.extra, name)) continue
    if (!isNothing(row.extra[name])) cells.push({ name: "_extra", type: "JSON", cell: Json.stringify(row.extra[name]) })
    delete row.extra[name]
  }
  const told = cells.map(({ cell, name }) => `${name} ${cell}`).join(" and ")
  if (isNothing(value)) return cells.length === 0 ? undefined : `${field} is ${told} instead of nothing`
  // A column of days has the day of a time; the full time is kept beside it.
  const isDayOf = ({ cell, type }: (typeof cells)[number]) =>
    type === "DATE" && String(value).trim().startsWith(`${cell}T`)
  const [only, ...others] = cells.length > 1 ? cells.filter((cell) => !isDayOf(cell)) : cells
  if (only !== undefined && others.length === 0 && says(only.type, only.cell, value)) return undefined
  return `${field} is ${told === "" ? "nothing" : told} instead of ${Json.stringify(value)}`
}

const wrongIn = (row: Row, { parted, rest, values }: Expected): ReadonlyArray<string> => {
  const wrong: Array<string | undefined> = []
  for (const [column, value] of values) {
    const [field = "", ...inside] = partsOf(column)
    // The whole object is kept beside a column that takes a part of it.
    const isKept = inside.length > 0 && isNothing(row.cells[column.name]) && !isNothing(row.extra[field])
    const of = inside.length > 0 ? { ...row, extra: {} } : row
    if (!isKept) wrong.push(wrongValue(of, field, column, value))
  }
  const learned = row.learned.filter(({ beside }) => beside === null)
  const fields = new Set([...rest.keys(), ...learned.map(({ field }) => field)])
  const named = new Set([...values.keys()].map((column) => partsOf(column)[0]))
  for (const field of fields) {
    if (named.has(field)) continue
    wrong.push(
      wrongValue(
        row,
        field,
        learned.find((each) => each.field === field),
        rest.get(field)
      )
    )
  }
  for (const [field, value] of Object.entries(row.extra)) {
    if (!parted.has(field) && !isNothing(value)) wrong.push(`_extra has ${field} ${Json.stringify(value)}`)
  }
  return wrong.filter((each) => each !== undefined)
}

const keyText = (value: unknown): string => (typeof value === "string" ? value : (Json.numberText(value) ?? "none"))

export interface Compared {
  readonly violations: ReadonlyArray<string>
  readonly records: number
}

/** `rows`: the result of `sqlFor`. `same`: lists that show the same records, only one of which the truth names. */
export const compare = (
  list: List,
  same: ReadonlyArray<List>,
  rows: Rows,
  truth: ReadonlyArray<RecordTruth>,
  learned: ReadonlyArray<Learned>
): Compared => {
  const patterns = [list, ...same].map(({ read }) => patternOf(read))
  const records = truth.filter((record) => patterns.some((pattern) => pattern.test(record.list)))
  const found = Map.groupBy(rows, (row) => list.key.map((name) => keyText(row[name])).join("/"))
  const own = learned.filter(({ resource }) => resource === list.table)
  const violations: Array<string> = []
  for (const record of records) {
    const expected = expectedOf(list, record)
    const byName = new Map([...expected.values].map(([{ name }, value]) => [name, value]))
    const key = list.key.map((name) => keyText(byName.get(name))).join("/")
    const [row, ...others] = found.get(key) ?? []
    found.delete(key)
    if (row === undefined) violations.push(`${list.table} lacks ${key}`)
    else if (others.length > 0) violations.push(`${list.table} has ${key} ${others.length + 1} times`)
    else {
      const extra = isNothing(row["_extra"]) ? {} : (Json.parse(String(row["_extra"])) as Record<string, unknown>)
      const wrong = wrongIn({ cells: row, extra: { ...extra }, learned: own }, expected)
      if (wrong.length > 0) violations.push(`${list.table} ${key}: ${wrong.slice(0, 3).join("; ")}`)
    }
  }
  for (const key of found.keys()) violations.push(`${list.table} has ${key}, which is gone`)
  return { violations, records: records.length }
}
