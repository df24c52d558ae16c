/**
 * A person is erased from a store in PostgreSQL: its tables and the server's own files are searched before and after,
 * and the files beside the worker. The warehouse's rows are changed in place, and equal those of a rebuild.
 */
import { assert, describe, it } from "@effect/vitest"
import { exactNumber } from "../InterfaceServer.ts"
import { patience } from "../Long.ts"
import * as Postgres from "../Postgres.ts"
import { Roles } from "../Stores/Postgres/Roles.ts"
import {
  address,
  at,
  because,
  deliveries,
  erase,
  eraseKilled,
  eraseRecords,
  type Found,
  isDone,
  ofRecord,
  open,
  person,
  records,
  tellAgain,
  tryToBringBack,
  value,
  witness
} from "./ErasedWorld.ts"
import { databaseOf, eraseAll, filled, held } from "./ErasedServer.ts"
import { sharing } from "./Shared.ts"
import type { World } from "./World.ts"

const tables = ["projects", "ipcs", "vos", "permits", "ncrs", "transmittals"]

/** But for when a row was changed, and which page said what of a project. */
const rowsOf = async (world: World): Promise<object> => {
  const { query } = databaseOf(world)
  const found = tables.map(async (table) => {
    const rows = await query(`select * from construction.${table} order by id`)
    const left = rows.map(({ _changed_at: _changed, _first_seen_at: _first, _clocks, ...row }) =>
      table === "projects" ? row : { ...row, _clocks }
    )
    return [table, left] as const
  })
  const events = await query("select * from construction.events where event_type <> 'webhook.ping' order by sequence")
  return Object.fromEntries([...(await Promise.all(found)), ["events", events]])
}

/** In every kind of column, in names of fields, and where something with the same name stays. */
const kinds = [
  {
    type: "dms.transmittal.sent",
    fields: {
      transmittal_id: 1,
      recipients: [person, { name: person, of: exactNumber("1.50") }],
      document_count: 345678901234
    }
  },
  {
    type: "dms.transmittal.sent",
    fields: { transmittal_id: 2, recipients: [witness], document_count: 4, project: 7, sent: true, note: "1.50" }
  },
  {
    type: "vo.priced",
    fields: {
      vo_id: 2,
      project: { id: 5, by: witness },
      total_cost_impact: "12.50",
      time_impact: 3,
      description: witness
    }
  },
  {
    type: "ipc.created",
    fields: { ipc_id: 8, draft_amount: 7, [person]: 1, [`of ${person}`]: { a: person }, aaa: person }
  },
  { type: "ncr.created", fields: { ncr_id: 4, severity: "severe", more: { severity: "severe", on: "2026-11-21" } } },
  { type: "ncr.closed", fields: { ncr_id: 4, closure_date: "2026-11-21" } },
  { type: "ncr.closed", fields: { ncr_id: 5, closure_date: "2026-11-22T16:30:00+01:00" } },
  { type: "ncr.closed", fields: { ncr_id: 6, closure_date: "2026-11-23T16:30:00+01:00" } }
]

const rules: ReadonlyArray<ReadonlyArray<string>> = [
  ["--value", person, "--within"],
  ["--value", "2026-11-21"],
  ["--value", "2026-11-22T16:30:00+01:00"],
  ["--value", "2026-11-23", "--within"],
  ["--value", "severe", "--field", "severity"],
  ["--value", "345678901234", "--field", "document_count"],
  ...[...records, ["transmittals", "2"] as const, ["vos", "2"] as const, ["ncrs", "5"] as const].map(ofRecord)
]

const ready = sharing(async () => {
  const world = await open("postgres")
  await filled(world)
  return world
})

