/**
 * A review file of lists with many columns, and the fields of their records.
 */
import { type List, type Review, schema } from "../src/Discovery/Review.ts"
import { listOf } from "./ServedList.ts"

const types = ["VARCHAR", "BIGINT", "DECIMAL(28,4)", "DATE", "TIMESTAMPTZ", "BOOLEAN"] as const

const values = ["a text of some length", 123_456, 1250.75, "2026-11-20", "2026-11-20T10:00:00Z", true] as const

const fields = (count: number) => Array.from({ length: count }, (_, n) => `field_${n}`)

/** This many columns in all. */
export const columnsOf = (count: number): List["columns"] => [
  { name: "id", type: "BIGINT", use: "keep" },
  { name: "name", type: "VARCHAR", use: "keep" },
  ...fields(count - 2).map((name, at) => ({
    name,
    type: types[at % types.length] ?? "VARCHAR",
    use: "keep" as const
  }))
]

/** All lists are on. */
export const reviewOf = (lists: number, columns: number): Review => ({
  schema,
  document: { title: "Many", version: "1", openapi: "3.1.0" },
  plan: { requestsPerMinute: 600_000, pageSize: 1000 },
  lists: Array.from({ length: lists }, (_, n) => ({ ...listOf(n, columnsOf(columns)), newFields: "discard" as const })),
  notSyncable: []
})

/** The fields of such a record besides its id and its name, as JSON without braces. */
export const fieldsText = (columns: number): string =>
  fields(columns - 2)
    .map((name, at) => `"${name}":${JSON.stringify(values[at % values.length])}`)
    .join()
