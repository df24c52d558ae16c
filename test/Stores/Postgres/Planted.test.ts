/**
 * Books that get an owner contain nothing by which someone else could act as that owner: someone who had the worker's
 * role while it owned everything may have left something there.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { Administrator, Roles } from "./Roles.ts"
import { storesAt } from "./World.ts"

const facts = "ledger.ledger_facts"

const own = `
  create function siteledger.planted() returns bigint language sql immutable as 'select 1::bigint';
  create function siteledger.planted(bigint) returns bigint language sql immutable as 'select 1::bigint';
  create function siteledger.planting() returns trigger language plpgsql as 'begin return new; end';
  create type siteledger.word as enum ('a')`

/** How each is planted, called, and removed. */
const plants = [
  [
    `create index planted on ${facts} (siteledger.planted(number))`,
    "index ledger.planted",
    "drop index ledger.planted"
  ],
  [
    `alter table ${facts} alter column chain set default siteledger.planted()::text`,
    `default value for column chain of table ${facts}`,
    `alter table ${facts} alter column chain drop default`
  ],
  [
    `alter table ${facts} add constraint planted check (siteledger.planted(number) > 0)`,
    `constraint planted on table ${facts}`,
    `alter table ${facts} drop constraint planted`
  ],
  [
    `create trigger planted before insert on ${facts} for each row execute function siteledger.planting()`,
    `trigger planted on table ${facts}`,
    `drop trigger planted on ${facts}`
  ],
  [
    `create rule planted as on insert to ${facts} do also delete from siteledger.alerts`,
    `rule planted on table ${facts}`,
    `drop rule planted on ${facts}`
  ],
  [
    `create policy planted on ${facts} using (true)`,
    `policy planted on table ${facts}`,
    `drop policy planted on ${facts}`
  ],
  [
    `create statistics ledger.planted on siteledger.planted(number), number from ${facts}`,
    "statistics object ledger.planted",
    "drop statistics ledger.planted"
  ],
  [
    `alter table ${facts} add column planted siteledger.word`,
    `table ${facts}`,
    `alter table ${facts} drop column planted`
  ],
  [
    `create table siteledger.planted () inherits (${facts})`,
    "table siteledger.planted",
    "drop table siteledger.planted"
  ]
] as const

const functions = `
  select proname, prosrc, prosecdef from pg_proc where pronamespace = 'ledger'::regnamespace order by 1`

describe.skipIf(Databases.skipped !== undefined)(
  "what the worker's role could change before the books got an owner",
  () => {
    const plain = async () => {
      const roles = new Roles()
      const administrator = new Administrator()
      const database = await Databases.database()
      const url = await administrator.own(database)
      await Effect.runPromise(Effect.asVoid(Postgres).pipe(Effect.provide(storesAt(url)), Effect.scoped))
      return {
        roles,
        database,
        [Symbol.asyncDispose]: async () => {
          await database[Symbol.asyncDispose]()
          await administrator[Symbol.asyncDispose]()
          await roles[Symbol.asyncDispose]()
        }
      }
    }

    it("keeps the roles' file from giving them one, and is named", async () => {
      await using world = await plain()
      const { database, roles } = world
      await database.query(own)
      for (const [plant, named, remove] of plants) {
        await database.query(plant)
        const refused = await database.query(roles.sql).then(String, String)
        assert.include(refused, `The books have what siteledger didn't make: ${named}.`)
        await database.query(remove)
      }
      await database.query(roles.sql)
    })

    it("of functions is put right: none may act as the owner, and each does what it should", async () => {
      await using world = await plain()
      const { database, roles } = world
      const made = await database.query(functions)
      await database.query(`
      create or replace function ledger.digest_of(varchar) returns bytea language sql immutable strict security definer
        as $$ select null::bytea $$;
      create or replace function ledger.refuse_change() returns trigger language plpgsql security definer
        as $$ begin return null; end $$;
      create function ledger.another() returns bigint language sql security definer as 'select 1::bigint'`)
      await roles.setUp(database)
      const acting = "select from pg_proc where pronamespace = 'ledger'::regnamespace and prosecdef"
      assert.deepStrictEqual(await database.query(acting), [])
      const digest = (await database.query(functions)).find(({ proname }) => proname === "digest_of")
      assert.deepStrictEqual(digest, made[0])
      await database.query("drop function ledger.another()")
      await roles.migrated(database)
      assert.deepStrictEqual(await database.query(functions), made)
    })
  }
)
