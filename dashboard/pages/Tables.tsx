/**
 * The tables that analysts see, each with its description. Tables of records link to their records, the others to a
 * statement.
 */
import type { Answer } from "../Api.ts"
import { count } from "../Format.ts"
import { Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Prose } from "../parts/Text.tsx"
import { to } from "../Router.ts"

type Described = Answer<"tables">["tables"][number]

const kinds: Readonly<Record<Described["kind"], string>> = {
  records: "records",
  items: "items of a list inside records",
  events: "events",
  books: "copy of the books",
  currencies: "configuration",
  view: "view"
}

const linkOf = ({ kind, name }: Described): string =>
  kind === "records" ? to.records(name) : to.sqlOf(`from construction.${name} limit 100`)

const columns: ReadonlyArray<Column<Described>> = [
  { title: "Table", cell: (table) => <a href={linkOf(table)}>{table.name}</a> },
  { title: "Kind", cell: ({ kind }) => <span class="soft">{kinds[kind]}</span> },
  { title: "What it has", kind: "wide", cell: ({ says }) => <Prose>{says}</Prose> },
  { title: "Columns", kind: "number", cell: (table) => count(table.columns.length) }
]

export const Tables = () => {
  const asked = useAsked("tables", {})
  return (
    <>
      <h1>Records</h1>
      <p class="lead">What the copy holds now. Records open here; everything else opens as a statement.</p>
      <Loaded asked={asked}>
        {({ tables }) => (
          <Table caption="Tables of the copy" columns={columns} rows={tables} keyOf={({ name }) => name} />
        )}
      </Loaded>
    </>
  )
}
