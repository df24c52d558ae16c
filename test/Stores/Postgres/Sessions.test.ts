/** Every session has the program's settings, regardless of the database's, the role's or the URL's. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, sessions, storesAt, until } from "./World.ts"

const settings = `
  select name, setting from pg_settings where name in ('search_path', 'TimeZone', 'DateStyle', 'IntervalStyle',
    'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'work_mem')`

const timeouts = (statement: string, lock: string) => ({
  statement_timeout: statement,
  lock_timeout: lock,
  idle_in_transaction_session_timeout: "60000"
})

const same = {
  search_path: "ledger,siteledger",
  TimeZone: "UTC",
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres"
}

describe.skipIf(Databases.skipped !== undefined)("a session", () => {
  it.live("is in UTC, searches our schema, and has a time-out for every wait", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        for (const setting of [
          "search_path = public",
          "timezone = 'Asia/Tokyo'",
          "datestyle = 'German'",
          "intervalstyle = 'iso_8601'",
          "statement_timeout = 0",
          "lock_timeout = 0",
          "idle_in_transaction_session_timeout = 0"
        ]) {
          yield* ask(own, `alter role current_user in database ${own.name} set ${setting}`)
        }
        const url = new URL(own.url)
        url.searchParams.set("options", "-c search_path=public -c work_mem=5MB")
        const body = Effect.gen(function* () {
          const { connections } = yield* Postgres
          const asRecord = (rows: ReadonlyArray<{ readonly name: string; readonly setting: string }>) =>
            Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
          const client = connections.client()
          yield* Effect.promise(() => client.connect())
          const alone = yield* Effect.promise(() => client.query(settings))
          yield* Effect.promise(() => client.end())
          assert.match(connections.worker, /^siteledger worker \S+ \d+ [0-9a-f]{8}$/)
          yield* until(Effect.map(sessions(own), (all) => all.length > 0))
          const prompt = yield* Effect.promise(() => connections.prompt.query(settings))
          assert.deepStrictEqual(asRecord(alone.rows), { ...same, ...timeouts("60000", "10000"), work_mem: "5120" })
          assert.deepStrictEqual(asRecord(prompt.rows), { ...same, ...timeouts("900", "900"), work_mem: "5120" })
        })
        yield* Effect.provide(body, storesAt(url.href))
        assert.deepStrictEqual(
          yield* ask(
            own,
            "select distinct schemaname as name from pg_tables where tablename in ('meta', 'ipcs') order by 1"
          ),
          [{ name: "construction" }, { name: "siteledger" }]
        )
        yield* until(Effect.map(sessions(own), (all) => all.length === 0))
      })
    )
  )
})
