/** The store, the one irreplaceable file: backed up while it is used, and restored into place. */
import { chmodSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Browsing } from "../Browsing.ts"
import { applied, deliver, dump, live, storyEvents } from "../Past.ts"
import { model, read, sha256 } from "../Story.ts"
import { World } from "../World.ts"

const events = storyEvents(6, 1200)

describe("the store", () => {
  it("is backed up under load, and restored with everything acknowledged by then", async () => {
    await using world = await World.open({ projects: 90, maxPerPage: 20 })
    const copy = join(world.dataDir, "backup.sqlite")
    const worker = world.start()
    await worker.live()
    assert.strictEqual((await new Browsing(worker).signIn({ token: worker.note()?.token ?? "" })).status, 200)
    const acknowledged: Array<string> = []
    let isLoading = true
    const load = (async () => {
      for (let from = 0; isLoading && from < events.length; from += 20) {
        const batch = events.slice(from, from + 20)
        await deliver(world, batch)
        acknowledged.push(...batch.map(({ body }) => body))
      }
    })()
    await worker.status("some are taken", ({ receiver }) => receiver.accepted > 200)
    const before = acknowledged.slice()
    const backedUp = await world.run("backup", copy)
    isLoading = false
    assert.strictEqual(backedUp.code, 0, backedUp.stderr)
    await load
    const held = await world.run("restore", copy)
    assert.strictEqual(held.code, 1, "a running worker is not pulled from its store")
    await worker.stop()

    const restored = await world.run("restore", copy)
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.deepStrictEqual(await world.store("select principal from sessions"), [])
    const again = world.start()
    await again.live()
    await again.stop()
    const found = new Set(
      (await world.query("select body_sha256 from construction.events")).map((row) => row["body_sha256"])
    )
    for (const body of before) assert.isTrue(found.has(sha256(body)))
    assert.isAtLeast(before.length, 200)
    assert.strictEqual(world.server.subscriptions.length, 1)

    const last = world.start()
    await last.live()
    await deliver(world, events)
    await applied(last)
    await last.stop()
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
  })

  it("is not touched by a backup that is damaged", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await live(world, worker, events.slice(0, 50))
    await worker.stop()
    const expected = await dump(world)
    const store = join(world.dataDir, "store.sqlite")
    const bytes = readFileSync(store)
    const rubbish = join(world.dataDir, "rubbish.sqlite")
    for (const damaged of [Buffer.from("no store"), bytes.subarray(0, 6000), Buffer.alloc(0)]) {
      writeFileSync(rubbish, damaged)
      const refused = await world.run("restore", rubbish)
      assert.strictEqual(refused.code, 1, refused.stderr)
      assert.match(refused.stderr, /can't be restored/)
    }
    assert.isTrue(readFileSync(store).equals(bytes))
    const again = world.start()
    await again.live()
    await again.stop()
    assert.deepStrictEqual(await dump(world), expected)
  })

  it("is never overwritten by a backup or from itself, nor is any file that isn't a backup", async () => {
    await using world = await World.open({ projects: 3 })
    const [store, linked] = [join(world.dataDir, "store.sqlite"), join(world.dataDir, "linked.sqlite")]
    const refused = async (code: 1 | 2, says: RegExp, ...verb: readonly [string, ...ReadonlyArray<string>]) => {
      const found = await world.run(...verb)
      assert.strictEqual(found.code, code, found.stderr)
      assert.match(found.stderr, says)
      assert.strictEqual(found.stdout, "")
    }
    await refused(1, /There is no store .*store\.sqlite \(SITELEDGER_DATA_DIR\)\./, "backup", linked)
    assert.deepStrictEqual(readdirSync(world.dataDir), [])
    const worker = world.start()
    await live(world, worker, events.slice(0, 50))
    linkSync(store, linked)
    for (const file of [store, linked, `${store}-wal`]) {
      await refused(2, /is the store itself or its log: name another file/, "backup", file)
    }
    await refused(
      1,
      /warehouse\.duckdb already exists and isn't a backup: it is left as it is\./,
      "backup",
      world.warehouse
    )
    await refused(1, /There is no folder .*nowhere\./, "backup", join(world.dataDir, "nowhere", "backup"))
    await refused(1, /is a folder: name a file in it\./, "backup", world.dataDir)

    const copy = join(world.dataDir, "backup.sqlite")
    assert.strictEqual((await world.run("backup", copy)).code, 0)
    const first = statSync(copy).ino
    chmodSync(copy, 0o644)
    assert.strictEqual((await world.run("backup", copy)).code, 0)
    assert.notStrictEqual(statSync(copy).ino, first)
    assert.strictEqual(statSync(copy).mode & 0o777, 0o600)
    assert.deepStrictEqual(
      readdirSync(world.dataDir).filter((name) => name.startsWith(".siteledger")),
      []
    )
    await deliver(world, events.slice(50, 100))
    await applied(worker)
    await worker.stop()

    await refused(2, /is the store itself\./, "restore", store)
    await refused(1, /warehouse\.duckdb can't be restored: it isn't a siteledger store\./, "restore", world.warehouse)
    chmodSync(copy, 0o644)
    const restored = await world.run("restore", copy)
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.strictEqual(statSync(store).mode & 0o777, 0o600)
  })
})
