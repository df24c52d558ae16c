/** The schemas are created once, completely or not at all, by any number of workers that start together. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { migrations } from "../../../src/Stores/Postgres/Migrations.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, storesAt, until } from "./World.ts"

const opened = (url: string) => Effect.scoped(Effect.provide(Effect.asVoid(Postgres), storesAt(url), { local: true }))

const made = `
  select nspname as name from pg_namespace where nspname in ('ledger', 'siteledger', 'construction')
  union all select c.relname from pg_class c where c.relname like 'kysely%' and c.relkind = 'r' order by 1`

describe.skipIf(Databases.skipped !== undefined)("the migration", () => {
  it.live("is done once by eight workers that start together", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        yield* Effect.all(
          Array.from({ length: 8 }, () => opened(own.url)),
          { concurrency: "unbounded" }
        )
        const done = yield* ask(own, "select name from siteledger.kysely_migration order by name")
        assert.deepStrictEqual(
          done.map(({ name }) => name),
          Object.keys(migrations).toSorted()
        )
      })
    )
  )

  it.live("looks for tables of its own alone, not for each column of all tables", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const found = yield* Effect.scoped(
          Effect.provide(
            Effect.flatMap(Postgres, ({ connections }) =>
              Effect.promise(() => connections.db.introspection.getTables({ withInternalKyselyTables: true }))
            ),
            storesAt(own.url),
            { local: true }
          )
        )
        const names = ["kysely_migration", "kysely_migration_lock"]
        assert.deepStrictEqual(
          found.map(({ name, schema }) => `${schema}.${name}`).toSorted(),
          ["ledger", "siteledger"].flatMap((schema) => names.map((name) => `${schema}.${name}`))
        )
      })
    )
  )

  it.live("leaves nothing behind when it is cut off half-way, and the next worker does it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        yield* ask(
          own,
          `create function public.wait() returns event_trigger language plpgsql as $$
             begin if to_regclass('construction.ipcs') is not null then perform pg_sleep(20); end if; end $$;
           create event trigger slow on ddl_command_end execute function public.wait()`
        )
        const first = yield* Effect.forkChild(Effect.flip(opened(own.url)))
        const isHalfWay = Effect.map(
          ask(own, "select 1 as n from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"),
          (rows) => rows.length > 0
        )
        yield* until(isHalfWay)
        yield* ask(own, "alter event trigger slow disable")
        yield* ask(
          own,
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        )
        assert.strictEqual((yield* Fiber.join(first)).reason, "Failed")
        assert.deepStrictEqual(yield* ask(own, made), [])
        yield* opened(own.url)
        assert.lengthOf(yield* ask(own, made), 7)
      })
    )
  )

  it.live("is undone with its schemas when a statement fails", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        yield* ask(
          own,
          `create function public.refuse() returns event_trigger language plpgsql as $$
             begin if to_regclass('construction.open_ncrs') is not null then raise exception 'not so'; end if; end $$;
           create event trigger refusing on ddl_command_end execute function public.refuse()`
        )
        const error = yield* Effect.flip(opened(own.url))
        assert.include(error.message, "not so")
        assert.deepStrictEqual(yield* ask(own, made), [])
        yield* ask(own, "drop event trigger refusing")
        yield* opened(own.url)
        assert.lengthOf(yield* ask(own, made), 7)
      })
    )
  )
})
