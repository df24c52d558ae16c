/**
 * What an erasure does to rows of a Store in PostgreSQL: the books keep theirs, answers of look-ups keep the hash of
 * the original, and append-only tables are changed only as their owner, who takes the right for one transaction.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { Client } from "pg"
import { fields } from "../../connectors/construction/ConstructionColumns.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import type { Engine } from "../../src/Operate/Erase/Engine.ts"
import { seeksOf } from "../../src/Operate/Erase/Seek.ts"
import * as Server from "../../src/Operate/Erase/Server.ts"
import * as Erasures from "../../src/Stores/Erasures.ts"
import * as Postgres from "../Postgres.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { temporaryFolder } from "../Folders.ts"
import { until } from "../RunningWorker.ts"
import { heldOnServer } from "../worker/HeldOnServer.ts"
import { Roles } from "../Stores/Postgres/Roles.ts"
import { answer, asked, person, quoted, reads, redact, sha256 } from "./ErasedPerson.ts"

const rows = `
  insert into ledger.ledger_facts values (1, 'i', 'looked-up', 'k', ${quoted(JSON.stringify({ sha256 }))}, null),
    (2, 'i', 'decision', 'k', ${quoted(JSON.stringify({ by: person }))}, null);
  insert into ledger.ledger_evidence values (1, ${quoted(answer)});
  insert into ledger.admin_log overriding system value
    values (1, 'a', 'os:ada', 'ledger-accept', ${quoted(person)}), (2, 'b', 'os:ada', 'export', null);
  insert into siteledger.lookups values ('things', 'x', 1, '', null, ${quoted(`not JSON, of ${person}`)});
  insert into siteledger.sightings values ('things', ${quoted(person)}, 1, 0, null);
  create table construction.mine (name text)`

/** Who may do what with the tables, and what their triggers are. */
const guards = `
  select oid::regclass::text as name, relacl::text as rights, (select json_agg(concat_ws(' ', tgname, tgenabled) order by tgname) from pg_trigger
    where tgrelid = pg_class.oid)::text as triggers from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r' order by 1`

const opened = <A>(
  { url }: Postgres.Database,
  owner: string | undefined,
  use: (engine: Engine) => Effect.Effect<A, { readonly message: string }>
) => {
  const folder = temporaryFolder()
  const beside = {
    published: `${folder}/analytics.duckdb`,
    store: `${folder}/store.sqlite`,
    warehouse: `${folder}/w.duckdb`
  }
  const place: Server.Place = {
    ...beside,
    url: Redacted.make(url),
    ownersUrl: Option.map(Option.fromUndefinedOr(owner), (address) => Redacted.make(address)),
    fields: fields({ aliases: {}, contentsAt: [] }, [])
  }
  return Effect.runPromise(
    Effect.scoped(Effect.mapError(Effect.flatMap(Server.open(place), use), ({ message }) => message))
  )
}

const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it didn't fail",
    (cause: unknown) => String(cause)
  )

const note = {
  asked_at: "2026-11-20T08:00:00.000000Z",
  asked_by: "b",
  reason: "r",
  ...Erasures.rowOf(Erasure.erased(asked, "0".repeat(64))),
  chain: null
}

const whole = (engine: Engine) =>
  Effect.gen(function* () {
    const { found: all } = yield* Effect.provide(engine.look(seeksOf(asked), reads), Folder.layerAt(temporaryFolder()))
    const [found = { deliveries: 0, changed: {}, kept: {} }] = all
    yield* engine.ready(found)
    yield* engine.note(() => note)
    yield* engine.rid({ redact, reads }, 1)
    yield* engine.writeAgain
    yield* engine.link
    return { found, setAside: yield* engine.setAside }
  })

const shown = {
  changed: { lookups: 1, admin_log: 1, ledger_evidence: 1 },
  kept: { sightings: 1, ledger_facts: 1 },
  deliveries: 0
}

const isErased = async ({ query }: Postgres.Database, before: unknown): Promise<void> => {
  assert.deepStrictEqual(await query("select body from ledger.ledger_evidence"), [
    { body: JSON.stringify({ data: { id: person, amount: 1.5, by: Erasure.mark } }) }
  ])
  assert.deepStrictEqual(await query("select noted_by from ledger.admin_log order by number"), [
    { noted_by: Erasure.mark },
    { noted_by: null }
  ])
  assert.deepStrictEqual(await query("select found from siteledger.lookups"), [
    { found: `not JSON, of ${Erasure.mark}` }
  ])
  assert.deepStrictEqual(await query("select id from siteledger.sightings"), [{ id: person }])
  assert.deepStrictEqual(await query("select body_sha256, erasure, sequence from siteledger.erased_bodies"), [
    { body_sha256: sha256, erasure: "1", sequence: null }
  ])
  assert.deepStrictEqual(await query("select count(chain)::text as n from siteledger.erasures"), [{ n: "1" }])
  assert.deepStrictEqual(await query(guards), before)
}

