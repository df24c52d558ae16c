import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { some } from "../Long.ts"
import { ask, endless, projects, publish, temporary } from "./Asking.ts"

const { directory, remove } = temporary()
let file = ""
const exact = `create table construction.exact as
  select 123456789012345678901234.5678::decimal(28,4) as amount, 9007199254740993 as big, 1 as n
  union all select -0.0001, -9223372036854775808, 2
  union all select null, null, 3`

beforeAll(async () => {
  file = await publish(directory, projects, exact)
})
afterAll(remove)

describe("an answer", () => {
  const sql = "select amount, big from construction.exact order by n"

  it.live("has every digit in each of the three forms", () =>
    Effect.gen(function* () {
      const csv = yield* ask({ file, sql, format: "csv" })
      assert.strictEqual(
        csv.out,
        "amount,big\r\n123456789012345678901234.5678,9007199254740993\r\n-0.0001,-9223372036854775808\r\n,\r\n"
      )
      assert.strictEqual(csv.err, "")
      const json = yield* ask({ file, sql, format: "json" })
      assert.deepStrictEqual(JSON.parse(json.out), [
        { amount: "123456789012345678901234.5678", big: "9007199254740993" },
        { amount: "-0.0001", big: "-9223372036854775808" },
        { amount: null, big: null }
      ])
      const table = yield* ask({ file, sql, format: "table" })
      assert.deepStrictEqual(table.out.split("\n").slice(2), [
        "123456789012345678901234.5678      9007199254740993",
        "                      -0.0001  -9223372036854775808",
        "                            ∅                     ∅",
        ""
      ])
      assert.strictEqual(table.err, "(3 rows)\n")
    })
  )

  it.live("has values of every kind, and times in UTC in a process of any zone", () =>
    Effect.gen(function* () {
      const { out } = yield* ask({
        file,
        format: "json",
        sql: `select timestamptz '2026-01-01 23:30:00+01' as at, date '2026-02-03' as day, true as yes, 0.5::double as half,
          'nan'::double as nan, 170141183460469231731687303715884105727 as huge, '\\xAB'::blob as bytes, 'a'::enum('a') as word,
          [1.50::decimal(9,2), null] as list, {'a': 1::bigint} as struct, map {'k': 1} as map, uuid() is not null as id,
          interval 1 day as span, null as nothing, timestamptz '2026-01-01 23:30:00+01'::date as utc_day, current_setting('TimeZone') as zone, 1 as twice, 2 as twice`
      })
      assert.deepStrictEqual(JSON.parse(out), [
        {
          at: "2026-01-01T22:30:00.000000Z",
          day: "2026-02-03",
          yes: true,
          half: 0.5,
          nan: "NaN",
          huge: "170141183460469231731687303715884105727",
          bytes: "\\xab",
          word: "a",
          list: ["1.50", null],
          struct: { a: "1" },
          map: { k: 1 },
          id: true,
          span: "1 day",
          nothing: null,
          utc_day: "2026-01-01",
          zone: "UTC",
          twice: 1,
          twice_2: 2
        }
      ])
    })
  )

  it.live("fits the terminal, and is whole anywhere else", () =>
    Effect.gen(function* () {
      const wide = "select repeat('x', 300) as a, 1 as b"
      const terminal = yield* ask({ file, sql: wide, format: "table", columns: 50 })
      assert.isTrue(terminal.out.split("\n").every((line) => line.length <= 50))
      const pipe = yield* ask({ file, sql: wide, format: "table" })
      assert.include(pipe.out, `${"x".repeat(300)}  1`)
    })
  )
})

describe("a missing answer", () => {
  it.live("is one sentence while nothing is published", () =>
    Effect.gen(function* () {
      const { err, exitCode, out } = yield* ask({ file: join(directory, "none", "analytics.duckdb"), sql: "select 1" })
      assert.deepStrictEqual([exitCode, out], [1, ""])
      assert.match(
        err,
        /^There is nothing to query yet: .*analytics\.duckdb appears when the worker first goes live\.\n$/
      )
    })
  )

  it.live("is DuckDB's own message for SQL that is wrong", () =>
    Effect.gen(function* () {
      const syntax = yield* ask({ file, sql: "selec 1" })
      assert.strictEqual(syntax.exitCode, 1)
      assert.match(syntax.err, /^Parser Error: syntax error at or near "selec"\n\nLINE 1: selec 1\n +\^\n$/)
      const name = yield* ask({ file, sql: "select nmae from construction.projects", format: "table" })
      assert.match(name.err, /^Binder Error: .*"nmae"[^]*LINE 1: .*\n +\^\n$/)
      assert.strictEqual(name.out, "")
    })
  )

  it.live("is a failure with the reason when the stream breaks off in the middle", () =>
    Effect.gen(function* () {
      const sql =
        "select case when range = 900000 then 'x' else range::varchar end::integer as n from range(1000000); -- n"
      const { err, exitCode, out } = yield* ask({ file, sql, format: "json", limits: { rows: 10_000_000 } })
      assert.strictEqual(exitCode, 1)
      assert.isAbove(out.length, 100_000)
      assert.throws(() => JSON.parse(out))
      assert.match(err, /^The answer broke off: Conversion Error: Could not convert string 'x' to INT32\n$/)
    })
  )

  it.live("names a copy that can't be read", () =>
    Effect.gen(function* () {
      const bad = join(directory, "bad.duckdb")
      writeFileSync(bad, "not a database, but long enough to be looked at".repeat(1000))
      const { err, exitCode } = yield* ask({ file: bad, sql: "select 1" })
      assert.match(`${exitCode} ${err}`, /^1 .*bad\.duckdb/)
    })
  )
})

