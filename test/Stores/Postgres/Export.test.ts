/**
 * What PostgreSQL sends ends up in files to the last byte, or no file counts: with any text, any length of row, and
 * wherever the stream breaks off.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { CopyingClient } from "../../../src/Stores/Postgres/Guarded.ts"
import { makePipe, through } from "../../../src/Stores/Postgres/Staged.ts"
import { entityTable } from "../../../src/Stores/WarehouseTables.ts"
import { typeName } from "../../../src/Stores/Postgres/Ddl.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, proxy, storesAt, until } from "./World.ts"
import { folder } from "../WarehouseEngines.ts"
import { queryWithoutFile } from "../Reading.ts"
import { eventRow } from "../Written.ts"

const read = (text: string) => Effect.promise(() => queryWithoutFile(text))

/** Texts that look like separators, NULLs, escapes, quotes or a byte order mark. */
const hardTexts = [
  "\ufeffbom",
  "\\N",
  "\\\\N",
  "",
  "\t",
  "\r\n",
  "\\n",
  "\\\n",
  "0\tx\ty\n0\tz",
  "\\\\\\t\b\f\v\\",
  '"',
  "#",
  "\u0001\u007f"
]

const vos = entityTable("vos")

/** Variation orders as a view that pauses for a minute after many rows. */
const sleepyView = [
  "alter table construction.vos rename to vos_kept",
  `create view construction.vos as select ${vos.columns
    .map(({ name, type }) => (name === "id" ? `repeat('x', 100) || n as id` : `null::${typeName(type)} as "${name}"`))
    .join(", ")}
   from generate_series(1, 60000) as n where case when n = 50000 then pg_sleep(60) is not null else true end`
]

