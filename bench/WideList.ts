/** A review file of lists with many columns, and their records' fields. */
import { type List, type Review, schema } from "../src/Discovery/Review.ts"

const types = ["VARCHAR", "BIGINT", "DECIMAL(28,4)", "DATE", "TIMESTAMPTZ", "BOOLEAN"] as const

const values = ["a text of some length", 123_456, 1250.75, "2026-11-20", "2026-11-20T10:00:00Z", true] as const

const fields = (count: number) => Array.from({ length: count }, (_, n) => `field_${n}`)

/** With `columns` columns in all. */
const listOf = (n: number, columns: number): List => ({
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
  newFields: "discard",
  columns: [
    { name: "id", type: "BIGINT", use: "keep" },
    { name: "name", type: "VARCHAR", use: "keep" },
    ...fields(columns - 2).map((name, at) => ({
      name,
      type: types[at % types.length] ?? "VARCHAR",
      use: "keep" as const
    }))
  ]
})

/** All of them on. */
export const reviewOf = (lists: number, columns: number): Review => ({
  schema,
  document: { title: "Many", version: "1", openapi: "3.1.0" },
  plan: { requestsPerMinute: 600_000, pageSize: 1000 },
  lists: Array.from({ length: lists }, (_, n) => listOf(n, columns)),
  notSyncable: []
})

/** What such a record has besides its id and its name, as JSON without braces. */
export const fieldsText = (columns: number): string =>
  fields(columns - 2)
    .map((name, at) => `"${name}":${JSON.stringify(values[at % values.length])}`)
    .join()
