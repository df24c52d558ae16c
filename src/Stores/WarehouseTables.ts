/**
 * The tables that analysts see, in schema `construction`, as in every warehouse: one per resource, the events, and the
 * visible part of the books. A warehouse may have more (`EntityTables`). Every value is canonical text or null (exact
 * amounts, UTC times with six digits), in every engine.
 */
import type { Row } from "../Domain/Merge.ts"
import {
  type Column,
  type EntityName,
  entityNames,
  byName,
  keyColumn,
  type Resource,
  tableColumns
} from "../Domain/Resource.ts"
import { type StoreTables, storeTables } from "./StoreTables.ts"
import { type Listed, listed, type RowOf } from "./Table.ts"
import { warehouse } from "./Tables/Warehouse.ts"

export type CurrencyRow = Readonly<RowOf<(typeof warehouse)["project_currencies"]>>
export type EventRow = Readonly<RowOf<(typeof warehouse)["events"]>>

type EntityTables = { [Name in `construction.${EntityName}`]: Row }

export interface WarehouseTables extends EntityTables {
  "construction.events": EventRow
  "construction.project_currencies": CurrencyRow
  "construction.ledger_entries": Row
  "construction.ledger_holds": Row
  "construction.ledger_hold_decisions": Row
  /** The file's own table; in PostgreSQL the Store's. */
  "siteledger.meta": StoreTables["meta"]
}

export interface Shown extends Pick<Listed, "indexes" | "name" | "says" | "since"> {
  readonly key: string
  /** In the order of the database. */
  readonly columns: ReadonlyArray<Column>
}

export const shown = ({ columns, indexes, key: [first = ""], name, says, shownBy, since }: Listed): Shown => ({
  name,
  says,
  since,
  indexes,
  key: shownBy ?? first,
  columns: columns.flatMap((column) =>
    column.isHidden === true || column.type.shown === null
      ? []
      : [{ name: column.name, type: column.type.shown, says: column.says, since: column.since }]
  )
})

/** As described. */
export const tableOfResource = (resource: Resource): Shown => {
  const { name, says, since = 1 } = resource
  return { name, says, since, indexes: [], key: keyColumn(resource), columns: tableColumns(resource) }
}

const entityTables = new Map(entityNames.map((name) => [name, tableOfResource(byName(name))]))

const defined = <A>(table: A | undefined): A => {
  if (table === undefined) throw new Error("There is no such table")
  return table
}

export const entityTable = (name: EntityName): Shown => defined(entityTables.get(name))

const otherTables: ReadonlyArray<Shown> = listed(warehouse).map(shown)

/** The Warehouse's own tables; the books are copied from the Store, or seen through views. */
export const ownTables: ReadonlyArray<Shown> = [...entityTables.values(), ...otherTables]

/** The books as the Store has them: signed amounts, only open holds. */
export const ledgerTables: ReadonlyArray<Shown> = storeTables.filter(({ shownBy }) => shownBy !== undefined).map(shown)

/** All tables that aren't an entity's. */
export const tablesBeside: ReadonlyArray<Shown> = [...otherTables, ...ledgerTables]

/** All tables, in the order of docs/tables.md. */
export const tables: ReadonlyArray<Shown> = [...entityTables.values(), ...tablesBeside]

const tableOf = (name: string): Shown => defined(tables.find((table) => table.name === name))

export const eventsTable = tableOf("events")
export const currenciesTable = tableOf("project_currencies")
export const ledgerEntriesTable = tableOf("ledger_entries")
export const ledgerHoldsTable = tableOf("ledger_holds")
export const ledgerDecisionsTable = tableOf("ledger_hold_decisions")
