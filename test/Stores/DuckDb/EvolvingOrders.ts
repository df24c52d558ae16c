/** A list whose table learns columns, and its pages. */
import type { Change } from "../../../src/Domain/Change.ts"
import type { Resource } from "../../../src/Domain/Resource.ts"
import * as Version from "../../../src/Domain/Version.ts"
import type { LearnedColumn } from "../../../src/Stores/LearnedColumns.ts"

export const orders: Resource = {
  name: "orders",
  says: "Orders.",
  key: "BIGINT",
  columns: { title: { type: "VARCHAR", says: "Anything.", since: 1 } },
  stages: [],
  fields: new Map([["title", "title"]]),
  isWhole: true,
  learns: true
}

const learned = { resource: "orders", beside: null, learned_at: "2026-11-20T02:00:00.000000Z" }

export const columns: ReadonlyArray<LearnedColumn> = [
  { ...learned, name: "amount", field: "amount", type: "DECIMAL(28,4)" },
  { ...learned, name: "at", field: "at", type: "TIMESTAMPTZ" }
]

const records = 3_000

/** The same records, of another time. */
export const page = (second: number): ReadonlyArray<Change> =>
  Array.from({ length: records }, (_, id) => ({
    entity: "orders",
    id: String(id),
    version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
    source: "page",
    seenAt: "2026-11-20T02:00:00.000000Z",
    values: { title: `title ${second}` },
    misfits: {},
    extra: { amount: `${id}.50`, at: `"2026-11-20T02:00:0${second}Z"`, rest: "1" }
  }))

/** As the table shows them. */
export const shown = (second: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: records }, (_, id) => [
    String(id),
    `title ${second}`,
    `${id}.5000`,
    `2026-11-20 02:00:0${second}+00`,
    '{"rest":1}'
  ])
