/**
 * The row of an entity from its very first change. It equals what `Merge` makes, but takes a fraction of the time,
 * because a first walk makes millions of rows. The records of a page share one version and usually the same fields, so
 * the text of their clocks is written once. Pure.
 */
import type { Change } from "./Change.ts"
import * as Nested from "./Nested.ts"
import { sorted } from "./ObjectText.ts"
import { furthestStage, keyColumn, type Resource, tableColumns } from "./Resource.ts"

/** Misfits and tombstones are rare; `Merge` handles them. */
export const isPlain = ({ misfits, source }: Change): boolean => {
  for (const _column in misfits) return false
  return source !== "absence"
}

export const firstRow = (resource: Resource, change: Change): Readonly<Record<string, string | null>> => {
  const { extra, id, seenAt, values } = change
  const row: Record<string, string | null> = {}
  for (const { name } of tableColumns(resource)) row[name] = null
  for (const column of Object.keys(values)) row[column] = values[column] ?? null
  const { clocks, fields } = formOf(change)
  row[keyColumn(resource)] = id
  row["_clocks"] = clocks
  row["_extra"] = fields.length === 0 ? null : textOf(fields, extra)
  row["_first_seen_at"] = seenAt
  row["_changed_at"] = seenAt
  if (resource.stages.length > 0) row["status"] = furthestStage(resource, row)
  if (resource.nested !== undefined) row[Nested.column] = Nested.textOf(resource, row)
  return row
}

interface Field {
  readonly name: string
  /** Its name as JSON, with a colon. */
  readonly key: string
}

/** What records with the same fields and version share. */
interface Form {
  readonly version: string
  readonly columns: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly clocks: string
  /** In the order in which they are written. */
  readonly fields: ReadonlyArray<Field>
}

let last: Form = { version: "", columns: [], names: [], clocks: "", fields: [] }

const formOf = ({ extra, values, version }: Change): Form => {
  const [columns, names] = [Object.keys(values), Object.keys(extra)]
  if (version !== last.version || !areSame(columns, last.columns) || !areSame(names, last.names)) {
    last = {
      version,
      columns,
      names,
      clocks: clocksOf(columns, names, version),
      fields: Object.keys(sorted(extra)).map((name) => ({ name, key: `${JSON.stringify(name)}:` }))
    }
  }
  return last
}

/** `names`: the fields without a column. */
export const clocksOf = (columns: ReadonlyArray<string>, names: ReadonlyArray<string>, version: string): string => {
  const clocked = [...columns, "_deleted_at", ...names.map((name) => `+${name}`)]
  return JSON.stringify(sorted(Object.fromEntries(clocked.map((name) => [name, version]))))
}

const areSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean => {
  if (some.length !== others.length) return false
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false
  return true
}

const textOf = (fields: ReadonlyArray<Field>, extra: Change["extra"]): string => {
  let text = ""
  for (const { key, name } of fields) text += `${text === "" ? "{" : ","}${key}${extra[name] ?? "null"}`
  return `${text}}`
}
