/**
 * Erases from the warehouse's rows in PostgreSQL, in place, so that analysts' views and privileges stay. Afterwards a
 * row equals what a rebuild would make from the remaining bodies and a new walk, except for `_changed_at`: that is set
 * to now, so that readers who copy what has changed take the row again.
 */
import type { Client } from "pg"
import * as Erasure from "../../Domain/Erasure.ts"
import * as Instant from "../../Domain/Instant.ts"
import * as Json from "../../Domain/Json.ts"
import * as Nested from "../../Domain/Nested.ts"
import { sorted } from "../../Domain/ObjectText.ts"
import type { ColumnType } from "../../Domain/Resource.ts"
import { quoted, seen } from "../../Stores/Ddl.ts"
import type { EntityTable } from "../../Stores/EntityTables.ts"
import { typeName } from "../../Stores/Postgres/Ddl.ts"
import { eventsTable } from "../../Stores/WarehouseTables.ts"
import type { Fields } from "./Fields.ts"
import { emptiedRow, extraText, namesOf, own, type Texts } from "./ServerRecord.ts"
import { batches, type Change, type Column, type Row, update } from "./ServerScan.ts"

/** The request, for each row. */
export interface Asked {
  readonly redact: Erasure.Redactor
  readonly reads: Erasure.Reads
  readonly fields: Fields
  /** An Instant. */
  readonly now: string
}

export interface Written {
  readonly name: string
  readonly table: string
  readonly columns: ReadonlyArray<Column>
  readonly leftOf: (row: Row, asked: Asked) => Change | undefined
}

const keepsNone: Erasure.IsKept = () => false

export const events: Written = {
  name: `construction.${eventsTable.name}`,
  table: seen(eventsTable.name),
  columns: [{ name: "payload", type: "text" }],
  leftOf: ({ place, values: { payload } }, { reads, redact }) => {
    const left = typeof payload === "string" ? Erasure.redactText(payload, redact, reads.bodies) : undefined
    return left === undefined ? undefined : { place, values: { payload: left } }
  }
}

/** `has`: the columns that the table has on the server. */
export const ofEntities = (table: EntityTable, has: ReadonlySet<string>): Written => {
  const there = table.columns.filter(({ name }) => has.has(name) && name !== table.key)
  return {
    name: `construction.${table.name}`,
    table: seen(table.name),
    columns: [{ name: table.key, type: "text", of: `${quoted(table.key)}::text` }, ...there.map(columnOf)],
    leftOf: (row, asked) => leftIn({ ...table, columns: there }, row, asked)
  }
}

const columnOf = ({ name, type }: EntityTable["columns"][number]): Column => ({ name, type: typeName(type) })

const leftIn = (table: EntityTable, { place, values }: Row, asked: Asked): Change | undefined => {
  const came: Texts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? null : String(value)])
  )
  const isErased = asked.redact.isErased({ table: table.name, id: came[table.key] ?? "" })
  const left = withoutValues(table, isErased ? emptiedRow(table, came, asked) : came, asked)
  const changed = Object.entries(left).filter(([name, text]) => text !== (came[name] ?? null))
  if (changed.length === 0) return undefined
  return { place, values: { ...Object.fromEntries(changed), _changed_at: asked.now } }
}

const withoutValues = (table: EntityTable, row: Texts, asked: Asked): Texts => {
  const left: Record<string, string | null> = { ...row }
  const redact = asked.redact.text
  const renamed = renaming(row["_clocks"], redact)
  const extra = extraOf(row["_extra"], table.name, renamed, asked)
  for (const { name, type } of table.columns) {
    const { isKept, names } = namesOf(table, name, asked.fields)
    const text = row[name]
    if (own.has(name) || isKept || text == null) continue
    const whole = type === "DATE" ? extra[name] : undefined
    if (whole !== undefined) {
      // It has the day of a time that is kept whole.
      left[name] = Instant.readDate(Json.parse(whole)) ?? null
      continue
    }
    const less = lessOf(type, text, { names, redact })
    if (less === text) continue
    left[name] = less
    // As if the mark had arrived: it doesn't fit a time.
    if (less === null && isTime(type)) extra[name] = JSON.stringify(Erasure.mark)
  }
  left["_extra"] = extraText(extra)
  if (renamed.size > 0) left["_clocks"] = clocksText(row["_clocks"], renamed)
  if (row["_nested"] != null) left["_nested"] = nestedText(table, left, asked.redact)
  return left
}

/** A value that the service may have sent under any of these names. */
interface Named {
  readonly names: ReadonlyArray<string>
  readonly redact: Erasure.Redact
}

