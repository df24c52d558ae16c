/**
 * A table. On a narrow screen each row becomes a block in which every value has its column's name beside it; the roles
 * keep it a table for screen readers.
 */
import type { ComponentChildren } from "preact"

export interface Column<Row> {
  readonly title: string
  readonly kind?: "number" | "amount" | "action" | "wide"
  readonly cell: (row: Row) => ComponentChildren
}

interface Table<Row> {
  /** Read aloud, not visible. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string | number
  readonly class?: string
}

export const Table = <Row,>({ caption, class: name, columns, keyOf, rows }: Table<Row>) => (
  <table role="table" class={name ?? ""}>
    <caption>{caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ kind, title }) => (
          <th key={title} role="columnheader" scope="col" class={kind ?? ""}>
            {kind === "action" ? <span class="hidden">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {rows.map((row) => (
        <tr key={keyOf(row)} role="row">
          {columns.map(({ cell, kind, title }) => (
            <td key={title} role="cell" class={kind ?? ""} data-label={title}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

/** Names with their values beside them; names without a value aren't shown. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }) => (
  <dl class="facts">
    {of.map(([name, value]) =>
      value === null || value === undefined || value === "" ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      )
    )}
  </dl>
)
