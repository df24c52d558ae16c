/**
 * The tables and views of the warehouse for a person, in their current form: those of every warehouse, those of lists
 * that a review file added, and learned columns. All of it comes from the descriptions from which they are made
 * (`EntityTables`, `DescribedViews`).
 */
import { Effect } from "effect"
import { describedViews } from "../Stores/DescribedViews.ts"
import type { EntityTables } from "../Stores/EntityTables.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import { currenciesTable, eventsTable, type Shown, tablesBeside } from "../Stores/WarehouseTables.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"

type Table = Answer<"tables">["tables"][number]

const describedAs = (
  kind: Table["kind"],
  { columns, key, name, says }: Shown,
  of: string | undefined = undefined
): Table => ({
  name,
  says,
  kind,
  key,
  of: of ?? null,
  columns: columns.map((column) => ({ name: column.name, type: column.type, says: column.says }))
})

const kindBeside = ({ name }: Shown): Table["kind"] =>
  name === eventsTable.name ? "events" : name === currenciesTable.name ? "currencies" : "books"

const views = describedViews.map(({ columns, name, says }): Table => ({
  name,
  says,
  kind: "view",
  key: null,
  of: null,
  columns
}))

const allOf = ({ nested, ofEntities }: EntityTables): ReadonlyArray<Table> => [
  ...ofEntities.map((table) => describedAs("records", table)),
  ...nested.map((table) => describedAs("items", table, table.owner?.table)),
  ...tablesBeside.map((table) => describedAs(kindBeside(table), table)),
  ...views
]

export const tables = Effect.fnUntraced(function* ({ name }: Payload<"tables">) {
  const all = allOf(yield* (yield* Warehouse).tables)
  const found = name === undefined ? all : all.filter((table) => table.name === name)
  return found.length === 0 ? yield* unknown(name ?? "") : ({ tables: found } satisfies Answer<"tables">)
})

const unknown = (name: string) =>
  new VerbError({ message: `The warehouse has no table and no view ${name}: \`siteledger tables\` shows them.` })

/** A table of records. */
export const ofRecords = Effect.fnUntraced(function* (name: string) {
  const { ofEntities } = yield* (yield* Warehouse).tables
  const table = ofEntities.find((each) => each.name === name)
  if (table !== undefined) return table
  return yield* new VerbError({
    message: `The warehouse has no table of records ${name}: \`siteledger tables\` lists them.`
  })
})
