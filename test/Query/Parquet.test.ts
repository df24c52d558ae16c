/** An answer as Parquet: every value with its type, the whole answer or no file, and the engine as sealed as ever. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { makeIn } from "../../src/Query/IntoFile.ts"
import { defaultLimits } from "../../src/Query/Query.ts"
import { onDisk, unmountable } from "../SmallDisk.ts"
import { until } from "../Stores/Postgres/World.ts"
import { queryWithoutFile } from "../Stores/Reading.ts"
import { ask, endless, projects, publish, temporary } from "./Asking.ts"

const { directory, remove } = temporary()
let file = ""
let number = 0
const newPath = () => join(directory, `${(number += 1)} it's.parquet`)

beforeAll(async () => {
  file = await publish(directory, projects)
})
afterAll(remove)

const read = (sql: string) => Effect.promise(() => queryWithoutFile(sql))
const quoted = (path: string) => `'${path.replaceAll("'", "''")}'`
const leftovers = () => readdirSync(directory).filter((name) => name.startsWith("."))

const skipping = unmountable === undefined ? "" : ` (skipped: ${unmountable})`

const projectsOften = "select id, id * 2 as ID, name, amount from construction.projects, range(300) order by all"

/** One value of each kind that has a place in Parquet, and the type that it comes back with. */
const values = [
  ["12345678901234567890123.4567::decimal(28,4)", "DECIMAL(28,4)"],
  ["9223372036854775807::bigint", "BIGINT"],
  ["170141183460469231731687303715::hugeint", "DECIMAL(38,0)"],
  ["timestamptz '2026-11-20 02:00:00.123456Z'", "TIMESTAMP WITH TIME ZONE"],
  ["timestamp '0044-03-15 12:00:00.000001'", "TIMESTAMP"],
  ["timestamp_s '2026-11-20 02:00:00'", "TIMESTAMP"],
  ["date '9999-12-31'", "DATE"],
  ["'a,\"\u0001\\N\r\n'", "VARCHAR"],
  ["''", "VARCHAR"],
  ["'{\"a\": 1.10}'::json", "JSON"],
  ["'\\x00\\xff'::blob", "BLOB"],
  ["true", "BOOLEAN"],
  ["'b'::enum('a', 'b')", "VARCHAR"],
  ["uuid '00000000-0000-4000-8000-000000000001'", "UUID"],
  ["{'x': [1.5::decimal(4,2), null], 'y': map(['k'], [1])}", "STRUCT(x DECIMAL(4,2)[], y MAP(VARCHAR, INTEGER))"],
  ["null::decimal(28,4)", "DECIMAL(28,4)"]
] as const

