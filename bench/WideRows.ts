/**
 * Fills tables of `WideList.ts`, which a worker has created before it ended, by SQL: the same number of rows in each,
 * as a walk leaves them. A walk of 2,000,000 rows of 60 columns would take minutes. Prints a line when it is done.
 * Run: node bench/WideRows.ts --engine ENGINE WHERE TABLES ROWS COLUMNS
 */
import { parseArgs } from "node:util"
import * as Engine from "./Engine.ts"
import { run } from "./Statements.ts"
import { columnsOf } from "./WideList.ts"

const { positionals } = parseArgs({ options: { engine: { type: "string" } }, allowPositionals: true })
const [where = "", ...numbers] = positionals
const [tables = 0, rows = 0, columns = 0] = numbers.map(Number)

const range = { duckdb: `range(1, ${rows + 1}) r(i)`, postgres: `generate_series(1, ${rows}::bigint) r(i)` }[
  Engine.name
]

/** Columns of the same type have different values, in a different order. */
const valueOf = (type: string, at: number): string => {
  const number = `(i * ${7919 + 2 * at} % 1000003)`
  const of: Readonly<Record<string, string>> = {
    BIGINT: number,
    VARCHAR: `'a text of some length, ' || ${number} % 10000`,
    "DECIMAL(28,4)": `cast(${number} as decimal(28, 4)) / 4`,
    DATE: `date '2020-01-01' + cast(${number} % 2500 as integer)`,
    TIMESTAMPTZ: `timestamptz '2026-01-01 00:00:00Z' + ${number} * interval '1 second'`,
    BOOLEAN: `${number} % 2 = 0`
  }
  return of[type] ?? "null"
}

/** All rows of a page of 1000 have the same time. */
const time = "timestamptz '2026-11-20 00:00:00Z' + floor(i / 1000) * interval '1 second'"

const values = {
  ...Object.fromEntries(columnsOf(columns).map(({ name, type }, at) => [name, valueOf(type, at)])),
  id: "i",
  name: "'Record ' || i",
  _first_seen_at: time,
  _changed_at: time
}

const statements = Array.from(
  { length: tables },
  (_, n) =>
    `insert into construction.list_${n} (${Object.keys(values).join(", ")}) select ${Object.values(values).join(", ")} from ${range}`
)

await run(where, statements)
process.stdout.write("filled\n")
