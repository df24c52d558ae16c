/**
 * The columns that a record's fields would become: names that are safe in SQL, types by schema, format and name, and
 * what a person should look at: money, which is only suggested, secrets, which are dropped, and personal data.
 *
 * A column of a table that siteledger already has keeps its type. Pure.
 */
import { isSecretName } from "../Domain/FieldNames.ts"
import * as Instant from "../Domain/Instant.ts"
import { type Resource, tableColumns } from "../Domain/Resource.ts"
import { at } from "./Document.ts"
import { exampleOf, isMoneyField } from "./Money.ts"
import type { Field } from "./RecordFields.ts"
import { free, isName, nameOf, plain, words } from "../Domain/Names.ts"
import type { Column, ColumnType } from "./Review.ts"
import { formatOf, type Scalar, type Shapes } from "./Shape.ts"

export interface Made {
  readonly columns: ReadonlyArray<Column>
  /** By field: the column that it became. */
  readonly byField: ReadonlyMap<string, string>
  readonly reasons: ReadonlyArray<string>
}

export interface For {
  /** Set if siteledger already has the table. */
  readonly known: Resource | undefined
  /** The field that names a record; in such a table it becomes the `id`. */
  readonly key: string | undefined
  /** Fields beyond this number stay without a column. */
  readonly most: number
}

export const columnsOf = (shapes: Shapes, fields: ReadonlyArray<Field>, { key, known, most }: For): Made => {
  const own = known === undefined ? undefined : new Map(tableColumns(known).map(({ name, type }) => [name, type]))
  const taken = new Set<string>()
  const columns: Array<Column> = []
  const byField = new Map<string, string>()
  const notes = new Notes()
  // A key is a column, wherever its field is.
  const first =
    fields.length > most ? fields.toSorted((a, b) => Number(b.name === key) - Number(a.name === key)) : fields
  for (const each of first.slice(0, most)) {
    const wanted = known !== undefined && each.name === key ? "id" : nameOf(each.name, "field")
    const name = free(isComputed(known, wanted) ? `listed_${wanted}` : wanted, taken)
    taken.add(name)
    byField.set(each.name, name)
    const suggested = suggestionOf(shapes, each, name, each.name === key)
    const type = own?.get(name)
    const isOurs = type !== undefined && name !== "status"
    columns.push({
      name,
      type: isOurs ? type : suggested.type,
      use: suggested.isSecret ? "drop" : "keep",
      ...(suggested.isMoney && !isOurs ? { money: "suggested" as const } : {}),
      ...(each.from === `/${name}` ? {} : { from: each.from })
    })
    notes.add(each, name, suggested, isOurs ? type : undefined)
  }
  if (fields.length > most) notes.say(`It has ${fields.length} fields: those after ${most} stay in _extra.`)
  return { columns, byField, reasons: notes.sentences() }
}

/** What events say about an entity's life isn't the same as a list's field of that name. */
const isComputed = (known: Resource | undefined, name: string): boolean =>
  known !== undefined &&
  known.stages.length > 0 &&
  (name === "status" || known.stages.some(({ at: column }) => column === name))

interface Suggestion {
  readonly type: ColumnType
  readonly isMoney: boolean
  readonly isSecret: boolean
  readonly isPersonal: boolean
  readonly isMinor: boolean
}

const suggestionOf = (
  shapes: Shapes,
  { isAmount, name, schema }: Field,
  column: string,
  isKey: boolean
): Suggestion => {
  const shape = shapes.of(schema)
  const isSecret = isSecretName(column) && shape.kind === "scalar" && shape.type === "string"
  const isPersonal = personalNames.test(column)
  if (shape.kind !== "scalar") return { type: "JSON", isMoney: false, isMinor: false, isSecret, isPersonal }
  const isMoney = !isKey && (isAmount === true || isMoneyField(shape, name))
  const usual = isMoney ? "DECIMAL(28,4)" : typeOf(shape, name)
  // Some documents use the type "number" for whole numbers.
  const type = isKey && usual === "DOUBLE" ? "BIGINT" : usual
  return {
    type,
    isMoney,
    isMinor: isMoney && shape.type === "integer",
    isSecret: isSecret || formatOf(shape) === "password" || at(shape.schema, "writeOnly") === true,
    isPersonal
  }
}

