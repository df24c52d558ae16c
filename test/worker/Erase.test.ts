/**
 * A person is erased: each file is decoded before and after. Everything that came from the service, by deliveries and
 * by lists, loses the person; repeated deliveries don't bring them back; the books stay whole.
 */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { patience } from "../Long.ts"
import * as Postgres from "../Postgres.ts"
import { holders } from "../Decoded.ts"
import {
  address,
  at,
  person,
  because,
  deliveries,
  open,
  type Found,
  isDone,
  fill,
  refusedStart,
  erase,
  eraseKilled,
  eraseAll,
  eraseRecords,
  ofRecord,
  records,
  tellAgain,
  tryToBringBack,
  witness
} from "./ErasedWorld.ts"
import { sharing } from "./Shared.ts"

const filled = sharing(async () => {
  const world = await open()
  assert.strictEqual((await (await fill(world)).stop()).code, 0)
  return world
})

describe("a person who is erased", () => {
  it("is found first in every file, and nothing goes before it is agreed to", { timeout: patience }, async () => {
    const world = await filled()
    const worker = world.start()
    await worker.live()
    assert.match((await erase(world, "--dry-run")).stderr, /^siteledger: The worker with process id/)
    assert.strictEqual((await worker.stop()).code, 0)
    const before = await holders(world.dataDir, person)
    const kinds = [/^inbox\/\d+\.log$/, /^inbox\/beside\//, /^warehouse\.duckdb$/, /^analytics\.duckdb$/]
    const inLake = [
      /^lake\/events\/.*parquet$/,
      /^lake\/ipcs\/.*parquet$/,
      /^lake\/projects\/.*parquet$/,
      /^lake\/_deliveries\//
    ]
    for (const kind of [...kinds, ...inLake])
      assert.isTrue(
        before.some((path) => kind.test(path)),
        `${kind} ${before}`
      )
    const looked = await erase(world, "--dry-run", "--json")
    assert.strictEqual(looked.code, 0, looked.stderr)
    const found = JSON.parse(looked.stdout) as Found
    assert.deepInclude(found, { deliveries: 5, kept: {}, setAside: [] })
    assert.lengthOf(found.exports, 1)
    const whole = await world.run("erase", "--value", person, "--dry-run", "--json")
    assert.deepInclude(JSON.parse(whole.stdout), { deliveries: 4, insideLonger: 1 })
    const certificate = await world.run("erase", "--value", "https://s.example/1.pdf", "--dry-run")
    assert.match(certificate.stdout, /^In 0 deliveries and 0 other rows/)
    assert.match(certificate.stdout, /\n {2}deliveries {2}1 row\n {2}ledger_/)
    const refused = async (...more: ReadonlyArray<string>) => {
      const { code, stderr } = await erase(world, ...more)
      assert.notStrictEqual(code, 0)
      return stderr
    }
    assert.match(await refused("--yes", ...because), /--remove-exports/)
    assert.match(await refused("--yes", "--remove-exports", "--reason", `for ${person}`), /Nothing was erased/)
    assert.match(await refused("--remove-exports", ...because), /Give --yes/)
    assert.match(await refused("--remove-exports", "--yes"), /Say why/)
    assert.match((await world.run("erase", "--resume")).stderr, /nothing to resume/)
    assert.deepStrictEqual(await holders(world.dataDir, person), before)
  })

  it("is in no file any more, and doesn't come back", { timeout: patience }, async () => {
    const world = await filled()
    await eraseAll(world)
    assert.deepStrictEqual(
      readdirSync(join(world.dataDir, "lake"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== "lock.sqlite")
        .map(({ name }) => name),
      []
    )
    await tryToBringBack(world)
    assert.deepStrictEqual(await holders(world.dataDir, person), [])
    const rows = await world.query(
      "select event_type, outcome, deliveries::int as n from construction.events where event_type <> 'webhook.ping' order by sequence"
    )
    assert.deepStrictEqual(
      rows.map((row) => Object.values(row).join(" ")),
      [
        "ipc.submitted applied 2",
        "ipc.certified applied 1",
        "ipc.paid applied 1",
        "vo.created applied 1",
        "permit.issued applied 1",
        "ncr.created quarantined 1",
        "vo.created applied 1"
      ]
    )
    const [ipc] = await world.query("select submitter, submitted_amount::varchar as n, _extra from construction.ipcs")
    assert.deepInclude(ipc, { submitter: "[erased]", n: "5.0000" })
    assert.include(String(ipc?.["_extra"]), address)
    assert.strictEqual((await world.run("lake", "verify")).code, 0)
    assert.isAbove((await holders(world.dataDir, witness)).length, 4)
    const looked = await world.run("erase", ...ofRecord(["ipcs", "1"]), "--dry-run", "--json")
    assert.deepInclude(JSON.parse(looked.stdout), {
      deliveries: 1,
      changed: {},
      kept: { deliveries: 1, ledger_facts: 2, ledger_entries: 1 }
    })
    await eraseRecords(world)
    assert.deepStrictEqual(await holders(world.dataDir, witness), [])
    assert.deepStrictEqual(await holders(world.dataDir, address), [])
    await tellAgain(world)
    assert.deepStrictEqual(await holders(world.dataDir, witness), [])
  })

  it("is erased whole, wherever the verb is killed", { timeout: patience }, async () => {
    const world = await filled()
    await eraseKilled(world, 250)
    assert.deepStrictEqual(await holders(world.dataDir, person), [])
    await eraseKilled(world, 250, ofRecord(["ipcs", "1"]))
    assert.deepStrictEqual(await holders(world.dataDir, address), [])
    await tryToBringBack(world)
    for (const gone of [person, address]) assert.deepStrictEqual(await holders(world.dataDir, gone), [])
  })

  it("is erased again from a backup that is older", { timeout: patience }, async () => {
    const world = await filled()
    const worker = world.start()
    await worker.live()
    const backup = join(dirname(world.file("beside", "")), "store.backup")
    assert.strictEqual((await world.run("backup", backup)).code, 0)
    await worker.stop()
    await eraseAll(world)
    await eraseRecords(world, records.slice(0, 1))
    assert.strictEqual((await world.run("restore", backup)).code, 0)
    for (const back of [person, address]) assert.include(await holders(world.dataDir, back), "store.sqlite")
    assert.match(await refusedStart(world), /erase --resume/)
    const resumed = await world.run("erase", "--resume")
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    for (const gone of [person, address]) assert.deepStrictEqual(await holders(world.dataDir, gone), [])
    await tryToBringBack(world)
    for (const gone of [person, address]) assert.deepStrictEqual(await holders(world.dataDir, gone), [])
  })

  it.skipIf(Postgres.skipped !== undefined)(
    "doesn't come back where the store moves to",
    { timeout: patience },
    async () => {
      const world = await filled()
      await eraseAll(world)
      await using database = await Postgres.database()
      const moved = await world.run("move", "--to", database.url)
      assert.strictEqual(moved.code, 0, moved.stderr)
      const worker = world.start({ SITELEDGER_WAREHOUSE: database.url })
      await worker.live()
      assert.strictEqual(await world.server.deliver(deliveries[0]!), 200)
      const fresh = { type: "vo.created", fields: { ...at, vo_id: 9, description: `For ${person}`, by: person } }
      assert.strictEqual(await world.server.deliver(fresh), 200)
      await worker.status("all are applied", isDone)
      assert.deepInclude(await worker.verb("ledger-verify"), { differences: [], entries: 1 })
      assert.strictEqual((await worker.stop()).code, 0)
      const texts = ["events", "ipcs", "vos", "permits", "projects"].map(
        (table) => `select '${table}' as held from construction.${table} as each where each::text like '%${person}%'`
      )
      const bodies = `select 'inbox' from siteledger.inbox where position(convert_to('${person}', 'UTF8') in body) > 0`
      assert.deepStrictEqual(await database.query([...texts, bodies].join(" union all ")), [])
      const counted = "select deliveries from siteledger.inbox where deliveries > 1"
      assert.deepStrictEqual(await database.query(counted), [{ deliveries: "2" }])
    }
  )
})
