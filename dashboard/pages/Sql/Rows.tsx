/**
 * The answer of a statement as a table: numbers aligned right, as the worker wrote them; NULL distinct from an empty
 * text.
 */
import type { ComponentChildren } from "preact"
import type { Found } from "../../Found.ts"

const written = (cell: unknown): ComponentChildren => {
  if (cell === null) return <span class="soft">NULL</span>
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell)
}

/** A long value is cut off in the cell. */
const titleOf = (cell: unknown): string => (typeof cell === "string" ? cell : JSON.stringify(cell))

export const Rows = ({ found: { columns, rows } }: { readonly found: Found }) => (
  <div class="wide-table" tabIndex={0} role="region" aria-label="Answer as a table">
    <table class="answer">
      <caption>The rows of the answer</caption>
      <thead>
        <tr>
          {columns.map(({ isNumber, name }, at) => (
            <th key={at} scope="col" class={isNumber ? "number" : ""}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column} class={columns[column]?.isNumber === true ? "number" : ""} title={titleOf(cell)}>
                {written(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
