/** Comments on views and schemas follow the words of this version, whatever an earlier start wrote. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describedViews } from "../../src/Stores/DescribedViews.ts"
import { openWarehouse } from "../../src/Stores/DuckDb/File.ts"
import { withConnection } from "../../src/Stores/DuckDb/ReadAll.ts"
import { Store } from "../../src/Stores/Store.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import * as Databases from "../Postgres.ts"
import { ask, database, storesAt } from "./Postgres/World.ts"
import { query } from "./Reading.ts"

const inPostgres = `
  select obj_description('siteledger'::regnamespace, 'pg_namespace') as schema,
    obj_description('construction.open_ncrs'::regclass, 'pg_class') as view,
    col_description('construction.open_ncrs'::regclass, 3) as severity`

describe("comments on views", () => {
  it("are brought up to date by the next start", async () => {
    const path = temporaryFolder()
    const file = join(path, "warehouse.duckdb")
    const [view] = describedViews
    const says = `select comment as says from duckdb_views() where view_name = '${view?.name}'`
    for (const change of ["'other words'", "null"]) {
      const opened = await openWarehouse(file)
      await withConnection(opened.instance, (on) => on.run(`comment on view construction.${view?.name} is ${change}`))
      await opened.close()
      await (await openWarehouse(file)).close()
      assert.deepStrictEqual([...(await query(file, says))], [{ says: view?.says }])
    }
    removeFolder(path)
  })

  it.live.skipIf(Databases.skipped !== undefined)("and on schemas are in PostgreSQL, too", () =>
    Effect.gen(function* () {
      const own = yield* database
      const opened = Effect.scoped(Effect.provide(Effect.asVoid(Store), storesAt(own.url), { local: true }))
      yield* opened
      const before = yield* ask(own, inPostgres)
      assert.notInclude(Object.values(before[0] ?? {}), null)
      yield* ask(
        own,
        `comment on view construction.open_ncrs is 'other words'; comment on schema siteledger is null;
         comment on column construction.open_ncrs.severity is null`
      )
      yield* opened
      assert.deepStrictEqual(yield* ask(own, inPostgres), before)
    }).pipe(Effect.scoped)
  )
})
