/** Rows that are read as one text per column are the original rows, whatever they contain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { textArray } from "../../../src/Stores/Postgres/Arrays.ts"
import * as Columns from "../../../src/Stores/Postgres/Columns.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "./World.ts"

type Row = readonly [number: string | null, text: string | null, maybe: string | null]

const ordinary: ReadonlyArray<Row> = [
  ["2", 'one, "two" \\ three', null],
  ["1", "", ""],
  ["9007199254740991", "Gdańsk 😀\n\t{}", "a"],
  ["-3", "NULL", null]
]

/**
 * What lies between values, what stands for null, a number that a double can't hold; and what makes up for a null where there
 * can be none, as if somebody had changed the table so that it reads as if it were whole.
 */
const odd: ReadonlyArray<ReadonlyArray<Row>> = [
  [["1", "a\u0001b", "c"]],
  [
    ["1", "a", "b\u0001c"],
    ["2", "d", null]
  ],
  [
    ["1", "a", "\u0002"],
    ["2", "b", null]
  ],
  [["9007199254740993", "a", null]],
  [
    ["1", "a\u0001b", null],
    ["2", null, null]
  ],
  [
    [null, "a", null],
    ["2", "b", null]
  ]
]

const query = (rows: ReadonlyArray<Row>) => {
  const list = (column: 0 | 1 | 2) => sql`${textArray(rows.map((row) => row[column]))}::text[]`
  return sql<Record<"number" | "text" | "maybe", unknown>>`
    select number::bigint, text, maybe from unnest(${list(0)}, ${list(1)}, ${list(2)})
      with ordinality as given (number, text, maybe, place) order by place`
}

const columns = { number: "number", text: "text", maybe: "text or null" } as const

describe.skipIf(Databases.skipped !== undefined)("rows as one text for each column", () => {
  it.live("are the same as one by one, in their order", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.gen(function* () {
        const { run } = yield* Postgres
        for (const rows of [[], ordinary, ...odd]) {
          const packed = yield* run((db) => Columns.read(db, query(rows), columns))
          const single = yield* run(async (db) => (await query(rows).execute(db)).rows)
          assert.strictEqual(packed.length, rows.length)
          assert.deepStrictEqual(packed, single)
        }
      }).pipe(Effect.provide(storesAt(own.url)))
    }).pipe(Effect.scoped)
  )
})
