/**
 * The way back to an older version, as docs/installing.md describes it: a backup by the older worker, an upgrade that takes events
 * and posts entries, and the older version on its backup again. What the newer one took is delivered once more from its store, so
 * in the end nothing that was acknowledged is missing, and each payment is posted once under the same id: also where the
 * redelivery was killed, and of what was signed with a secret that the newer version got.
 *
 * The commands are those of the page, run by a shell (Kept.ts).
 */
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Front } from "../Front.ts"
import { patience } from "../Long.ts"
import { mark } from "../Marked.ts"
import { type Environment, launch, run, runOf, type RunningWorker, until } from "../RunningWorker.ts"
import { keep } from "./Kept.ts"
import { Older } from "./Older.ts"
import { sha256 } from "./Story.ts"
import { World } from "./World.ts"

const ipcs = 10

/** Of which the older version knows nothing. */
const laterSecret = `whsec_${mark}_later`

const amountOf = (ipc: number): string => `${1000 + ipc}.25`

const eventsOf = (first: number) =>
  Array.from({ length: ipcs }, (_, index) => first + index).flatMap((ipc) => [
    {
      type: "ipc.certified",
      body: JSON.stringify({
        ipc_id: `ipc-${ipc}`,
        certified_amount: amountOf(ipc),
        certificate_url: `https://c/${ipc}`,
        event_timestamp: "2026-11-19T09:00:00Z"
      })
    },
    {
      type: "ipc.paid",
      body: JSON.stringify({
        ipc_id: `ipc-${ipc}`,
        payment_reference: `PAY-${ipc}`,
        event_timestamp: "2026-11-19T10:00:00Z"
      })
    }
  ])

const [before, between] = [eventsOf(1), eventsOf(1 + ipcs)]

const posted = (world: World) => world.store("select ipc_id, entry_id, amount from ledger_entries order by ipc_id")

/** `secret`: by default the subscription's. */
const delivered = async (world: World, worker: RunningWorker, events: typeof before, secret?: string) => {
  const { subscription } = world.at(worker)
  const at = { subscription: { ...subscription, secret: secret ?? subscription.secret } }
  for (const event of events) assert.strictEqual(await world.server.deliver(event, at), 200)
  await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
}

/** Dies when half of it is delivered. */
const killed = async (environment: Environment, to: string): Promise<void> => {
  await using front = await Front.start(new URL(to).origin)
  const isHalf = () => front.came.length > 2 * ipcs
  front.take = () => (isHalf() ? "held" : "pass")
  const { child } = launch(environment, "redeliver", "--to", front.at(to))
  await until("half of it is delivered", async () => isHalf() || undefined)
  child.kill("SIGKILL")
  await once(child, "close")
}

const ended = (worker: RunningWorker) => until("it ends", async () => (worker.hasEnded ? worker.stop() : undefined))

const bodiesIn = async (world: World) =>
  (await world.inbox()).map(({ body }) => sha256(Buffer.from(body as Uint8Array)))

describe("the way back to an older version", () => {
  it(
    "loses nothing that was acknowledged, and posts each payment once, under the same id",
    { timeout: patience },
    async () => {
      using older = new Older()
      await using world = await World.open({ projects: 5 })
      const first = world.start({}, older.main)
      await first.status("verified", ({ subscription }) => subscription.verifiedAt !== null)
      await delivered(world, first, before)
      assert.strictEqual((await first.stop()).code, 0)
      await using kept = await keep(world, older.main)

      const upgraded = world.start()
      await upgraded.live()
      await delivered(world, upgraded, between.slice(0, ipcs))
      const added = await world.run("secret", "add", world.file("secret", laterSecret))
      assert.strictEqual(added.code, 0, added.stderr)
      await delivered(world, upgraded, between.slice(ipcs), laterSecret)
      assert.strictEqual((await upgraded.stop()).code, 0)
      const entries = await posted(world)
      assert.lengthOf(entries, 2 * ipcs)

      const refused = await ended(world.start({}, older.main))
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /made by a newer siteledger \(0008\): run that version, or go back as docs/)

      await kept.putBack()
      const back = world.start({}, older.main)
      await back.live()
      assert.lengthOf(await posted(world), ipcs, "what the backup has")
      const to = `http://${world.environment["SITELEDGER_WEBHOOK_LISTEN"]}/hooks/construction`
      const newer = { ...world.environment, ...kept.newer }
      await killed(newer, to)
      const redeliver = async (...flags: ReadonlyArray<string>) => {
        const verb = ["redeliver", "--to", to, "--json", ...flags]
        const { code, stderr, stdout } = await run(newer, ...verb)
        assert.strictEqual(code, 0, stderr)
        return JSON.parse(stdout) as unknown
      }
      // The first time some of it is known, the second time all.
      for (const flags of [[], ["--since", "2026-01-01T00:00:00Z"]]) {
        assert.deepStrictEqual(await redeliver(...flags), { taken: 4 * ipcs, refused: 0 })
        await back.status("all is applied", ({ inbox }) => inbox.pending === 0)
        assert.deepStrictEqual(await posted(world), entries)
      }
      assert.deepStrictEqual(await redeliver("--since", "2999-01-01T00:00:00Z"), { taken: 0, refused: 0 })
      assert.strictEqual((await back.stop()).code, 0)

      const bodies = await bodiesIn(world)
      assert.includeMembers(
        bodies,
        [...before, ...between].map(({ body }) => sha256(body))
      )
      assert.strictEqual(new Set(bodies).size, bodies.length)
      const verified = await runOf(older.main, world.environment, "ledger", "verify", "--json")
      assert.strictEqual(verified.code, 0, verified.stderr)
      assert.deepInclude(JSON.parse(verified.stdout), { entries: 2 * ipcs, differences: [] })
      if (world.database === undefined) {
        assert.isTrue(existsSync(join(world.dataDir, "store.sqlite")))
        assert.isTrue(readdirSync(world.dataDir).some((name) => name.startsWith("store.sqlite.before-restore-")))
      }
    }
  )

  it("is pointed to by a worker whose tables a newer version has made", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    assert.strictEqual((await worker.stop()).code, 0)
    const table = world.database === undefined ? "kysely_migration" : "siteledger.kysely_migration"
    await world.store(`insert into ${table} values ('0099', '2026-11-20')`)
    const refused = await ended(world.start())
    assert.strictEqual(refused.code, 1)
    assert.match(
      refused.stderr,
      /made by a newer siteledger \(0099\): run that version, or go back as docs\/installing\.md says/
    )
  })

  it("says that a receiver knows no secret of the store, and which address or time can't be read", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await delivered(world, worker, before.slice(0, 2))
    assert.strictEqual((await worker.stop()).code, 0)
    await using stranger = await World.open({ projects: 3 })
    const other = stranger.start()
    await other.live()
    const to = `http://${stranger.environment["SITELEDGER_WEBHOOK_LISTEN"]}/hooks/construction`
    const refused = await world.run("redeliver", "--to", to)
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stdout, /Delivered 0 events again\.\n! 2 events were refused: the worker there knows none/)
    for (const [flags, says] of [
      [["--to", "nowhere"], /--to must be an address/],
      [["--to", to, "--since", "yesterday"], /--since must be a time/]
    ] as const) {
      const wrong = await world.run("redeliver", ...flags)
      assert.strictEqual(wrong.code, 2, wrong.stderr)
      assert.match(wrong.stderr, says)
    }
  })
})
