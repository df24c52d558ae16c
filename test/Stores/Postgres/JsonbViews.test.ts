/**
 * The schema `construction_jsonb`: the analysts' tables once more, with `jsonb` for `json`, so that rows can be
 * compared and searched. Its views follow their tables, keep objects that people build on them, and no value makes one
 * fail.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as JsonbViews from "../../../src/Stores/Postgres/JsonbViews.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { viewNames } from "../../../src/Stores/Views.ts"
import { tables } from "../../../src/Stores/WarehouseTables.ts"
import * as Databases from "../../Postgres.ts"
import { item, lines, orders, page } from "../NestedOrders.ts"
import { certified, eventRow } from "../Written.ts"
import { Roles } from "./Roles.ts"
import { ask, database, storesAt } from "./World.ts"

const { schema } = JsonbViews
const names = [...tables.map(({ name }) => name), ...viewNames]

const started = (url: string, resources: typeof Resources.Service = []) =>
  Effect.scoped(
    Effect.provide(
      Effect.flatMap(Warehouse, ({ write }) =>
        write({ changes: [certified("I1", 1, "10.0000")], events: [eventRow(1, '{"a":{"b":1}}')] })
      ),
      Layer.fresh(storesAt(url)).pipe(Layer.provide(Layer.succeed(Resources, resources)))
    )
  )

/** Of a schema's tables and views: each column, its type and sentence, in order. */
const described = (own: Databases.Database, of: string) =>
  ask(
    own,
    `select relname as table, obj_description(c.oid, 'pg_class') as table_says, attname as column,
       replace(format_type(atttypid, atttypmod), 'jsonb', 'json') as type, col_description(c.oid, attnum) as says
     from pg_class c join pg_attribute on attrelid = c.oid
     where relnamespace = '${of}'::regnamespace and relkind in ('r', 'v') and attnum > 0 order by relname, attnum`
  )

const jsonColumns = (own: Databases.Database) =>
  ask(
    own,
    `select table_name as "table", column_name as "column", data_type as type from information_schema.columns
     where table_schema = '${schema}' and data_type in ('json', 'jsonb') order by 1, 2`
  )

