/**
 * docs/reading-the-lake.md for a reader who has only DuckDB: its code blocks run on an export, and their answers are
 * right.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readingSql } from "../../src/Lake/ReadingSql.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Sealed from "../../src/Query/Sealed.ts"
import { inWorld, now, on, readExport, run, write, type World } from "./ExportWorld.ts"
import { answers, blocks, project, written } from "./ReadingWorld.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

const ask = async (connection: DuckDBConnection, sql: string): Promise<Rows> =>
  (await connection.runAndReadAll(sql)).getRowObjectsJson() as Rows

/** A session of plain DuckDB that has run lake.sql. */
const session = async (world: World, lake: string) => {
  const connection = await (await DuckDBInstance.create()).connect()
  await connection.run(readingSql(readExport(world), lake))
  return connection
}

it.effect("the document's blocks about DuckDB run and answer correctly", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      const [where = "", which = "", ...rest] = blocks("DuckDB")
      yield* Effect.promise(async () => {
        const connection = await (await DuckDBInstance.create()).connect()
        assert.include(where, "'/srv/lake'")
        await connection.run(where.replace("/srv/lake", world.lake))
        // The text was made for another place than where it is read.
        await connection.run(readingSql(readExport(world), "/nowhere"))
        const [shown] = await ask(connection, which)
        assert.strictEqual(shown?.["run"], readExport(world).run)
        assert.lengthOf(rest, 1)
        assert.deepStrictEqual(
          (await ask(connection, rest[0] ?? "")).map((row) => [row["event_date"], row["events"]]),
          [
            ["2026-11-18", "1"],
            ["2026-11-19", "1"],
            ["2026-11-20", "1"]
          ]
        )
      })
    })
  )
)

it.effect("the questions have the same correct answers on the lake and on the analysts' copy", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      const copy = join(world.dataDir, "analytics.duckdb")
      const warehouse = yield* Warehouse
      yield* warehouse.publish(copy)
      yield* Effect.promise(async () => {
        const questions = blocks("Questions, answered")
        const expected = Object.values(answers)
        assert.lengthOf(questions, expected.length)
        for (const connection of [await session(world, world.lake), await Sealed.open(copy, 256)]) {
          for (const [place, question] of questions.entries()) {
            assert.deepStrictEqual(await ask(connection, question), expected[place] as Rows, question)
          }
        }
      })
    })
  )
)

it.effect("JSON is text in the files, which every reader knows, and JSON again in a session", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      const connection = yield* Effect.promise(() => session(world, world.lake))
      const { tables } = readExport(world)
      const said = Object.entries(tables).flatMap(([table, { columns }]) =>
        columns.flatMap(({ format, name, type }) => (format === "json" ? [{ table, name, type }] : []))
      )
      assert.includeDeepMembers(said, [
        { table: "transmittals", name: "recipients", type: "VARCHAR" },
        { table: "events", name: "alarms", type: "VARCHAR" }
      ])
      yield* Effect.promise(async () => {
        const files = readdirSync(world.lake, { recursive: true, encoding: "utf8" }).filter((name) =>
          name.endsWith(".parquet")
        )
        const kinds = await ask(
          connection,
          `select distinct name from parquet_schema([${files.map((name) => `'${join(world.lake, name)}'`).join(", ")}])
           where converted_type = 'JSON' or cast(logical_type as varchar) ilike '%json%'`
        )
        assert.deepStrictEqual(kinds, [])
        const described = await ask(
          connection,
          `select table_name as "table", column_name as name, 'VARCHAR' as type from duckdb_columns()
           where schema_name = 'construction' and data_type = 'JSON'
             and table_name in (select view_name from duckdb_views() where sql like '%read_parquet%')`
        )
        assert.sameDeepMembers([...described], said)
      })
    })
  )
)

it.effect("a session stays with its export until lake.sql is run again", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      // A relative path works, too.
      const lake = relative(process.cwd(), world.lake)
      const connection = yield* Effect.promise(() => session(world, lake))
      const names = Effect.promise(() => ask(connection, "select name from construction.projects order by all"))
      assert.deepStrictEqual(yield* names, [{ name: "Harbour" }, { name: "Tunnel" }])
      yield* TestClock.setTime(now + 86_400_000)
      yield* write([], [{ ...project, id: "8", values: { name: "Bridge" } }])
      yield* run
      assert.deepStrictEqual(yield* names, [{ name: "Harbour" }, { name: "Tunnel" }])
      yield* Effect.promise(() => connection.run(readingSql(readExport(world), lake)))
      assert.deepStrictEqual(yield* names, [{ name: "Bridge" }, { name: "Harbour" }, { name: "Tunnel" }])
      yield* Effect.promise(async () => {
        renameSync(join(world.lake, "latest.json"), join(world.lake, "kept.json"))
        const other = { ...JSON.parse(readFileSync(join(world.lake, "kept.json"), "utf8")), sha256: "0".repeat(64) }
        writeFileSync(join(world.lake, "latest.json"), JSON.stringify(other))
        const message = await connection.run(readingSql(readKept(world), lake)).then(String, String)
        assert.include(message, "The manifest is not the one that latest.json names.")
      })
    })
  )
)

/** By the pointer that was moved away. */
const readKept = ({ lake }: World) => {
  const { manifest } = JSON.parse(readFileSync(join(lake, "kept.json"), "utf8")) as { manifest: string }
  return JSON.parse(readFileSync(join(lake, manifest), "utf8")) as Parameters<typeof readingSql>[0]
}

it.effect("days that were written before a column was added are read with those after", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      const manifest = readExport(world)
      const [first] = manifest.tables["events"]?.files ?? []
      const path = join(world.lake, first?.path ?? "")
      yield* Effect.promise(async () => {
        const connection = await session(world, world.lake)
        await connection.run(`copy (select * exclude (alarms, event_date) from construction.events
          where event_date = '2026-10-30') to '${path}.before' (format parquet)`)
        renameSync(`${path}.before`, path)
        const [block = ""] = blocks("Late events and new columns")
        assert.deepStrictEqual(await ask(connection, block), [{ events: "4", with_alarms: "3" }])
        assert.deepStrictEqual(
          await ask(connection, "select count(*) as n from construction.events where alarms is null"),
          [{ n: "1" }]
        )
      })
    })
  )
)

it.effect("the text is the same for every export, and describes each column", () =>
  inWorld((world) =>
    Effect.gen(function* () {
      yield* written
      const before = readingSql(readExport(world), world.lake)
      yield* TestClock.setTime(now + 86_400_000)
      yield* write([on("2026-11-20")])
      yield* run
      assert.strictEqual(readingSql(readExport(world), world.lake), before)
      assert.strictEqual(readFileSync(join(world.lake, "lake.sql"), "utf8"), before)
      assert.notInclude(before, "2026")
      const bucket = readingSql(readExport(world), "s3://it's/prefix")
      assert.include(bucket, "coalesce(getvariable('siteledger_lake'), 's3://it''s/prefix')")
      assert.include(bucket, "PROVIDER credential_chain")
      const connection = yield* Effect.promise(() => session(world, world.lake))
      const [found] = yield* Effect.promise(() =>
        ask(
          connection,
          `select count(*) as columns, count(comment) as described from duckdb_columns()
           where schema_name = 'construction' and table_name = 'ipcs'`
        )
      )
      assert.strictEqual(found?.["described"], found?.["columns"])
    })
  )
)