describe("an answer as Parquet", () => {
  it.live("keeps every value and its type", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      const select = `select ${values.map(([value], place) => `${value} as v${place}`).join(", ")}`
      const { err, exitCode, out } = yield* ask({ file, sql: select, parquet })
      assert.deepStrictEqual({ err, exitCode, out }, { err: `(1 row in ${parquet})\n`, exitCode: 0, out: "" })
      const types = yield* read(`describe from ${quoted(parquet)}`)
      assert.deepStrictEqual(
        types.map((column) => column["column_type"]),
        values.map(([, type]): unknown => type)
      )
      const text = (from: string) =>
        `select ${values.map((_, place) => `v${place}::varchar as v${place}`).join(", ")} ${from}`
      assert.deepStrictEqual(yield* read(text(`from ${quoted(parquet)}`)), yield* read(text(`from (${select})`)))
    })
  )

  it.live.skipIf(unmountable !== undefined)(
    `is said not to fit by the name that was asked for, if the disk is full${skipping}`,
    () =>
      Effect.promise(() =>
        onDisk(async (folder) => {
          writeFileSync(join(folder, "filler"), Buffer.alloc(38_000_000))
          const parquet = join(folder, "answer.parquet")
          const sql = "select md5(range::varchar) as text from range(1000000)"
          const { err, exitCode } = await Effect.runPromise(ask({ file, sql, parquet }))
          assert.deepStrictEqual(
            { err, exitCode },
            { err: `${parquet} can't be written: the disk is full.\n`, exitCode: 1 }
          )
          assert.deepStrictEqual(readdirSync(folder), ["filler"])
        })
      )
  )

  it.live("is whole however long it is, and gives columns of one name different names", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      const { exitCode } = yield* ask({ file, sql: projectsOften, parquet })
      assert.strictEqual(exitCode, 0)
      const [found] = yield* read(
        `select count(*)::int as rows, sum(amount)::varchar as amount, sum(ID_2 - 2 * id)::int as off from ${quoted(parquet)}`
      )
      assert.deepStrictEqual(found, { rows: 300_000, amount: "187312500.0000", off: 0 })
      assert.deepStrictEqual(leftovers(), [])
    })
  )

  it.live("is whole when its rows are long: more than fit into memory at once", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      const sql = "select n, repeat(md5(n::varchar), 64) as body from range(150000) as of(n)"
      const { err, exitCode } = yield* ask({ file, sql, parquet })
      assert.deepStrictEqual({ err, exitCode }, { err: `(150,000 rows in ${parquet})\n`, exitCode: 0 })
      const [found] = yield* read(
        `select count(*)::int as rows, count(distinct n)::int as different, bool_and(body = repeat(md5(n::varchar), 64)) as same
         from ${quoted(parquet)}`
      )
      assert.deepStrictEqual(found, { rows: 150_000, different: 150_000, same: true })
    })
  )

  it.live("is refused once it needs more of the disk than it may use", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(directory, "made-"))
      const make = (rows: number) =>
        Effect.scoped(
          makeIn(
            folder,
            { file, sql: `select repeat(md5(n::varchar), 30) from range(${rows}) as of(n)`, ...defaultLimits },
            { mostBytes: 8_000_000 }
          )
        )
      const { message } = yield* Effect.flip(make(10_000_000))
      assert.strictEqual(message, "The answer needs more than the 8 MB of disk that it may use.")
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
      assert.strictEqual((yield* make(100)).rows, 100)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("has columns when it has no rows", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      yield* ask({ file, sql: "select id, null as nothing from construction.projects where false", parquet })
      assert.deepStrictEqual(
        (yield* read(`describe from ${quoted(parquet)}`)).map((column) => column["column_name"]),
        ["id", "nothing"]
      )
    })
  )

  it.live("leaves an existing file alone", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      writeFileSync(parquet, "theirs")
      const { err, exitCode } = yield* ask({ file, sql: "select 1", parquet })
      assert.deepStrictEqual(
        { err, exitCode },
        { err: `${parquet} already exists and is left as it is.\n`, exitCode: 1 }
      )
      assert.strictEqual(readFileSync(parquet, "utf8"), "theirs")
    })
  )

  it.live("leaves a file alone that appeared while the query ran", () =>
    Effect.gen(function* () {
      const parquet = newPath()
      const asked = yield* Effect.forkChild(ask({ file, sql: projectsOften, parquet }))
      yield* until(Effect.sync(() => leftovers().length > 0))
      writeFileSync(parquet, "theirs", { flag: "wx" })
      const { err, exitCode } = yield* Fiber.join(asked)
      assert.deepStrictEqual(
        { err, exitCode },
        { err: `${parquet} already exists and is left as it is.\n`, exitCode: 1 }
      )
      assert.strictEqual(readFileSync(parquet, "utf8"), "theirs")
      assert.deepStrictEqual(leftovers(), [])
    })
  )

  for (const [what, sql, message] of [
    [
      "that fails in the middle",
      "select 1000 // (500000 - range) / (range - 500000), error(case when range = 500000 then 'half-way' end) from range(600000)",
      /half-way/
    ],
    ["that never ends", endless, /^Stopped at the time limit/],
    [
      "of a type that Parquet has no place for",
      "select 1 as a, interval '3.000004 seconds' as b",
      /can't hold the column b \(INTERVAL\) exactly/
    ],
    [
      "that doesn't fit",
      "select 170141183460469231731687303715884105727::hugeint as wide",
      /can't hold 1701\d+ of the column wide \(HUGEINT\) exactly/
    ],
    [
      "that doesn't only read",
      `copy construction.projects to '/dev/null'`,
      /Only a single read-only statement runs here/
    ],
    ["that would write elsewhere", `select * from read_parquet('elsewhere')`, /isn't available here/]
  ] as const) {
    it.live(`leaves no file of a query ${what}`, () =>
      Effect.gen(function* () {
        const parquet = newPath()
        const { err, exitCode, out } = yield* ask({ file, sql, parquet, limits: { time: Duration.seconds(2) } })
        assert.strictEqual(exitCode, 1)
        assert.strictEqual(out, "")
        assert.match(err, message)
        assert.isFalse(existsSync(parquet))
        assert.deepStrictEqual(leftovers(), [])
      })
    )
  }

  it.live("says which folder for the file is missing", () =>
    Effect.gen(function* () {
      const parquet = join(directory, "nowhere", "a.parquet")
      const { err, exitCode } = yield* ask({ file, sql: "select 1", parquet })
      assert.strictEqual(exitCode, 1)
      assert.strictEqual(err, `${parquet} can't be written: there is no folder ${join(directory, "nowhere")}.\n`)
    })
  )
})
