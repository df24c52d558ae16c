/**
 * What PostgreSQL can't hold and SQLite with DuckDB can: what would fail there for ever must not even be tried, as it
 * would keep everything after it waiting.
 */
import type { Change } from "../../Domain/Change.ts"
import type { Store } from "../../Stores/Store.ts"

/** In bytes: an index takes no more than 2,704. */
const longestKey = 2_000

/** Its text can't hold a NUL, nor its keys a page. */
export const isStorable = (engine: Store["Service"]["engine"], change: Change | undefined): boolean =>
  engine === "sqlite" ||
  change === undefined ||
  (![change.id, ...Object.values(change.values)].some((text) => text?.includes("\u0000")) &&
    Buffer.byteLength(change.id) <= longestKey)
