/**
 * The row of an erased record in PostgreSQL's warehouse. What is left equals what the service's records and bodies
 * would make after losing the same data. Its key stays, and so does what is kept of it.
 */
import { emptied, type Keeps } from "../../Domain/ErasedRecord.ts"
import type * as Erasure from "../../Domain/Erasure.ts"
import * as Json from "../../Domain/Json.ts"
import { sorted } from "../../Domain/ObjectText.ts"
import type { ColumnType } from "../../Domain/Resource.ts"
import { readValue } from "../../Domain/Value.ts"
import type { EntityTable } from "../../Stores/EntityTables.ts"
import type { Fields } from "./Fields.ts"

/** A row, as canonical text by column. */
export type Texts = Readonly<Record<string, string | null>>

/** Columns that contain nothing from the service, or are derived from the others. */
export const own: ReadonlySet<string> = new Set([
  "_clocks",
  "_extra",
  "_nested",
  "_first_seen_at",
  "_changed_at",
  "_deleted_at"
])

/** For a learned column, the field from which it was made is one of the names. */
export const namesOf = ({ name: table, resource }: EntityTable, column: string, fields: Fields) => {
  const { isKept, names } = fields.of(table, column)
  const more = [...(resource.fields ?? []), ...(resource.learned ?? [])].flatMap(([field, filled]) =>
    filled === column ? [field] : []
  )
  return { isKept, names: [...new Set([...names, ...more])] }
}

/** JSON texts by field. */
export const extraText = (extra: Readonly<Record<string, string>>): string | null => {
  const fields = Object.entries(sorted(extra))
  return fields.length === 0 ? null : `{${fields.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`
}

interface Asked {
  readonly reads: Erasure.Reads
  readonly fields: Fields
}

export const emptiedRow = (table: EntityTable, row: Texts, { fields, reads }: Asked): Texts => {
  const { keeps } = reads.records(table.name)
  const left: Record<string, string | null> = { ...row }
  const clocks = JSON.parse(row["_clocks"] ?? "{}") as object
  const extra = Object.create(null) as Record<string, string>
  const rest = (Json.parse(row["_extra"] ?? "{}") ?? {}) as Readonly<Record<string, unknown>>
  // A name with its own version came without a column; the others are values that didn't fit a column.
  const isField = (name: string): boolean => Object.hasOwn(clocks, `+${name}`)
  const unfit = new Map(Object.entries(rest).filter(([name]) => !isField(name)))
  for (const [name, value] of Object.entries(rest))
    if (isField(name)) extra[name] = Json.stringify(emptied(value, keeps, name))
  for (const { name, type } of table.columns) {
    const { isKept, names } = namesOf(table, name, fields)
    if (own.has(name) || name === table.key) continue
    const misfit = unfit.get(name)
    if (isKept) {
      if (misfit !== undefined) extra[name] = Json.stringify(emptied(misfit, keeps, name))
      continue
    }
    const way = names.find(keeps.leads) ?? name
    const less = emptied(misfit ?? given(type, row[name]), names.some(keeps.shows) ? showing : keeps, way)
    const read = readValue(type, less)
    left[name] = read ?? null
    if (read === undefined) extra[name] = Json.stringify(less)
  }
  return { ...left, _extra: extraText(extra), ...("_nested" in row ? { _nested: null } : {}) }
}

const showing: Keeps = { stays: () => false, leads: () => false, shows: () => true }

/** As JSON, as far as the column tells. */
const given = (type: ColumnType, text: string | null | undefined): unknown =>
  text == null ? null : type === "JSON" ? Json.parse(text) : text