describe("a limit", () => {
  const timed = (sql: string, millis: number) =>
    Effect.timed(ask({ file, sql, limits: { time: Duration.millis(millis) } }))

  it.live(
    "of time stops a runaway join within a second",
    () =>
      Effect.gen(function* () {
        const [took, { err, exitCode, out }] = yield* timed(endless, 300)
        assert.deepStrictEqual(
          { err, exitCode, out },
          { err: "Stopped at the time limit of 0.3 s.\n", exitCode: 1, out: "" }
        )
        assert.isBelow(Duration.toMillis(took), 300 + 1000)
      }),
    // Only the second that the parent adds shows who stopped it, and a busy machine blurs that.
    { retry: 2 }
  )

  it.live("of time also stops what DuckDB doesn't let be interrupted", () =>
    Effect.gen(function* () {
      const [took, { err, exitCode }] = yield* timed(
        "select levenshtein(repeat('a', 200000), repeat('b', 200000))",
        300
      )
      assert.deepStrictEqual({ err, exitCode }, { err: "Stopped at the time limit of 0.3 s.\n", exitCode: 1 })
      assert.isBelow(Duration.toMillis(took), 300 + 1000 + 800)
    })
  )

  it.live("of time isn't used up by a slow reader", () =>
    Effect.gen(function* () {
      const answer = yield* ask({
        file,
        sql: "select range, repeat('x', 200) from range(20000)",
        limits: { time: Duration.millis(800) },
        onText: () => Effect.sleep(Duration.millis(60))
      })
      assert.deepStrictEqual(answer, { exitCode: 0, out: "", err: "" })
    })
  )

  it.live("of memory refuses what would take more, counted by DuckDB or not", () =>
    Effect.gen(function* () {
      const bombs = [
        "select length(string_agg(repeat('x', 1000000), '')) from range(10000)",
        "select length(repeat('x', 4000000000))",
        "select length(range(1000000000))",
        "select repeat('x', 400000000)",
        "with recursive t as (select 'x' as x union all select x || x from t) select max(length(x)) from t"
      ]
      for (const sql of bombs) {
        const { err, exitCode, out } = yield* ask({ file, sql, limits: { memoryMb: 128 } })
        assert.strictEqual(exitCode, 1, sql)
        assert.match(
          err,
          /Out of Memory Error|needs more memory than the 128 MB|too large to be shown|could not allocate/i,
          sql
        )
        assert.notInclude(out, "xxx")
      }
    })
  )

  it.live("of a row's own size keeps it from filling this process", () =>
    Effect.gen(function* () {
      const { err, exitCode, out } = yield* ask({ file, sql: "select repeat('x', 40000000) as text" })
      assert.deepStrictEqual({ exitCode, out }, { exitCode: 1, out: "text\r\n" })
      assert.strictEqual(err, "A row is too large to be shown; select fewer or shorter columns.\n")
    })
  )

  it.live("of rows cuts ten million to a hundred thousand, and a note tells it", () =>
    Effect.gen(function* () {
      const { err, exitCode, out } = yield* ask({ file, sql: "select range as n from range(10000000)" })
      assert.strictEqual(exitCode, 0)
      assert.strictEqual(out.split("\r\n").length, 100_002)
      assert.match(err, /^Cut off at 100,000 rows: there are more\. /)
    })
  )

  it.live("of rows that is met exactly cuts nothing", () =>
    Effect.gen(function* () {
      const { err, out } = yield* ask({ file, sql: "select * from range(4096)", limits: { rows: 4096 } })
      assert.strictEqual(out.split("\r\n").length, 4098)
      assert.strictEqual(err, "")
    })
  )

  for (const format of some(["table", "csv", "json"] as const, 1)) {
    it.live(`on memory holds for this process too: ${format} of 300 MB leaves it flat`, () =>
      Effect.gen(function* () {
        let written = 0
        let most = 0
        const start = process.memoryUsage.rss()
        yield* ask({
          file,
          format,
          sql: "select range as n, repeat(chr(97 + (range % 26)::integer), 1000) as text from range(10000000)",
          limits: { rows: 300_000 },
          onText: (text) =>
            Effect.sync(() => {
              written += text.length
              most = Math.max(most, process.memoryUsage.rss())
            })
        })
        assert.isAbove(written, 300_000_000)
        assert.isBelow((most - start) / 1e6, 150)
      })
    )
  }
})