const textWithout = (text: string, { names, redact }: Named): string =>
  names.reduce((left, name) => redact(left, name), text)

const isTime = (type: ColumnType): boolean => type === "TIMESTAMPTZ" || type === "DATE"

/** How the service may have written a canonical value. */
const spellings = (type: ColumnType, text: string): ReadonlyArray<string> => {
  if (type === "TIMESTAMPTZ") return [text, text.replace(/\.0+Z$/, "Z"), text.replace(/(\.\d{3})0+Z$/, "$1Z")]
  if (type.startsWith("DECIMAL")) return [text, text.replace(/\.?0+$/, ""), text.replace(/0+$/, "")]
  return [text]
}

/** Null instead of a number or a time. */
const lessOf = (type: ColumnType, text: string, named: Named): string | null => {
  if (type === "VARCHAR") return textWithout(text, named)
  if (type === "JSON") return jsonWithout(text, named)
  if (type === "BOOLEAN") return text
  return spellings(type, text).some((each) => textWithout(each, named) !== each) ? null : text
}

const jsonWithout = (text: string, { names, redact }: Named): string => {
  const value = Json.parse(text)
  const left = names.reduce<unknown>((less, name) => Erasure.redactValue(less, redact, keepsNone, name), value)
  return left === value ? text : Json.stringify(left)
}

/** New names, by old name, of fields without a column whose name loses something. */
const renaming = (clocks: string | null | undefined, redact: Erasure.Redact): ReadonlyMap<string, string> => {
  const names = Object.keys(JSON.parse(clocks ?? "{}") as object).flatMap((name) =>
    name.startsWith("+") ? [name.slice(1)] : []
  )
  const taken = new Set(names)
  const renamed = new Map<string, string>()
  for (const name of names) {
    const left = redact(name, null)
    if (left === name) continue
    let free = left
    for (let count = 2; taken.has(free); count++) free = `${left} ${count}`
    taken.add(free)
    renamed.set(name, free)
  }
  return renamed
}

/** JSON texts by field. */
const extraOf = (
  text: string | null | undefined,
  table: string,
  renamed: ReadonlyMap<string, string>,
  { fields, reads, redact: { text: redact } }: Asked
): Record<string, string> => {
  const isKept = fields.areAsInBodies(table) ? reads.bodies.isKept : keepsNone
  const made = Object.create(null) as Record<string, string>
  for (const [name, value] of Object.entries((Json.parse(text ?? "{}") ?? {}) as object)) {
    const { isKept: isOfColumn, names } = fields.of(table, name)
    const stays = isOfColumn || (isKept(name, name) && (typeof value !== "object" || value === null))
    const left = stays
      ? (value as unknown)
      : [...names, name].reduce<unknown>((less, each) => Erasure.redactValue(less, redact, isKept, each, name), value)
    made[renamed.get(name) ?? name] = Json.stringify(left)
  }
  return made
}

const clocksText = (text: string | null | undefined, renamed: ReadonlyMap<string, string>): string => {
  const versions = Object.entries(JSON.parse(text ?? "{}") as Readonly<Record<string, string>>)
  const left = versions.map(([name, version]) => {
    const other = name.startsWith("+") ? renamed.get(name.slice(1)) : undefined
    return [other === undefined ? name : `+${other}`, version] as const
  })
  return JSON.stringify(sorted(Object.fromEntries(left)))
}

/** Derived from the record's lists, as far as their derivation is known. */
const nestedText = ({ resource }: EntityTable, left: Texts, redact: Erasure.Redactor): string | null => {
  if (resource.nested !== undefined) return Nested.textOf(resource, left)
  const text = left["_nested"] ?? "{}"
  return Erasure.redactText(text, redact, Erasure.plain) ?? text
}

/** How many rows each of these would change. */
export const lookInto = async (
  client: Client,
  written: Written,
  asked: ReadonlyArray<Asked>
): Promise<ReadonlyArray<number>> => {
  const counts = asked.map(() => 0)
  for await (const rows of batches(client, written.table, written.columns)) {
    for (const row of rows)
      for (const [at, each] of asked.entries()) if (written.leftOf(row, each) !== undefined) counts[at]!++
  }
  return counts
}

export const erase = async (client: Client, written: Written, asked: Asked): Promise<void> => {
  for await (const rows of batches(client, written.table, written.columns)) {
    const changes = rows.flatMap((row) => written.leftOf(row, asked) ?? [])
    await update(client, written.table, written.columns, changes)
  }
}
