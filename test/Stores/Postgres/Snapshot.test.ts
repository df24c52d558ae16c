/** A snapshot of PostgreSQL is of one point in time; a failed export blames our own file if that failed, and the server otherwise. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { queryWithoutFile } from "../Reading.ts"
import { folder } from "../WarehouseEngines.ts"
import { ask, database, storesAt } from "./World.ts"
import { failure } from "../../../src/Stores/Postgres/Snapshot.ts"

const name = "PostgreSQL at db:5432, database books"

const messageOf = (cause: unknown): string => failure({ name }, cause).message

const thrownBy = (use: () => unknown): unknown => {
  try {
    use()
  } catch (cause) {
    return cause
  }
  return assert.fail("nothing was thrown")
}

/** A socket's error in Node; some of its calls have the same names as those of files. */
const ofSocket = (syscall: string, code: string) => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

describe("a failed export", () => {
  it("blames our file that could not be written, not the server, although no path is named", () => {
    const file = openSync(import.meta.filename, "r")
    const calls = [() => writeSync(file, "x"), () => ftruncateSync(file)]
    const causes = calls.map(thrownBy)
    closeSync(file)
    for (const cause of causes) {
      assert.notProperty(cause, "path")
      assert.match(messageOf(cause), /^E[A-Z]+: .*, (?:write|ftruncate)$/)
    }
    assert.match(messageOf(thrownBy(() => openSync("/not/there", "r"))), /^ENOENT: .* '\/not\/there'$/)
  })

  it("blames the server for a connection that broke off", () => {
    for (const cause of [ofSocket("write", "EPIPE"), ofSocket("read", "ECONNRESET")]) {
      assert.strictEqual(messageOf(cause), `${name} doesn't answer: ${cause.message}.`)
    }
  })
})

describe.skipIf(Databases.skipped !== undefined)("a snapshot of PostgreSQL", () => {
  it.live("outlives the database's own limits for what waits in a transaction", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const name = new URL(own.url).pathname.slice(1)
        yield* Effect.gen(function* () {
          yield* ask(own, "insert into construction.vos (id) values ('before')")
          yield* ask(own, `alter database "${name}" set idle_in_transaction_session_timeout = '20ms'`)
          const snapshot = yield* Effect.flatMap(Warehouse, (warehouse) => warehouse.snapshot)
          yield* ask(own, "select pg_sleep(0.3)")
          const names = ["a", "b"].map((file) => join(path, `${file}.parquet`))
          const write = (file: string) => snapshot.writeTable("vos", file)
          assert.deepStrictEqual(yield* Effect.forEach(names, write, { concurrency: 2 }), [1, 1])
        }).pipe(Effect.scoped, Effect.provide(storesAt(own.url), { local: true }))
      })
    )
  )

  it.live("is of one point in time, whichever connection a row comes by", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        yield* Effect.gen(function* () {
          yield* ask(own, "insert into construction.vos (id) values ('before')")
          const warehouse = yield* Warehouse
          const snapshot = yield* warehouse.snapshot
          yield* ask(own, "insert into construction.vos (id) values ('after')")
          const names = Array.from({ length: 4 }, (_, place) => join(path, `${place}.parquet`))
          const write = (name: string) => snapshot.writeTable("vos", name)
          const counts = yield* Effect.forEach(names, write, { concurrency: names.length })
          assert.deepStrictEqual(counts, [1, 1, 1, 1])
        }).pipe(Effect.scoped, Effect.provide(storesAt(own.url), { local: true }))
        const found = yield* Effect.promise(() => queryWithoutFile(`select id from read_parquet('${path}/*.parquet')`))
        assert.deepStrictEqual(
          found,
          Array.from({ length: 4 }, () => ({ id: "before" }))
        )
      })
    )
  )
})
