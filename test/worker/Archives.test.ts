/**
 * A worker whose old deliveries are moved to archives: rows, books and everything known of each delivery stay the same,
 * for all readers. test/Stores/Archives/ has each step, and every moment at which it may die.
 */
import { hash, randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { keyOf } from "../../src/Stores/Segments/Key.ts"
import { Writer } from "../../src/Stores/Segments/Writer.ts"
import { patience, seed } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import { arrived } from "../Stores/Segments/World.ts"
import { model, read, story, type StoryEvent } from "./Story.ts"
import { World } from "./World.ts"

const monthMs = 30 * 24 * 3_600_000
const count = 400

/** As a worker of the last half year has left them, which applied none. */
const fill = (dataDir: string, events: ReadonlyArray<StoryEvent>): void => {
  const folder = join(dataDir, "inbox")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const writer = new Writer(folder, keyOf(folder, randomBytes(32)))
  const stored = events.map(({ body, id, type }, place) => {
    const bytes = Buffer.from(body)
    const at = new Date(Date.now() - 6 * monthMs * (1 - place / events.length)).toISOString()
    return {
      body: bytes,
      bodySha256: hash("sha256", bytes, "buffer"),
      labels: {
        eventId: id,
        headerType: type,
        issuedAt: null,
        receivedAt: `${at.slice(0, -1)}000Z`,
        headers: ["X-Service-Event-Id", id],
        secret: "f".repeat(16)
      }
    }
  })
  writer.receive(arrived(stored))
  writer.close()
}

describe("old deliveries of a running worker", () => {
  it("leave for archives and are rebuilt, verified and known from there", { timeout: patience }, async () => {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_ARCHIVE_AFTER: "2 months" })
    const events = story(seeded(seed)).take(count)
    fill(world.dataDir, events)
    const rows = () => read((sql) => world.query(sql))
    const isDone = ({ inbox }: { readonly inbox: { readonly pending: number } }) => inbox.pending === 0

    // The first start applies them; the next one finds them old.
    const first = world.start()
    await first.status(
      "all are applied",
      (report) => isDone(report) && report.backfill["projects"]?.proof !== "running"
    )
    await first.verb("export")
    await first.stop()
    assert.deepStrictEqual(await rows(), model(events))
    const second = world.start()
    const { inbox } = await second.status("they have left", ({ inbox }) => inbox.archived > count / 4)
    assert.isBelow(inbox.archived, count, "those of the last two months stay")
    assert.isAtLeast((await second.metric("siteledger_inbox_archived")) ?? 0, inbox.archived)
    await second.stop()
    const worker = world.start()
    await worker.status("it is up")

    // A body in an archive is known, and counted.
    const [oldest] = events
    assert.strictEqual(await world.server.deliver(oldest!), 200)
    await worker.status("it is counted", isDone)
    assert.deepInclude(await worker.verb("replay"), { read: 0 })
    assert.isDefined(((await worker.verb("export")) as { run?: string }).run)
    const lake = await world.run("lake", "verify")
    assert.strictEqual(lake.code, 0, lake.stderr)
    assert.deepInclude(await worker.verb("ledger-verify"), { differences: [] })

    await worker.verb("rebuild")
    await worker.status("all are applied again", ({ events }) => (events["applied"] ?? 0) >= count)
    const { inbox: after } = await worker.status("none waits", isDone)
    assert.isAbove(after.archived, count / 4)
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(await rows(), model(events))
    const counted = await world.query("select deliveries::int as n from construction.events where deliveries > 1")
    assert.deepStrictEqual(counted, [{ n: 2 }])
    const verified = await world.run("ledger", "verify")
    assert.strictEqual(verified.code, 0, verified.stderr)

    // Another worker gets them all from here.
    await using another = await World.open({ projects: 3 })
    const other = another.start()
    await other.status("it is subscribed", ({ subscription }) => subscription.verifiedAt !== null)
    const secret = another.file("secret", world.server.subscriptions[0]?.secret ?? "")
    assert.strictEqual((await another.run("secret", "add", secret)).code, 0)
    const to = `http://${another.environment["SITELEDGER_WEBHOOK_LISTEN"]}/hooks/construction`
    const again = await world.run("redeliver", "--to", to, "--json")
    assert.deepStrictEqual(JSON.parse(again.stdout), { taken: count, refused: 0 }, again.stderr)
    await other.status("all are applied there", isDone)
    assert.strictEqual((await other.stop()).code, 0)
    assert.deepStrictEqual(await read((sql) => another.query(sql)), model(events))
  })
})