describe.skipIf(Postgres.skipped !== undefined)("rows on a server that have what is erased", () => {
  it("are changed where one role has everything; rights and triggers are there as before", async () => {
    await using database = await Postgres.database()
    await opened(database, undefined, () => Effect.void)
    await database.query(rows)
    const before = await database.query(guards)
    const { found, setAside } = await opened(database, undefined, whole)
    assert.deepStrictEqual(found, shown)
    assert.deepStrictEqual(setAside, ["the table construction.mine"])
    await isErased(database, before)
  })

  it("need the owner's address where the books have an owner, and say so before anything is changed", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    await roles.setUp(database)
    await roles.migrated(database)
    await database.query(rows)
    const as = { ...database, url: roles.url(database, "worker") }
    const before = await database.query(guards)
    assert.match(
      await failure(opened(as, undefined, whole)),
      /their owner is another role: give its address in SITELEDGER_MIGRATE_URL/
    )
    assert.deepStrictEqual(await database.query("select 1 from siteledger.erasures"), [])
    // What came after the look is noticed, too, once nothing can come any more.
    const late = (engine: Engine) =>
      Effect.flatMap(
        engine.note(() => note),
        () => engine.rid({ redact, reads }, 1)
      )
    assert.match(await failure(opened(as, undefined, late)), /_MIGRATE_URL\. Not everything is erased yet; run `sitele/)
    await database.query("delete from siteledger.erasures")
    const { setAside } = await opened(as, roles.url(database, "owner"), whole)
    assert.match(setAside.join("\n"), /^the table construction\.mine\npg_catalog\.pg_statistic/)
    await isErased(database, before)
  })

  it("stay as long as a worker lives, also one that starts at the same moment", async () => {
    await using database = await Postgres.database()
    await opened(database, undefined, () => Effect.void)
    const row = `('w', 'a-host', 77, '', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), false, '[]')`
    const insert = `insert into siteledger.workers (id, host, pid, started_at, seen_at, is_leader, reasons) values ${row}`
    const meanwhile = (engine: Engine) =>
      Effect.andThen(
        Effect.promise(() => database.query(insert)),
        engine.note(() => note)
      )
    const who = /The worker on a-host with process id 77/
    const early = await failure(opened(database, undefined, meanwhile))
    assert.match(early, who)
    assert.match(early, /Nothing was erased/)
    assert.deepStrictEqual(await database.query("select 1 from siteledger.erasures"), [])
    assert.match(await failure(opened(database, undefined, whole)), who)
    await database.query(`
      delete from siteledger.workers;
      create function public.start() returns trigger language plpgsql as $$ begin ${insert}; return null; end $$;
      create trigger start after insert on siteledger.erasures execute function public.start()`)
    const late = await failure(opened(database, undefined, whole))
    assert.match(late, who)
    assert.match(late, /has started meanwhile: stop it\. Not everything is erased yet/)
    assert.deepStrictEqual(await database.query("select chain from siteledger.erasures"), [{ chain: null }])
  })

  it("lose it without it being sent to the server", async () => {
    await using database = await Postgres.database()
    await opened(database, undefined, () => Effect.void)
    const body = quoted(JSON.stringify({ vo_id: 1, by: person }))
    await database.query(`
      insert into siteledger.inbox (body_sha256, body, event_id, received_at, headers)
        values ('\\x00', convert_to(${body}, 'UTF8'), 'e', '', ${quoted(JSON.stringify(["x-by", person]))});
      insert into construction.projects (id, name, _clocks, _extra)
        values (1, ${quoted(person)}, ${quoted(JSON.stringify({ [`+${person}`]: "1" }))}, ${quoted(JSON.stringify({ [person]: 1 }))});
      insert into siteledger.lookups values ('things', 'x', 1, '', null, ${quoted(person)})`)
    const sent = vi.spyOn(Client.prototype, "query")
    try {
      await opened(database, undefined, whole)
      const text = JSON.stringify(sent.mock.calls.map(([query, values]) => [query, values]))
      assert.include(text, Erasure.mark)
      assert.notInclude(text, person)
      assert.notInclude(text, Buffer.from(person).toString("base64"))
    } finally {
      sent.mockRestore()
    }
    assert.deepStrictEqual(await heldOnServer(database, person), [])
    assert.deepStrictEqual(await database.query("select name, _clocks, _extra from construction.projects"), [
      { name: Erasure.mark, _clocks: `{"+${Erasure.mark}":"1"}`, _extra: `{"${Erasure.mark}":1}` }
    ])
  })

  const reading = ["begin isolation level repeatable read", "select 1 from siteledger.meta"]
  const writing = ["begin", "select pg_current_xact_id()"]
  it.each([
    ["who still reads what was there before", reading, true],
    ["who writes in another database, as no snapshot begins after it", writing, false]
  ] as const)("wait for %s", async (_, statements, isHere) => {
    await using database = await Postgres.database()
    await using other = await Postgres.database()
    await opened(database, undefined, () => Effect.void)
    await database.query(`insert into siteledger.lookups values ('things', 'x', 1, '', null, ${quoted(person)})`)
    await Postgres.session(isHere ? database.url : other.url, async (query) => {
      for (const statement of statements) await query(statement)
      await database.query("update siteledger.lookups set found = 'nothing'")
      let isWritten = false
      const again = opened(database, undefined, (engine) => engine.writeAgain).then(() => (isWritten = true))
      const looks = `select query_start::text as at from pg_stat_activity
        where application_name = 'siteledger erase' and query like '%backend_xmin%'`
      const times = new Set<unknown>()
      await until("it looks again", async () => {
        for (const { at } of await database.query(looks)) times.add(at)
        return isWritten || times.size > 1 || undefined
      })
      assert.isFalse(isWritten)
      await query("commit")
      await again
    })
    assert.deepStrictEqual(await heldOnServer(database, person), [])
  })

  it("refuses the address of another database", async () => {
    await using database = await Postgres.database()
    await using other = await Postgres.database()
    assert.match(await failure(opened(database, other.url, () => Effect.void)), /must name the same database/)
  })
})
