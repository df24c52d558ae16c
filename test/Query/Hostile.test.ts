import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Reading from "../../src/Query/Reading.ts"
import { open } from "../../src/Query/Sealed.ts"
import { seed, some } from "../Long.ts"
import { ask, projects, publish, temporary } from "./Asking.ts"
import { hostile, inFolder } from "./Hostile.ts"

const { directory, remove } = temporary()
const secret = "open-sesame"
let file = ""
let before: ReadonlyArray<string> = []

/** Every file of the folder with the hash of its content. */
const contents = (): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true }).map(
    (name) =>
      `${String(name)} ${createHash("sha256")
        .update(readFileSync(join(directory, String(name))))
        .digest("hex")}`
  )

beforeAll(async () => {
  file = await publish(directory, projects)
  const other = await DuckDBInstance.create(join(directory, "other.duckdb"))
  const connection = await other.connect()
  await connection.run(`create table words as select '${secret}' as word`)
  connection.closeSync()
  other.closeSync()
  writeFileSync(join(directory, "secret.csv"), `name,word\nadmin,${secret}\n`)
  before = contents()
})
afterAll(remove)

const leavesNoTrace = () => {
  assert.deepStrictEqual(contents(), before)
  for (const name of ["hostile.parquet", "hostile.csv", "hostile"]) assert.isFalse(existsSync(name), name)
}

/** Each takes a process of its own. */
const asked = some(hostile, 40)

describe("hostile statements", () => {
  it.live(
    `are refused, ${asked.length} of ${hostile.length} (seed ${seed}), with nothing read, made or changed`,
    () =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(
          asked,
          (sql) => Effect.map(ask({ file, sql: inFolder(sql, directory) }), (answer) => ({ sql, ...answer })),
          { concurrency: 2 }
        )
        const answered = answers.filter(
          ({ err, exitCode, out }) => exitCode !== 1 || out !== "" || err.includes(secret)
        )
        assert.deepStrictEqual(answered, [])
        assert.deepStrictEqual(
          answers.filter(({ err }) => err.trim() === "" || err.includes("process")),
          []
        )
        leavesNoTrace()
      }),
    180_000
  )

  it("reach nothing outside even if they aren't refused", async () => {
    // What DuckDB prints would go to the child's closed output.
    for (const sql of hostile.filter((sql) => !sql.includes("'stdout'"))) {
      const connection = await open(file, 128)
      const shown = await connection.runAndReadAll(inFolder(sql, directory)).then(
        (result) => JSON.stringify(result.getRowsJson()),
        (error: unknown) => String(error)
      )
      assert.notInclude(shown, secret, sql)
      connection.closeSync()
    }
    leavesNoTrace()
  })
})

describe("the sealed engine", () => {
  it("has every lock on, each of which alone stops most of the above", async () => {
    const connection = await open(file, 128)
    const names = [
      "access_mode",
      "allow_community_extensions",
      "allow_persistent_secrets",
      "autoinstall_known_extensions",
      "autoload_known_extensions",
      "enable_external_access",
      "lock_configuration",
      "memory_limit",
      "temp_directory",
      "threads"
    ]
    const shown = await connection.runAndReadAll(
      `select value from duckdb_settings() where name in ('${names.join("', '")}') order by name`
    )
    assert.deepStrictEqual(
      shown.getRows().map(([value], index) => `${names[index]} ${String(value)}`),
      [
        "access_mode read_only",
        "allow_community_extensions false",
        "allow_persistent_secrets false",
        "autoinstall_known_extensions false",
        "autoload_known_extensions false",
        "enable_external_access false",
        "lock_configuration true",
        "memory_limit 122.0 MiB",
        "temp_directory ",
        "threads 1"
      ]
    )
    // This one DuckDB doesn't show.
    const logging = connection.run("call enable_logging(storage = 'file', storage_path = 'hostile')")
    const outcome = await logging.then(() => "enabled", String)
    assert.include(outcome, "LocalFileSystem disabled")
    connection.closeSync()
  })
})

describe("the allow-list of table functions", () => {
  const treeOf = async (sql: string) => {
    const connection = await open(file, 128)
    const result = await connection.runAndReadAll("select json_serialize_sql($1::varchar)", [sql])
    connection.closeSync()
    return JSON.parse(String(result.value(0, 0)))
  }

  it("holds only functions that this DuckDB has, and keeps every other one out", async () => {
    const connection = await open(file, 128)
    const found = await connection.runAndReadAll(
      "select distinct function_name from duckdb_functions() where function_type in ('table', 'table_macro')"
    )
    connection.closeSync()
    const names = new Set(found.getRows().map(([name]) => String(name)))
    assert.isAbove(names.size, 80)
    assert.deepStrictEqual(
      [...Reading.tableFunctions].filter((name) => !names.has(name)),
      []
    )
    for (const name of names) {
      const verdict = Reading.judge(await treeOf(`select 1 where exists (select * from "${name}"())`))
      assert.strictEqual(verdict === "reads", Reading.tableFunctions.has(name), name)
    }
  })
})

describe("a tree", () => {
  it("of one statement is judged, of none or several refused, and a missing one is left to DuckDB's message", () => {
    assert.strictEqual(Reading.judge({ error: false, statements: [{}] }), "reads")
    for (const statements of [[], [{}, {}]]) {
      assert.deepStrictEqual(Reading.judge({ error: false, statements }), { refused: Reading.whatIsRead })
    }
    assert.strictEqual(Reading.judge({ error: true, error_type: "parser" }), "unreadable")
    assert.deepStrictEqual(Reading.judge({ error: true, error_type: "not implemented" }), {
      refused: Reading.whatIsRead
    })
  })
})

describe("statements that read", () => {
  const harmless = [
    "select 1",
    "select 1;",
    "  select 1 ; -- with a remark",
    "/* first */ select 'explain', 'a;b'",
    "from construction.projects limit 1",
    "table construction.projects",
    "values (1), (2)",
    "with p as (from construction.projects) select count(*) from p",
    "with recursive n as (select 1 as i union all select i + 1 from n where i < 5) from n",
    "describe construction.projects",
    "describe select 1 as a",
    "show tables",
    "show all tables",
    "summarize construction.projects",
    "explain from construction.projects",
    "EXPLAIN ANALYZE select count(*) from construction.projects",
    "explain (format json) select 1",
    "explain (select 1)",
    "pivot construction.projects on id in (1, 2) using sum(amount)",
    "unpivot (select 1 as a, 2 as b) on a, b",
    "select unnest([1, 2]), * from generate_series(1, 3)",
    "from unnest([1, 2])",
    "select * from pragma_table_info('construction.projects')",
    "select table_name from duckdb_tables()",
    "select table_name from information_schema.tables",
    "select list_transform([1, 2], lambda x: x + 1), columns(*) from construction.projects limit 1",
    "select sum(amount) over (order by id rows between 1 preceding and current row) from construction.projects",
    "select key, value from json_each('{\"a\": 1}')"
  ]

  it.live("are answered", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        harmless,
        (sql) => Effect.map(ask({ file, sql }), (answer) => ({ sql, ...answer })),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(
        answers.filter(({ err, exitCode, out }) => exitCode !== 0 || out === "" || err !== ""),
        []
      )
      leavesNoTrace()
    })
  )
})
