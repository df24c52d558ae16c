/**
 * Saves what a view has found as a CSV file, made of what the page has.
 */
import { csvOf, type Found } from "../Found.ts"

interface Download {
  readonly found: Pick<Found, "columns" | "rows">
  /** The file's name, without what comes after its point. */
  readonly as: string
}

const save = ({ as: name, found }: Download): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([csvOf(found)], { type: "text/csv" }))
  link.download = `${name}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

export const Download = (of: Download) => (
  <button type="button" class="quiet" disabled={of.found.rows.length === 0} onClick={() => save(of)}>
    Download CSV
  </button>
)