describe("a person who is erased from a server", () => {
  it("is found first in every place, then in none, and doesn't come back", { timeout: patience }, async () => {
    const world = await ready()
    const before = await held(world)
    const known = ["events", "ipcs", "permits", "projects", "vos"].map((name) => `construction.${name}`)
    const files = [...known, "siteledger.inbox", "pg_statistic"].map((name) => `file of ${name}`)
    assert.includeMembers(
      [...before],
      [...known, ...files, "siteledger.inbox", "siteledger.record_quarantine", "analytics.duckdb"]
    )
    const looked = await erase(world, "--dry-run", "--json")
    assert.strictEqual(looked.code, 0, looked.stderr)
    const found = JSON.parse(looked.stdout) as Found
    assert.deepInclude(found, { deliveries: 6, kept: {}, setAside: [] })
    assert.deepStrictEqual(await held(world), before)
    await eraseAll(world)
    assert.deepStrictEqual(await held(world), [])
    await tryToBringBack(world)
    assert.deepStrictEqual(await held(world), [])
    assert.include(await held(world, witness), "construction.ipcs")
    await eraseRecords(world)
    assert.deepStrictEqual(await held(world, witness), [])
    await tellAgain(world)
    assert.deepStrictEqual(await held(world, witness), [])
  })

  it("leaves rows as a rebuild makes them", { timeout: patience }, async () => {
    const world = await ready()
    const before = world.start()
    await before.live()
    for (const { fields, type } of kinds)
      assert.strictEqual(await world.server.deliver({ type, fields: { ...at, ...fields } }), 200)
    await before.status("all are applied", isDone)
    assert.strictEqual((await before.stop()).code, 0)
    for (const rule of rules) {
      const erased = await world.run("erase", ...rule, "--yes", "--remove-exports", ...because)
      assert.strictEqual(erased.code, 0, erased.stderr)
    }
    const changed = await rowsOf(world)
    const worker = world.start()
    await worker.live()
    assert.strictEqual((await world.run("rebuild", "--wait")).code, 0)
    await worker.status("all are applied", isDone)
    await worker.live()
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(changed, await rowsOf(world))
    const text = JSON.stringify(changed)
    for (const gone of [person, witness, "4915112345", "2026-11-21", "2026-11-22", "345678901234"])
      assert.notInclude(text, gone)
    assert.notInclude(text, "severe")
  })

  it("is erased whole, wherever the verb is killed", { timeout: patience }, async () => {
    const world = await ready()
    await eraseKilled(world, 2000)
    assert.deepStrictEqual(await held(world), [])
    await eraseKilled(world, 2000, ofRecord(["ipcs", "1"]))
    assert.deepStrictEqual(await held(world, address), [])
    await tryToBringBack(world)
    assert.deepStrictEqual(await held(world), [])
  })

  it("stays while a worker lives, on any machine", { timeout: patience }, async () => {
    await using world = await open("postgres")
    const first = world.start()
    await first.live()
    const second = await world.startAnother()
    await second.status("both are known", ({ workers }) => workers.filter(({ isUp }) => isUp).length === 2)
    assert.strictEqual((await first.stop()).code, 0)
    assert.strictEqual(await world.server.deliver(deliveries[0]!, world.at(second)), 200)
    await second.status("it is applied", isDone)
    const { code, stderr } = await erase(world, "--yes", ...because)
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      new RegExp(`The worker on .* with process id ${second.note()?.pid} works on the database: stop it first`)
    )
    assert.deepStrictEqual(await world.store("select 1 from erasures"), [])
    await second.stop()
  })

  it("goes where roles are apart, too, and analysts go on reading", { timeout: patience }, async () => {
    await using roles = new Roles()
    await using world = await open("postgres")
    const database = databaseOf(world)
    await roles.setUp(database)
    await roles.migrated(database)
    const given = { SITELEDGER_WAREHOUSE: roles.url(database, "worker") }
    const worker = world.start(given)
    await worker.live()
    for (const event of deliveries) assert.strictEqual(await world.server.deliver(event), 200)
    await worker.status("all are applied", isDone)
    assert.strictEqual((await worker.stop()).code, 0)
    await database.query("create view construction.payees as select submitter from construction.ipcs")
    await database.query(`grant select on construction.payees to ${roles.analyst}`)
    const looked = await world.runWith(given, "erase", ...value, "--dry-run", "--json")
    assert.strictEqual(looked.code, 0, looked.stderr)
    const { setAside } = JSON.parse(looked.stdout) as Found
    assert.match(setAside.join("\n"), /^pg_catalog\.pg_statistic, .* vacuum full pg_catalog\.pg_statistic$/)
    const erased = await world.runWith(given, "erase", ...value, "--yes", "--remove-exports", ...because)
    assert.strictEqual(erased.code, 0, erased.stderr)
    await database.query("vacuum full pg_catalog.pg_statistic")
    assert.deepStrictEqual(await held(world), [])
    const asked = await Postgres.query(roles.url(database, "analyst"), "select * from construction.payees")
    assert.deepStrictEqual(asked, [{ submitter: "[erased]" }])
    const next = world.start(given)
    await next.live()
    assert.strictEqual((await next.stop()).code, 0)
  })

  it("isn't brought back by a worker that had lost its sessions meanwhile", { timeout: patience }, async () => {
    await using world = await open("postgres")
    const worker = world.start()
    await worker.live()
    const { query } = databaseOf(world)
    await query(`
      insert into siteledger.erasures (asked_at, asked_by, reason, salt, value_sha256, value_length, is_within, chain)
      values ('2026-11-20T08:00:00.000000Z', 'b', 'r', repeat('0', 64), repeat('1', 64), 12, 0, repeat('2', 64));
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'siteledger worker %'`)
    const before = await query("select count(*) from siteledger.inbox")
    // One fails in any case.
    for (let count = 0; count < 5; count++)
      assert.notStrictEqual(await world.server.deliver(deliveries[count % deliveries.length]!), 200)
    assert.deepStrictEqual(await query("select count(*) from siteledger.inbox"), before)
    await worker.stop("SIGKILL")
    const next = world.start()
    await next.live()
    assert.strictEqual(await world.server.deliver(deliveries[0]!), 200)
    assert.strictEqual((await next.stop()).code, 0)
  })
})
