/**
 * The backup off the machine, from outside: a worker is killed under load, its machine is gone, and another machine has
 * only the bucket and the key. It loses at most what was acknowledged in the last minute, and says so.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { S3Stub } from "../../../trust/S3Stub.ts"
import { temporaryFolder } from "../../Folders.ts"
import { query, type RunningWorker } from "../../RunningWorker.ts"
import { applied, storyEvents } from "../Past.ts"
import { sha256 } from "../Story.ts"
import { World } from "../World.ts"

const bucket = "s3://lake/off/machine"
const key = "5ca1ab1e".repeat(8)

const given = (stub: S3Stub) => ({ SITELEDGER_BACKUP: bucket, SITELEDGER_BACKUP_KEY: key, ...stub.environment })

const pay = async (world: World, id: string): Promise<void> => {
  const certified = { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  assert.strictEqual(await world.server.deliver({ type: "ipc.certified", fields: certified }), 200)
  const paid = { ipc_id: id, payment_reference: `PAY-${id}` }
  assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: paid }), 200)
}

/** The books of a data directory, from the first entry on. */
const books = (dataDir: string): ReadonlyArray<string> => {
  const store = new DatabaseSync(join(dataDir, "store.sqlite"))
  try {
    return store
      .prepare("select * from ledger_entries order by sequence")
      .all()
      .map((entry) => JSON.stringify(entry))
  } finally {
    store.close()
  }
}

const minuteMs = 60_000
/** Workers and verbs start a dozen times. */
const patience = 400_000

interface Acknowledged {
  readonly body: string
  readonly atMs: number
}

/** Ten deliveries every 30 ms or more, until the backup has gone on in the middle of them. */
const killedUnderLoad = async (world: World, worker: RunningWorker) => {
  const acknowledged: Array<Acknowledged> = []
  const events = storyEvents(7, 6000)
  let isLoading = true
  const load = (async () => {
    for (let from = 0; isLoading && from < events.length; from += 10) {
      const batch = events.slice(from, from + 10)
      const statuses = await Promise.all(batch.map((event) => world.server.deliver(event).catch(() => 0)))
      const atMs = Date.now()
      batch.forEach(({ body }, place) => {
        if (statuses[place] === 200) acknowledged.push({ body, atMs })
      })
      await setTimeout(30)
    }
  })()
  await worker.status("some are taken", ({ receiver }) => receiver.accepted > 300)
  const before = (await worker.status("now")).backup?.at ?? ""
  await worker.status("it goes on", ({ backup }) => (backup?.at ?? "") > before)
  const killedMs = Date.now()
  isLoading = false
  await worker.stop("SIGKILL")
  await load
  return { acknowledged, killedMs }
}

/** Nothing of the machine is left but what the bucket has. Returns up to when it reaches. */
const restoredInto = async (world: World, empty: string): Promise<number> => {
  const there = { SITELEDGER_DATA_DIR: empty }
  const locked = await world.runWith({ ...there, SITELEDGER_BACKUP_KEY: "0".repeat(64) }, "restore", bucket)
  assert.strictEqual(locked.code, 1)
  assert.match(locked.stderr, /was made with another key than SITELEDGER_BACKUP_KEY/)
  assert.isFalse(existsSync(join(empty, "store.sqlite")))
  const restored = await world.runWith(there, "restore", bucket, "--json")
  assert.strictEqual(restored.code, 0, restored.stderr)
  const said = JSON.parse(restored.stdout) as { readonly upTo: string; readonly kept: string | null }
  assert.isNull(said.kept)
  assert.match(restored.stderr, /the next start shows that time as a gap/)
  const [was, is] = [books(world.dataDir), books(empty)]
  assert.isAtLeast(is.length, 10)
  assert.deepStrictEqual(is, was.slice(0, is.length))
  assert.deepStrictEqual(
    readdirSync(empty).filter((name) => /fetched|restoring/.test(name)),
    []
  )
  return Date.parse(said.upTo)
}

