/**
 * A problem that holds a whole worker up raises its alert, by its own metrics and the rules that are shipped: a
 * warehouse that can't be opened, a copy for analysts that can't be put in place, memory used up, a lock of another
 * session. Most other alerts are raised in the tests of their causes.
 */
import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Client } from "pg"
import * as Postgres from "../Postgres.ts"
import { raises } from "../Raised.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const pay = async ({ server }: World, ipc_id: number): Promise<void> => {
  const certificate = { certified_amount: "12.5", certificate_url: `https://c/${ipc_id}` }
  for (const [type, fields] of [
    ["ipc.certified", certificate],
    ["ipc.paid", { payment_reference: `PAY-${ipc_id}` }]
  ] as const) {
    assert.strictEqual(await server.deliver({ type, fields: { ipc_id, ...fields } }), 200)
  }
}

const isPosted = (worker: RunningWorker, entries: number) =>
  worker.status("it is posted", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries)

it("deliveries that wait for the warehouse do, and so do rows and entries that come late", async () => {
  await using world = await World.open({ projects: 3 }, {}, "duckdb")
  const first = world.start()
  await first.live()
  const before = await first.scrape()
  await first.stop()
  renameSync(world.warehouse, `${world.warehouse}.away`)
  mkdirSync(world.warehouse)
  const worker = world.start()
  await worker.status("it waits", ({ reasonDetails }) => reasonDetails.some(({ key }) => key === "warehouse"))
  await pay(world, 7)
  // The buckets of the histograms have a border at ten seconds.
  const waited = () => worker.metric("siteledger_inbox_oldest_pending_seconds")
  await until("they have waited", async () => ((await waited()) ?? 0) > 11 || undefined)
  await raises("SiteledgerDeliveriesWait", before, await worker.scrape())
  rmdirSync(world.warehouse)
  renameSync(`${world.warehouse}.away`, world.warehouse)
  await isPosted(worker, 1)
  const late = await worker.scrape()
  await raises("SiteledgerSlowToShow", before, late, { isRepeated: true })
  await raises("SiteledgerSlowToPost", before, late, { isRepeated: true })
})

it("a copy for analysts that can't be put in its place does, while events come", async () => {
  await using world = await World.open({ projects: 3 }, {}, "duckdb")
  const worker = world.start()
  await worker.live()
  const copy = join(world.dataDir, "analytics.duckdb")
  const age = () => worker.metric("siteledger_published_age_seconds")
  await until("there is a copy", async () => (await age()) !== undefined || undefined)
  const before = await worker.scrape()
  rmSync(copy)
  mkdirSync(copy)
  writeFileSync(join(copy, "in the way"), "")
  await pay(world, 7)
  await worker.status("it says so", ({ reasonDetails }) => reasonDetails.some(({ key }) => key === "publish"))
  await raises("SiteledgerCopyOld", before, await worker.scrape(), { isRepeated: true })
  rmSync(copy, { recursive: true })
})

it("a gigabyte and a half of memory does", async () => {
  await using world = await World.open({ projects: 3 }, {}, "duckdb")
  const first = world.start()
  await first.live()
  const before = await first.scrape()
  await first.stop()
  const taker = world.file("taker.mjs", "globalThis.taken = Buffer.alloc(1.6e9, 1)\n")
  const worker = world.start({ NODE_OPTIONS: `--import ${taker}` })
  await worker.live()
  await raises("SiteledgerMemory", before, await worker.scrape())
})

it.skipIf(Postgres.skipped !== undefined)("a leader's lock that no worker gets does", async () => {
  await using world = await World.open({ projects: 3 }, {}, "postgres")
  const worker = world.start()
  await worker.live()
  const leads = () => worker.metric("siteledger_leader")
  await until("it leads", async () => (await leads()) === 1 || undefined)
  const before = await worker.scrape()
  // Other workers use other databases of the same server; batches share another lock.
  const here = "database = (select oid from pg_database where datname = current_database()) and locktype = 'advisory'"
  const lock = `select classid, objid, pid from pg_locks where ${here} and objsubid = 1 and granted and mode = 'ExclusiveLock'`
  const other = new Client({ connectionString: world.database?.url })
  await other.connect()
  const [held = assert.fail("nobody leads")] = (await world.database?.query(lock)) ?? []
  const taken = other.query(`select pg_advisory_lock((${held["classid"]}::bigint << 32) | ${held["objid"]})`)
  await until("it is asked for", async () => {
    const waiting = await world.database?.query(`select 1 from pg_locks where ${here} and not granted`)
    return (waiting ?? []).length > 0 || undefined
  })
  await world.database?.query(`select pg_terminate_backend(${held["pid"]})`)
  await taken
  await until("it has lost it", async () => (await leads()) === 0 || undefined)
  await raises("SiteledgerNobodyLeads", before, await worker.scrape())
  await other.end()
})
