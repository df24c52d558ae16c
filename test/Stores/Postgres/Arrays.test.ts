/** Lists that are sent in binary arrive unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { byteaArray, textArray } from "../../../src/Stores/Postgres/Arrays.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "./World.ts"

const texts = ["", "NULL", 'a "quoted" one', "back\\slash", "{curly, comma}", "Gdańsk", "😀", "line\nand\ttab", null]
const bytes = [new Uint8Array(), new Uint8Array([0, 255, 92, 34]), new Uint8Array(300).fill(7)]

describe.skipIf(Databases.skipped !== undefined)("lists of texts and of bytes", () => {
  it.live("are the same on the server, empty ones too", () =>
    Effect.gen(function* () {
      const own = yield* database
      const found = yield* Effect.gen(function* () {
        const { run } = yield* Postgres
        return yield* run((db) =>
          sql<{ texts: unknown; bytes: ReadonlyArray<Buffer>; none: unknown }>`
            select ${textArray(texts)}::text[] as texts, ${byteaArray(bytes)}::bytea[] as bytes,
              cardinality(${textArray([])}::text[]) + cardinality(${byteaArray([])}::bytea[]) as none`.execute(db)
        )
      }).pipe(Effect.provide(storesAt(own.url)))
      const [row] = found.rows
      assert.deepStrictEqual(row?.texts, texts)
      assert.deepStrictEqual(
        row?.bytes.map((each) => [...each]),
        bytes.map((each) => [...each])
      )
      assert.strictEqual(row?.none, 0)
    }).pipe(Effect.scoped)
  )
})