describe("a machine that is gone", () => {
  it(
    "comes back on an empty one from the bucket and the key, without what came in its last minute at most",
    { timeout: patience },
    async () => {
      const stub = await S3Stub.open()
      await using world = await World.open({ projects: 3 }, given(stub))
      const worker = world.start()
      await worker.live()
      for (let n = 0; n < 10; n++) await pay(world, `${n}`)
      const first = await worker.status("all is backed up", ({ backup, inbox, ledger }) => {
        return backup?.at != null && inbox.pending === 0 && ledger.entries === 10
      })
      assert.strictEqual(first.backup?.to, bucket)

      const { acknowledged, killedMs } = await killedUnderLoad(world, worker)

      const empty = join(temporaryFolder(), "data")
      const there = { SITELEDGER_DATA_DIR: empty }
      const upToMs = await restoredInto(world, empty)
      assert.isAtMost(killedMs - upToMs, minuteMs)

      // Its secrets open: it is sent to by the same subscription, and posts to the same books.
      const again = world.start(there)
      const live = await again.live()
      assert.strictEqual(world.server.subscriptions.length, 1)
      assert.isAtLeast(live.gaps.length, 1)
      assert.strictEqual(live.secrets.unreadable, 0)
      await pay(world, "later")
      await applied(again)
      const went = await again.status("it goes on with the backup", ({ backup }) => backup?.at != null)
      assert.isNull(went.backup?.error ?? null)
      const books = await world.runWith(there, "ledger", "verify")
      assert.strictEqual(books.code, 0, books.stdout + books.stderr)
      const checked = await world.runWith(there, "backup", "--verify")
      assert.strictEqual(checked.code, 0, checked.stderr)
      await again.stop()

      const rows = await query(join(empty, "warehouse.duckdb"), "select body_sha256 from construction.events")
      const found = new Set(rows.map((row) => row["body_sha256"]))
      const owed = acknowledged.filter(({ atMs }) => atMs <= upToMs)
      assert.isAtLeast(owed.length, 100)
      assert.deepStrictEqual(
        owed.filter(({ body }) => !found.has(sha256(body))).map(({ body }) => body),
        []
      )

      // The old machine comes back, and doesn't fight.
      const old = world.start()
      const refused = await old.status("it hears of it", ({ reasonDetails }) =>
        reasonDetails.some(({ key: reason }) => reason === "backup refused")
      )
      assert.match(refused.reasons.join(), /Another copy of this store, on .*, has gone on with the backup/)
      await old.stop()
      await stub.close()
    }
  )

  it(
    "is found out by whoever restores it with chunks gone, and `backup --verify` writes them again",
    { timeout: patience },
    async () => {
      const stub = await S3Stub.open()
      await using world = await World.open({ projects: 3 }, given(stub))
      const worker = world.start()
      await worker.live()
      await pay(world, "1")
      await applied(worker)
      const appliedAt = new Date().toISOString()
      await worker.status("it is backed up", ({ backup }) => (backup?.at ?? "") > appliedAt)
      // All of them: there may be some that no longer matter, as a turn that failed leaves them.
      for (const path of [...stub.objects.keys()].filter((name) => name.endsWith(".chunk"))) stub.objects.delete(path)
      const empty = { SITELEDGER_DATA_DIR: temporaryFolder() }
      const refused = await world.runWith(empty, "restore", bucket)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /lacks the (rows|inbox) from 1 to/)
      const found = await world.run("backup", "--verify")
      assert.strictEqual(found.code, 1)
      assert.match(found.stdout, /are gone/)
      assert.match((await worker.status("it is critical")).reasons.join(), /was damaged: .*They were written again/)
      const mended = await world.run("backup", "--verify")
      assert.strictEqual(mended.code, 0, mended.stderr)
      await worker.status("it has passed", ({ reasonDetails }) =>
        reasonDetails.every(({ level }) => level !== "critical")
      )
      await worker.stop()
      const restored = await world.runWith(empty, "restore", bucket)
      assert.strictEqual(restored.code, 0, restored.stderr)
      await stub.close()
    }
  )
})
