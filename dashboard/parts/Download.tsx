/**
 * Saves the answer as a CSV file, made of what the page has.
 */
import { csvOf, type Found } from "../../Found.ts"

const save = (found: Found): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([csvOf(found)], { type: "text/csv" }))
  link.download = "siteledger.csv"
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

export const Download = ({ found }: { readonly found: Found }) => (
  <button type="button" class="quiet" disabled={found.rows.length === 0} onClick={() => save(found)}>
    Download CSV
  </button>
)
