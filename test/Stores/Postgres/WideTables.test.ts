/**
 * The copy for analysts of more wide tables than fit into the memory of the DuckDB that makes it: whole, and by the
 * changes in each table.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { described, usual } from "../../../src/Stores/EntityTables.ts"
import { evolve } from "../../../src/Stores/Postgres/Evolve.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { Publication } from "../../../src/Stores/Postgres/Publication.ts"
import * as Databases from "../../Postgres.ts"
import { query } from "../Reading.ts"
import { folder } from "../WarehouseEngines.ts"
import { ask, database, storesAt } from "./World.ts"

const fields = Array.from({ length: 60 }, (_, n) => `field_${n}`)

const lists = Array.from({ length: 40 }, (_, n) =>
  described({
    name: `wide_${n}`,
    says: "Wide.",
    key: "VARCHAR",
    columns: Object.fromEntries(fields.map((name) => [name, { type: "VARCHAR" as const, says: "Any.", since: 1 }])),
    stages: []
  })
)

const inEach = (statement: (table: string) => string): string =>
  lists.map(({ name }) => statement(`construction.${name}`)).join(";")

const filling = inEach(
  (table) => `
    insert into ${table} (id, ${fields.join(", ")})
    select n::text, ${fields.map(() => "'one'").join(", ")} from generate_series(1, 5) as n`
)

const changing = inEach((table) => `update ${table} set field_0 = 'two' where id = '1'`)

const shown = lists
  .map(
    ({ name }) => `
      select count(*)::integer as n, count(*) filter (where field_0 = 'two')::integer as changed, min(field_59) as last
      from construction.${name}`
  )
  .join(" union all ")

describe.skipIf(Databases.skipped !== undefined)("many wide tables on PostgreSQL", () => {
  it.live(
    "are copied for analysts in little memory, whole and by what changed in each of them",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const own = yield* database
          const target = join(yield* folder, "analytics.duckdb")
          yield* Effect.gen(function* () {
            const { connections } = yield* Postgres
            const tables = yield* Effect.promise(() => evolve(connections.db, [...usual, ...lists]))
            const publication = new Publication({ large: 0, replaced: 1000, leftAlone: 0 })
            const published = publication.publish({ connections, tables }, target, false)
            yield* ask(own, filling)
            assert.isTrue((yield* published).isWhole)
            yield* ask(own, changing)
            assert.isFalse((yield* published).isWhole)
          }).pipe(Effect.provide(storesAt(own.url), { local: true }))
          const found = yield* Effect.promise(() => query(target, shown))
          assert.strictEqual(found.length, lists.length)
          for (const row of found) assert.deepStrictEqual(row, { n: 5, changed: 1, last: "one" })
        })
      ),
    300_000
  )
})
