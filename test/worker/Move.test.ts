/** `siteledger move`: the whole store to another engine, and back, with nothing lost or duplicated. */
import { copyFileSync, existsSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { movedTables, type Sum } from "../../src/Operate/Move.ts"
import { placed } from "../../src/Stores/Postgres/Rights.ts"
import * as Postgres from "../Postgres.ts"
import { type Environment, query, run } from "../RunningWorker.ts"
import { contents, epochOf, Folder, makeStore, strange } from "./MoveWorld.ts"
import { applied, dump, live, storyEvents } from "./Past.ts"
import { World } from "./World.ts"
import { saw } from "../Logged.ts"

const moving = async (given: Environment, to: string) => {
  const { code, stderr, stdout } = await run(given, "move", "--to", to, "--json")
  return { code, stderr, tables: code === 0 ? (JSON.parse(stdout) as { tables: Record<string, Sum> }).tables : {} }
}

const moved = async (given: Environment, to: string): Promise<Readonly<Record<string, Sum>>> => {
  const { code, stderr, tables } = await moving(given, to)
  assert.strictEqual(code, 0, stderr)
  return tables
}

const refused = async (given: Environment, to: string, why: RegExp): Promise<void> => {
  const { code, stderr } = await moving(given, to)
  assert.strictEqual(code, 1, stderr)
  assert.match(stderr, why)
  assert.match(stderr, /^siteledger: .+\n$/)
}

const toFiles = ({ path }: Folder): string => `duckdb:${join(path, "warehouse.duckdb")}`

const environmentOf = ({ path }: Folder, more: Environment = {}): Environment => ({
  SITELEDGER_DATA_DIR: path,
  PATH: process.env["PATH"] ?? "",
  ...more
})

/** What analysts see of it. */
const seen = async (file: string) => {
  const ask = (sql: string) => query(file, sql)
  const books = ["ledger_entries", "ledger_holds", "ledger_hold_decisions"].map((name) =>
    ask(`from construction.${name} order by 1`)
  )
  return [await dump({ query: ask }), ...(await Promise.all(books))]
}

const tell = (type: string, contents: object) => ({
  type,
  body: JSON.stringify({ event_timestamp: "2026-10-05T12:00:00Z", ...contents })
})

/** One waits for a certificate, the other is paid under a second reference. */
const questions = [
  tell("ipc.paid", { ipc_id: 900_001, payment_reference: "P1" }),
  tell("ipc.certified", { ipc_id: 900_002, certified_amount: "10.50", certificate_url: "https://c/2" }),
  tell("ipc.paid", { ipc_id: 900_002, payment_reference: "P2", event_timestamp: "2026-10-06T12:00:00Z" }),
  tell("ipc.paid", { ipc_id: 900_002, payment_reference: "P3", event_timestamp: "2026-10-07T12:00:00Z" })
]

describe.skipIf(Postgres.skipped !== undefined)("move", () => {
  it("takes every row of every table there and back, and numbers go on after the greatest", async () => {
    await using database = await Postgres.database()
    using first = new Folder()
    using last = new Folder()
    await makeStore(first.store, strange)
    const expected = await contents(first.store)
    for (const [table, rows] of Object.entries(expected)) assert.isNotEmpty(rows, table)
    const there = await moved(environmentOf(first), database.url)
    assert.deepStrictEqual(Object.keys(there), [...movedTables])
    assert.strictEqual(there["sightings"]?.rows, 7)
    const [number] = await database.query(`
      insert into siteledger.inbox (body_sha256, body, event_id, received_at) values ('n', 'n', 'n', 'n') returning sequence`)
    assert.deepStrictEqual(number, { sequence: "9000000000000002" })
    await database.query("delete from siteledger.inbox where event_id = 'n'")
    const back = await moved(environmentOf(last, { SITELEDGER_WAREHOUSE: database.url }), toFiles(last))
    assert.deepStrictEqual({ ...back, meta: undefined }, { ...there, meta: undefined })
    assert.deepStrictEqual(await contents(last.store), expected)
    const store = new DatabaseSync(last.store)
    const next = store.prepare("insert into alerts (status, body) values ('', '') returning id").get()
    store.close()
    assert.deepStrictEqual({ ...next }, { id: 6 })
  })

  it("a worker goes on with the moved store: the same rows and books, and no second subscription", async () => {
    await using world = await World.open({ projects: 90, maxPerPage: 20 }, {}, "duckdb")
    await using server = await Postgres.database()
    await using last = await Postgres.database()
    using folder = new Folder()
    const events = storyEvents(11, 250)
    const worker = world.start()
    await live(world, worker, events)
    for (const question of questions) assert.strictEqual(await world.server.deliver(question), 200)
    await worker.status("two questions", ({ inbox, ledger }) => inbox.pending === 0 && ledger.holds >= 2)
    await worker.verb("secret-add", { secret: "made-by-hand-1234" })
    await worker.stop()
    const before = await contents(join(world.dataDir, "store.sqlite"))
    for (const table of ["ledger_entries", "ledger_holds", "quarantine", "webhook_secrets"]) {
      assert.isNotEmpty(before[table], table)
    }
    const expected = await seen(world.warehouse)

    await moved(world.environment, server.url)
    const stays = await run(world.environment, "start")
    assert.strictEqual(stays.code, 1)
    assert.match(stays.stderr, /This store was moved to PostgreSQL at .*: set SITELEDGER_WAREHOUSE to that/)
    copyFileSync(join(world.dataDir, "key"), join(folder.path, "key"))
    const elsewhere = { ...world.environment, SITELEDGER_DATA_DIR: folder.path }
    await moved({ ...elsewhere, SITELEDGER_WAREHOUSE: server.url }, toFiles(folder))
    assert.deepStrictEqual(await contents(folder.store), before)
    // Raised by each move, so that no sequence number is used twice if the old store goes on.
    assert.strictEqual(epochOf(folder.store), 3)
    const files = world.start({ SITELEDGER_DATA_DIR: folder.path })
    await applied(files)
    await files.stop()
    await moved(elsewhere, last.url)

    const again = world.start({ SITELEDGER_WAREHOUSE: last.url })
    await again.live()
    await applied(again)
    const { stderr } = await again.stop()
    saw(stderr, "warehouse.moved")
    const published = await run({ ...world.environment, SITELEDGER_WAREHOUSE: last.url }, "publish")
    assert.strictEqual(published.code, 0, published.stderr)
    assert.deepStrictEqual(await seen(join(world.dataDir, "analytics.duckdb")), expected)
    assert.strictEqual(world.server.subscriptions.length, 1)
  })

  it("is refused while a worker runs, on either side", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    await using database = await Postgres.database()
    using other = new Folder()
    const worker = world.start()
    await worker.live()
    await refused(world.environment, database.url, /holds .* \(SITELEDGER_DATA_DIR\)/)
    assert.deepStrictEqual(await database.query("select from pg_namespace where nspname = 'siteledger'"), [])
    await worker.stop()
    await makeStore(other.store, "insert into pace values (1, 1)")
    const onServer = world.start({ SITELEDGER_WAREHOUSE: database.url })
    await onServer.live()
    await refused(environmentOf(other), database.url, /workers are connected \(\d+ connections\)\. Stop them first/)
    using third = new Folder()
    const fromServer = environmentOf(third, { SITELEDGER_WAREHOUSE: database.url })
    await refused(fromServer, toFiles(third), /workers are connected/)
    await onServer.stop()
  })

  it("is refused onto a store that isn't empty, and from one that is missing, moved or damaged", async () => {
    await using database = await Postgres.database()
    await using empty = await Postgres.database()
    using other = new Folder()
    using third = new Folder()
    using fourth = new Folder()
    const fromServer = environmentOf(third, { SITELEDGER_WAREHOUSE: database.url })
    await refused(environmentOf(other), database.url, /There is no store to move/)
    assert.isFalse(existsSync(other.store))

    await makeStore(other.store, "insert into pace values (1, 1)")
    await makeStore(third.store, "insert into meta values ('a', 'b')")
    await moved(environmentOf(third), database.url)
    await refused(environmentOf(other), database.url, /isn't empty: there are rows in meta/)
    await refused(
      { ...fromServer, SITELEDGER_DATA_DIR: other.path },
      toFiles(other),
      /isn't empty: there are rows in pace/
    )
    await moved({ ...fromServer, SITELEDGER_DATA_DIR: fourth.path }, toFiles(fourth))
    await refused(environmentOf(third), empty.url, /was already moved to /)

    truncateSync(third.store, 8192)
    await refused(environmentOf(third), empty.url, /store\.sqlite can't be used/)
    const misused = await moving(environmentOf(third), "mysql://x/y")
    assert.strictEqual(misused.code, 2)
    assert.notInclude(misused.stderr, "mysql")
  })

  it("leaves nothing behind if the target can't hold a row or changes one, and can then be repeated", async () => {
    await using database = await Postgres.database()
    using folder = new Folder()
    await makeStore(folder.store, `${strange} update quarantine set reason = 'a' || char(0) || 'b';`)
    const given = environmentOf(folder)
    const nothing = async () => {
      for (const table of movedTables) assert.deepStrictEqual(await database.query(`select from ${placed(table)}`), [])
    }
    await refused(given, database.url, /Nothing was moved: table quarantine can't be copied: .*0x00/)
    await nothing()
    const store = new DatabaseSync(folder.store)
    store.exec("update quarantine set reason = 'a'")
    store.close()
    await database.query(`
      create function siteledger.spoil() returns trigger language plpgsql as $$ begin new.reason := 'b'; return new; end $$;
      create trigger spoil before insert on siteledger.quarantine for each row execute function siteledger.spoil()`)
    await refused(given, database.url, /Nothing was moved: table quarantine came out different/)
    await nothing()
    await database.query("drop trigger spoil on siteledger.quarantine")
    await moved(given, database.url)
  })
})
