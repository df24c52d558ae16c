/**
 * A list of bench/ManyListsServer.ts, in the form of a review file.
 */
import type { List } from "../src/Discovery/Review.ts"

export const listOf = (n: number, columns: List["columns"]): List => ({
  read: `GET /lists/${n}`,
  on: true,
  kind: "list",
  table: `list_${n}`,
  key: ["id"],
  answer: { rows: "/data", total: "/pagination/total", page: "/pagination/page", size: "/pagination/per_page" },
  paging: { style: "page", page: "page", first: 1, size: "per_page" },
  scope: [],
  refresh: { every: "1 hour" },
  walk: { records: 0, requests: 0, minutes: 0 },
  confidence: "high",
  reasons: [],
  columns
})