const byFormat: Readonly<Record<string, ColumnType>> = {
  "date-time": "TIMESTAMPTZ",
  datetime: "TIMESTAMPTZ",
  timestamp: "TIMESTAMPTZ",
  "unix-time": "TIMESTAMPTZ",
  date: "DATE",
  // Exact, regardless of what it counts.
  decimal: "DECIMAL(28,4)",
  int64: "BIGINT",
  int32: "BIGINT"
}

const typeOf = (scalar: Scalar, name: string): ColumnType => {
  const format = formatOf(scalar)
  switch (scalar.type) {
    case "boolean":
      return "BOOLEAN"
    case "integer":
      return byFormat[format] === "TIMESTAMPTZ" || isUnixTime(name) ? "TIMESTAMPTZ" : "BIGINT"
    case "number":
      return byFormat[format] ?? "DOUBLE"
    case "string": {
      const known = Object.hasOwn(byFormat, format) ? byFormat[format] : undefined
      return known ?? (format === "" ? byExample(scalar) : "VARCHAR")
    }
  }
}

const isUnixTime = (name: string): boolean => /^(created|updated|modified|deleted)$|_at$/.test(words(name).join("_"))

/** A schema without a format may have an example. */
const byExample = ({ schema }: Scalar): ColumnType => {
  const example = exampleOf(schema)
  if (example === undefined || !/^\d{4}-\d\d-\d\d/.test(example) || at(schema, "enum") !== undefined) return "VARCHAR"
  if (Instant.readMicros(example) === undefined) return "VARCHAR"
  return example.length === 10 ? "DATE" : "TIMESTAMPTZ"
}

const personalNames =
  /(^|_)(email|e_mail|phone|mobile|iban|ssn|passport|birthday|birth_date|date_of_birth|tax_id|national_id|first_name|last_name|surname|ip_address)$/

/** What a person should know about the columns: one sentence for each kind. */
class Notes {
  readonly #money: Array<string> = []
  readonly #minor: Array<string> = []
  readonly #secret: Array<string> = []
  readonly #personal: Array<string> = []
  readonly #renamed: Array<string> = []
  readonly #ours: Array<string> = []
  readonly #said: Array<string> = []

  say(sentence: string): void {
    this.#said.push(sentence)
  }

  add(
    { name }: Field,
    column: string,
    { isMinor, isMoney, isPersonal, isSecret, type }: Suggestion,
    ours: string | undefined
  ): void {
    if (isMoney && ours === undefined) (isMinor ? this.#minor : this.#money).push(column)
    if (isSecret) this.#secret.push(column)
    else if (isPersonal) this.#personal.push(column)
    if (plain(name) !== plain(column) || !isName(column)) this.#renamed.push(column)
    if (ours !== undefined && ours !== type) this.#ours.push(`${column} (${ours})`)
  }

  sentences(): ReadonlyArray<string> {
    const of = (columns: ReadonlyArray<string>): string =>
      columns.length > 6 ? `${columns.slice(0, 6).join(", ")} and ${columns.length - 6} more` : columns.join(", ")
    const told: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [this.#money, "Money, by name or format; sign it off: "],
      [this.#minor, "Money in whole numbers, perhaps in cents; check it before you sign it off: "],
      [this.#secret, "A secret by its name, so it is dropped: "],
      [this.#personal, "Personal by its name; keep, hash or drop: "],
      [this.#renamed, "Named differently from its field: "],
      [this.#ours, "The table has it already, with its type: "]
    ]
    return [
      ...told.flatMap(([columns, says]) => (columns.length === 0 ? [] : [`${says}${of(columns)}.`])),
      ...this.#said
    ]
  }
}