describe.skipIf(Databases.skipped !== undefined)("the views with jsonb", () => {
  it.live(
    "show every table and view of construction, with its columns in order and its sentences, and jsonb alone",
    () =>
      Effect.gen(function* () {
        const own = yield* database
        yield* started(own.url, [{ ...orders, nested: [{ ...lines, columns: [item("id", "VARCHAR")] }] }])
        const shown = yield* described(own, "construction")
        assert.deepStrictEqual(yield* described(own, schema), shown)
        assert.includeMembers([...new Set(shown.map(({ table }) => table))], [...names, "orders", "order_lines"])
        const columns = yield* jsonColumns(own)
        assert.isAbove(columns.length, 20)
        assert.deepStrictEqual(new Set(columns.map(({ type }) => type)), new Set(["jsonb"]))
        for (const name of new Set(shown.map(({ table }) => String(table)))) {
          const view = `${schema}.${name}`
          yield* ask(own, `select distinct * from ${view} union select * from ${view}`)
        }
        for (const { column, table } of columns) {
          yield* ask(own, `select ${column}, count(*) from ${schema}.${table} where ${column} @> '{}' group by 1`)
        }
        const [ipc] = yield* ask(own, `select _extra ->> 'note' as note from ${schema}.ipcs where _extra ? 'note'`)
        assert.deepStrictEqual(ipc, { note: "Ñandú 1.10" })
        const [of] = yield* ask(own, `select obj_description('${schema}'::regnamespace, 'pg_namespace') as says`)
        assert.match(String(of?.["says"]), /^The tables and views of construction with jsonb/)
      }).pipe(Effect.scoped)
  )

  it.live("get the columns of their tables at once, and keep what people built on them", () =>
    Effect.gen(function* () {
      const own = yield* database
      const first = { ...orders, nested: [{ ...lines, columns: [item("id", "VARCHAR")] }] }
      yield* started(own.url, [first])
      yield* ask(own, `create view public.mine as select distinct _extra from ${schema}.orders`)
      yield* ask(own, `create view public.lines as select distinct * from ${schema}.order_lines`)
      const second = {
        ...orders,
        columns: { ...orders.columns, colour: { type: "JSON", says: "Its colour.", since: 1 } as const },
        nested: [{ ...lines, columns: [item("id", "VARCHAR"), item("unit", "VARCHAR")] }]
      }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const layer = Layer.fresh(storesAt(own.url)).pipe(Layer.provide(Layer.succeed(Resources, [second])))
          const { write } = yield* Effect.provide(Warehouse, yield* Layer.build(layer))
          yield* write({ changes: [page("1", 1, '[{"id":"a","unit":"m"}]')], events: [] })
        })
      )
      const shown = yield* described(own, "construction")
      assert.deepStrictEqual(yield* described(own, schema), shown)
      assert.deepInclude(shown, {
        table: "orders",
        table_says: orders.says,
        column: "colour",
        type: "json",
        says: "Its colour."
      })
      assert.deepStrictEqual(
        yield* ask(own, `select distinct unit, colour from ${schema}.order_lines, ${schema}.orders`),
        [{ unit: "m", colour: null }]
      )
      assert.deepStrictEqual(yield* ask(own, "select _extra from public.mine"), [{ _extra: null }])
      assert.deepInclude((yield* ask(own, "select * from public.lines"))[0], { id: "a" })
    }).pipe(Effect.scoped)
  )

  it.live("cost a cast and no call, and can be read by several processes of the server at once", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* started(own.url)
      const plan = yield* ask(own, `explain (verbose) select _extra from ${schema}.ipcs`)
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n")
      assert.include(text, "_extra)::jsonb")
      assert.notInclude(text, "as_jsonb(")
      const unsafe = `select proname from pg_proc where pronamespace = '${schema}'::regnamespace and proparallel <> 's'`
      assert.deepStrictEqual(yield* ask(own, unsafe), [])
    }).pipe(Effect.scoped)
  )

  it.live(
    "are made where an older version left none, and one that was dropped, too; one that can't follow is left alone",
    () =>
      Effect.gen(function* () {
        const own = yield* database
        yield* started(own.url)
        const shown = yield* described(own, schema)
        yield* ask(own, `drop schema ${schema} cascade`)
        yield* started(own.url)
        assert.deepStrictEqual(yield* described(own, schema), shown)
        yield* ask(
          own,
          `drop view ${schema}.vos; create or replace function ${schema}.as_jsonb(json) returns jsonb
        language sql immutable as 'select null::jsonb'; create view public.mine as select * from ${schema}.ncrs;
        alter view ${schema}.ncrs rename column severity to weight; comment on view ${schema}.permits is null;
        comment on column ${schema}.transmittals.id is 'Something else.'`
        )
        yield* started(own.url)
        const now = yield* described(own, schema)
        assert.deepStrictEqual(
          now.filter(({ table }) => table !== "ncrs"),
          shown.filter(({ table }) => table !== "ncrs")
        )
        assert.include(
          now.filter(({ table }) => table === "ncrs").map(({ column }) => column),
          "weight"
        )
        assert.deepStrictEqual(yield* ask(own, `select ${schema}.as_jsonb('[1]')::text as is`), [{ is: "[1]" }])
        yield* ask(own, "alter table construction.permits add column mine json")
        yield* started(own.url)
        assert.deepInclude(yield* jsonColumns(own), { table: "permits", column: "mine", type: "jsonb" })
      }).pipe(Effect.scoped)
  )
})

describe.skipIf(Databases.skipped !== undefined)("with roles, the views with jsonb", () => {
  it("are the worker's, for analysts to read by default and nobody to write through", async () => {
    await using roles = new Roles()
    await using own = await Databases.database()
    await roles.setUp(own)
    // As on a server where new functions aren't everybody's.
    await own.query(`alter default privileges for role ${roles.worker} revoke execute on functions from public`)
    await roles.migrated(own)
    const [worker, analyst] = [roles.url(own, "worker"), roles.url(own, "analyst")]
    await Databases.query(worker, `insert into construction.ipcs (id, _extra) values ('1', '{"a":"\\u0000"}')`)
    assert.deepStrictEqual(await Databases.query(analyst, "select distinct _extra::text as extra from ipcs"), [
      { extra: '{"a": "\ufffd"}' }
    ])
    for (const name of names) await Databases.query(analyst, `select distinct * from ${schema}.${name}`)
    for (const url of [analyst, worker]) {
      const writes = `begin; set transaction read write; update ${schema}.ipcs set id = '2'`
      const failure = await Databases.query(url, writes).catch(String)
      assert.match(String(failure), /permission denied for view ipcs/)
    }
  })

  it("wait for the roles' file on a database that is older, while the worker goes on", async () => {
    await using roles = new Roles()
    await using own = await Databases.database()
    await roles.setUp(own)
    await roles.migrated(own)
    await own.query(`drop schema ${schema} cascade`)
    const worker = roles.url(own, "worker")
    await roles.migrated(own)
    await Effect.runPromise(started(worker))
    assert.deepStrictEqual(await own.query(`select to_regnamespace('${schema}')::text as found`), [{ found: null }])
    await own.query(roles.sql)
    await Effect.runPromise(started(worker))
    const read = `select distinct id, _extra from ${schema}.ipcs`
    assert.lengthOf(await Databases.query(roles.url(own, "analyst"), read), 1)
  })
})
