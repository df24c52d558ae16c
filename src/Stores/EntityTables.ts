/**
 * Entity tables as a warehouse has them: those of every warehouse, and those of the lists that a person has switched
 * on, now or earlier. Tables and columns stay when nothing fills them any more. Pure.
 */
import { byName, type Column, commonColumns, entityNames, keyColumn, type Resource } from "../Domain/Resource.ts"
import type { Row } from "../Domain/Merge.ts"
import { type FoundColumn, type FoundViews, type NestedTable, nestedEvolutionOf } from "./NestedTables.ts"
import { type Shown, tableOfResource, tablesBeside } from "./WarehouseTables.ts"

export interface EntityTable extends Shown {
  readonly resource: Resource
  /** A sentence that says why rows of the resource can't be written here. */
  readonly refusal?: string
}

export class EntityTables {
  readonly #byName: ReadonlyMap<string, EntityTable>
  /** Shown as views. */
  readonly nested: ReadonlyArray<NestedTable>

  constructor(tables: Iterable<EntityTable>, nested: ReadonlyArray<NestedTable> = []) {
    this.#byName = new Map([...tables].map((table) => [table.name, table]))
    this.nested = nested
  }

  /** Throws if there is none. */
  of(name: string): EntityTable {
    const table = this.#byName.get(name)
    if (table === undefined) throw new Error(`There is no table ${name}`)
    return table
  }

  get ofEntities(): ReadonlyArray<EntityTable> {
    return [...this.#byName.values()]
  }

  /** Entity tables and all other tables that are written. */
  get written(): ReadonlyArray<Shown> {
    return [...this.#byName.values(), ...tablesBeside]
  }

  /** Includes the views over them: everything that analysts see. */
  get all(): ReadonlyArray<Shown> {
    return [...this.written, ...this.nested]
  }
}

/** As described, not yet as an engine has it. */
export const described = (resource: Resource): EntityTable => ({ ...tableOfResource(resource), resource })

/** What every warehouse has. */
export const usual: ReadonlyArray<EntityTable> = entityNames.map((name) => described(byName(name)))

/** By table; columns in the database's order. */
export type FoundTables = ReadonlyMap<string, ReadonlyArray<FoundColumn>>

export interface Evolution {
  /** The tables after the change. */
  readonly tables: EntityTables
  readonly made: ReadonlyArray<Shown>
  readonly added: ReadonlyArray<{ readonly table: Shown; readonly column: Column }>
  /** Views to be created, or recreated with more columns. */
  readonly views: ReadonlyArray<NestedTable>
}

export interface Found {
  readonly tables: FoundTables
  readonly views: FoundViews
}

/** What a warehouse lacks of these: tables, columns of existing tables, and views of the lists in their records. */
export const evolutionOf = (wanted: ReadonlyArray<EntityTable>, { tables: found, views }: Found): Evolution => {
  const other = new Map(wanted.flatMap((table) => otherKey(table, found.get(table.name)) ?? []))
  const kept = wanted.filter(({ name }) => !other.has(name))
  const known = new Set(kept.map(({ name }) => name))
  const left = [...found].flatMap(([name, columns]) => (known.has(name) ? [] : (formerly(name, columns) ?? [])))
  const all = [...kept, ...left.map(described)].map((table) => evolved(table, found.get(table.name)))
  const names = new Set([...known, ...found.keys()])
  const nested = nestedEvolutionOf(
    kept.map(({ resource }) => resource),
    names,
    views
  )
  return {
    tables: new EntityTables(
      all.map(({ table }) => refused(table, other.get(table.name) ?? nested.refusals.get(table.name))),
      nested.tables
    ),
    views: nested.made,
    made: all.flatMap(({ isMade, table }) => (isMade ? [table] : [])),
    // In the order in which writers lock tables.
    added: all
      .toSorted((a, b) => (a.table.name < b.table.name ? -1 : 1))
      .flatMap(({ added, table }) => added.map((column) => ({ table, column })))
  }
}

const refused = (table: EntityTable, refusal: string | undefined): EntityTable =>
  refusal === undefined || table.refusal !== undefined ? table : { ...table, refusal }

interface Evolved {
  readonly table: EntityTable
  readonly isMade: boolean
  readonly added: ReadonlyArray<Column>
}

const evolved = (wanted: EntityTable, found: ReadonlyArray<FoundColumn> | undefined): Evolved => {
  if (found === undefined) return { table: wanted, isMade: true, added: [] }
  const byColumn = new Map(wanted.columns.map((column) => [column.name, column]))
  const kept = found.flatMap(({ name, type }) => {
    const says = byColumn.get(name)?.says ?? "No list fills it any more."
    return type === undefined ? [] : [{ name, type, says, since: wanted.since }]
  })
  const names = new Set(found.map(({ name }) => name))
  const added = wanted.columns.filter(({ name }) => !names.has(name))
  const refusal = refusalOf(wanted, found)
  return {
    table: { ...wanted, columns: [...kept, ...added], ...(refusal === undefined ? {} : { refusal }) },
    isMade: false,
    added
  }
}

/** A value that fits the wanted type might not fit the existing one. */
const refusalOf = ({ columns, name: table }: Shown, found: ReadonlyArray<FoundColumn>): string | undefined => {
  const has = new Map(found.map(({ name, type }) => [name, type]))
  const other = columns.find(({ name, type }) => has.has(name) && has.get(name) !== type)
  if (other === undefined) return undefined
  const type = has.get(other.name) ?? "of another type"
  return (
    `The column ${other.name} of ${table} is ${type} in the warehouse, and ${other.type} in the review file: give the ` +
    "column another name there, or its type back."
  )
}

/**
 * By table: set if its rows have another key column than the list's. They stay as they are, with their nested tables.
 * Otherwise rows by the new key would stand beside those by the old one, which nothing would change or delete.
 */
const otherKey = (
  { key, name }: EntityTable,
  found: ReadonlyArray<FoundColumn> = []
): ReadonlyArray<readonly [string, string]> | undefined => {
  const before = formerly(name, found)
  if (before === undefined || keyColumn(before) === key) return undefined
  const sentence =
    `The rows of ${name} are told apart by ${keyColumn(before)} in the warehouse, and by ${key} in the review file: give the ` +
    "table another name there, or its key back."
  return [[name, sentence]]
}

/** The resource of a table that no list fills any more; undefined if the table is something else. */
const formerly = (name: string, columns: ReadonlyArray<FoundColumn>): Resource | undefined => {
  const types = new Map(columns.map((column) => [column.name, column.type]))
  if (!Object.keys(commonColumns).every((column) => types.has(column))) return undefined
  const key = types.has("_key") ? "_key" : "id"
  if (!types.has(key)) return undefined
  return {
    name,
    says: "No list fills it any more.",
    key: types.get(key) === "BIGINT" ? "BIGINT" : "VARCHAR",
    ...(key === "_key" ? { keyColumn: key } : {}),
    columns: {},
    stages: []
  }
}

/** A row from a database, in canonical text. */
export const inTexts = ({ columns }: Shown, row: Readonly<Record<string, unknown>>): Row => {
  const plain = columns.filter(({ name, type }) => isPlain(type) && row[name] != null)
  if (plain.length === 0) return row as Row
  return { ...(row as Row), ...Object.fromEntries(plain.map(({ name }) => [name, String(row[name])])) }
}

/** Whether its values come as JavaScript's own. */
const isPlain = (type: Column["type"]): boolean => type === "BOOLEAN" || type === "DOUBLE"

export const keyOf = (resource: Resource, row: Row): string => String(row[keyColumn(resource)])
