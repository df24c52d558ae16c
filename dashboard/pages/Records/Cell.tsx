/**
 * One value of the copy, by its column's type: an instant in the reader's zone, NULL distinct from an empty text,
 * anything else as the worker wrote it.
 */
import { At } from "../../parts/Time.tsx"

export const Cell = ({ type, value }: { readonly type: string; readonly value: string | null }) => {
  if (value === null) return <span class="soft">–</span>
  return type.startsWith("TIMESTAMP") ? <At at={value} /> : <>{value}</>
}