const isAsleep = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`

describe.skipIf(Databases.skipped !== undefined)("an export from PostgreSQL", () => {
  it.live("holds every text unchanged, and tells null from empty text", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const values = hardTexts.map((text, place) => {
          const literal = `convert_from('\\x${Buffer.from(text).toString("hex")}', 'UTF8')`
          return `(${literal} || '-${place}', ${literal}, null, json_build_object('a', ${literal}), -0.0001)`
        })
        yield* Effect.gen(function* () {
          yield* ask(
            own,
            `insert into construction.vos (id, description, boq_revision, _extra, final_amount) values ${values.join(", ")}`
          )
          const warehouse = yield* Warehouse
          const snapshot = yield* warehouse.snapshot
          assert.strictEqual(yield* snapshot.writeTable("vos", join(path, "vos.parquet")), hardTexts.length)
        }).pipe(Effect.scoped, Effect.provide(storesAt(own.url), { local: true }))
        const found = yield* read(
          // As bytes, because DuckDB's client drops U+FEFF.
          `select hex(id) as id, hex(description) as description, boq_revision, hex(_extra->>'a') as a,
             final_amount::varchar as amount
           from '${join(path, "vos.parquet")}' order by split_part(id, '-', -1)::int`
        )
        const bytes = (text: string) => Buffer.from(text).toString("hex").toUpperCase()
        const expected = hardTexts.map((text, place) => ({
          id: bytes(`${text}-${place}`),
          description: bytes(text),
          boq_revision: null,
          a: bytes(text),
          amount: "-0.0001"
        }))
        assert.deepStrictEqual(found, expected)
      })
    )
  )

  it.live("takes very long rows", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        // Its escaped form is twice as long.
        const long = `{"text":"${"\\t".repeat(3_000_000)}"}`
        const files = yield* Effect.gen(function* () {
          const warehouse = yield* Warehouse
          yield* warehouse.write({ changes: [], events: [eventRow(1, "{}"), eventRow(2, long), eventRow(3, "{}")] })
          const snapshot = yield* warehouse.snapshot
          return yield* snapshot.writeEvents(yield* snapshot.eventDates, join(path, "events"))
        }).pipe(Effect.scoped, Effect.provide(storesAt(own.url), { local: true }))
        assert.deepStrictEqual(
          files.map(({ rows }) => rows),
          [3]
        )
        const [found] = yield* read(
          `select max(strlen(payload))::int as longest, count(*)::int as rows from '${files[0]?.path}'`
        )
        assert.deepStrictEqual(found, { longest: long.length, rows: 3 })
      })
    )
  )

  it.live("leaves no temporary folder, and removes that of a killed export", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const before = process.env["TMPDIR"]
        process.env["TMPDIR"] = path
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => (before === undefined ? delete process.env["TMPDIR"] : (process.env["TMPDIR"] = before)))
        )
        mkdirSync(join(path, "siteledger-export-killed"))
        writeFileSync(join(path, "siteledger-export-killed/temporary-folder.sqlite"), "")
        yield* Effect.gen(function* () {
          const warehouse = yield* Warehouse
          const during = Effect.andThen(
            warehouse.snapshot,
            Effect.sync(() => readdirSync(path))
          )
          const names = yield* Effect.scoped(during)
          assert.lengthOf(names, 1)
          assert.notInclude(names, "siteledger-export-killed")
        }).pipe(Effect.provide(storesAt(own.url), { local: true }))
        assert.deepStrictEqual(readdirSync(path), [])
      })
    )
  )

  it.live("fails if the stream is cut in the middle of a table", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const network = yield* proxy(own.url)
        const body = Effect.gen(function* () {
          for (const statement of sleepyView) yield* ask(own, statement)
          const warehouse = yield* Warehouse
          const snapshot = yield* warehouse.snapshot
          const writing = yield* Effect.forkChild(Effect.flip(snapshot.writeTable("vos", join(path, "vos.parquet"))))
          yield* until(Effect.map(ask(own, isAsleep), (found) => found.length === 1))
          network.cut()
          const { message } = yield* Fiber.join(writing)
          assert.match(message, /^PostgreSQL at .* doesn't answer: Connection terminated/)
        })
        yield* Effect.provide(Effect.scoped(body), storesAt(network.url), { local: true })
      })
    )
  )

  it.live("ends on the server and here when it is interrupted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const body = Effect.gen(function* () {
          for (const statement of sleepyView) yield* ask(own, statement)
          const warehouse = yield* Warehouse
          const isOpen = yield* Deferred.make<void>()
          const whole = Effect.gen(function* () {
            const snapshot = yield* warehouse.snapshot
            yield* Deferred.succeed(isOpen, undefined)
            yield* snapshot.writeTable("vos", join(path, "vos.parquet"))
          })
          for (const work of [Effect.scoped(whole), warehouse.publish(join(path, "analytics.duckdb"))]) {
            const writing = yield* Effect.forkChild(work)
            yield* until(Effect.map(ask(own, isAsleep), (found) => found.length === 1))
            const [took] = yield* Effect.timed(Fiber.interrupt(writing))
            assert.isBelow(Duration.toMillis(took), 3_000)
            assert.lengthOf(yield* ask(own, isAsleep), 0)
          }
        })
        yield* Effect.provide(body, storesAt(own.url), { local: true })
      })
    )
  )

  it.live("refuses a file with fewer rows than were sent", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        yield* Effect.gen(function* () {
          yield* ask(own, "insert into construction.vos (id) values ('1'), ('2'), ('3')")
          const pipe = yield* Effect.promise(() => makePipe(path))
          const client = new CopyingClient({ connectionString: own.url })
          yield* Effect.promise(() => client.connect())
          const rows = { client, table: vos, rest: "" }
          const short = async (source: string) => {
            const found = await queryWithoutFile(`select * from (${source}) limit 2`)
            return { made: found, rows: found.length }
          }
          const failed = yield* Effect.flip(Effect.tryPromise(() => through(rows, pipe, short)))
          yield* Effect.promise(() => client.end())
          assert.strictEqual(String(failed.cause), "Error: 2 of 3 rows of vos arrived")
        }).pipe(Effect.provide(storesAt(own.url), { local: true }))
      })
    )
  )

  it.live("says why DuckDB can't write, even while the server is sending", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const body = Effect.gen(function* () {
          // More than a pipe holds.
          yield* ask(own, "insert into construction.vos (id) select n from generate_series(1, 50000) as n")
          const warehouse = yield* Warehouse
          const snapshot = yield* warehouse.snapshot
          const { message } = yield* Effect.flip(snapshot.writeTable("vos", join(path, "nowhere", "vos.parquet")))
          assert.match(message, /Cannot open file .*nowhere/)
        })
        yield* Effect.provide(Effect.scoped(body), storesAt(own.url), { local: true })
      })
    )
  )
})
