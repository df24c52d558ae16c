/**
 * Lists of a review file for tests of how they are read: everything that a test doesn't set is as plain as possible.
 */
import type { Column, List } from "../../src/Discovery/Review.ts"

export const column = (name: string, type: Column["type"] = "VARCHAR", more: Partial<Column> = {}): Column => ({
  name,
  type,
  use: "keep",
  ...more
})

export const listOf = (given: Partial<List> = {}): List => ({
  read: "GET /things",
  on: true,
  kind: "list",
  table: "things",
  key: ["id"],
  answer: { rows: "/data" },
  paging: { style: "none" },
  scope: [],
  refresh: { every: "1 hour" },
  walk: { records: 0, requests: 0, minutes: 0 },
  confidence: "high",
  reasons: [],
  columns: [column("id", "BIGINT"), column("name")],
  ...given
})
