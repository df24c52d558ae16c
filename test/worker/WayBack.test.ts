/**
 * The way back to an older version, as docs/installing.md describes it: a backup by the older worker, an upgrade that takes events
 * and posts entries, and the older version on its backup again. What the newer one took is delivered once more from its store, so
 * in the end nothing that was acknowledged is missing, and each payment is posted once under the same id.
 *
 * On PostgreSQL a copy of the database takes the place of its dump.
 */
import { cpSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { patience } from "../Long.ts"
import * as Postgres from "../Postgres.ts"
import { type Environment, run, runOf, type RunningWorker, until } from "../RunningWorker.ts"
import { Older } from "./Older.ts"
import { sha256 } from "./Story.ts"
import { World } from "./World.ts"

const ipcs = 10

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

/** The store as the older version left it, and as the newer one did. */
interface Kept extends AsyncDisposable {
  readonly putBack: () => Promise<void>
  /** For a verb of the newer version on its store. */
  readonly newer: Environment
}

const inFiles = async (world: World, older: Older): Promise<Kept> => {
  const [copies, newer] = [temporaryFolder(), temporaryFolder()]
  const backup = join(copies, "before.sqlite")
  const made = await runOf(older.main, world.environment, "backup", backup)
  assert.strictEqual(made.code, 0, made.stderr)
  return {
    newer: { SITELEDGER_DATA_DIR: newer },
    putBack: async () => {
      cpSync(world.dataDir, newer, { recursive: true, preserveTimestamps: true })
      const restored = await runOf(older.main, world.environment, "restore", backup)
      assert.strictEqual(restored.code, 0, restored.stderr)
    },
    [Symbol.asyncDispose]: async () => {
      for (const folder of [copies, newer]) removeFolder(folder)
    }
  }
}

const onServer = async ({ name, url }: Postgres.Database): Promise<Kept> => {
  const admin = (sql: string) => Postgres.query(Postgres.postgresUrl(), sql)
  const folder = temporaryFolder()
  const newer = { SITELEDGER_WAREHOUSE: url.replace(name, `${name}_newer`), SITELEDGER_DATA_DIR: folder }
  await admin(`create database ${name}_before template ${name}`)
  return {
    newer,
    putBack: async () => {
      await admin(`alter database ${name} rename to ${name}_newer`)
      await admin(`alter database ${name}_before rename to ${name}`)
    },
    [Symbol.asyncDispose]: async () => {
      removeFolder(folder)
      for (const suffix of ["before", "newer"]) await admin(`drop database if exists ${name}_${suffix} with (force)`)
    }
  }
}

const posted = (world: World) => world.store("select ipc_id, entry_id, amount from ledger_entries order by ipc_id")

const delivered = async (world: World, worker: RunningWorker, events: typeof before): Promise<void> => {
  for (const event of events) assert.strictEqual(await world.server.deliver(event, world.at(worker)), 200)
  await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
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
      const { database } = world
      await using kept = await (database === undefined ? inFiles(world, older) : onServer(database))

      const upgraded = world.start()
      await upgraded.live()
      await delivered(world, upgraded, between)
      assert.strictEqual((await upgraded.stop()).code, 0)
      const entries = await posted(world)
      assert.lengthOf(entries, 2 * ipcs)

      const refused = await ended(world.start({}, older.main))
      assert.strictEqual(refused.code, 1)
      // With files, that version named only what it lacks.
      assert.match(refused.stderr, /newer siteledger|previously executed migration 0005 is missing/)

      await kept.putBack()
      const back = world.start({}, older.main)
      await back.live()
      assert.lengthOf(await posted(world), ipcs, "what the backup has")
      const to = `http://${world.environment["SITELEDGER_WEBHOOK_LISTEN"]}/hooks/construction`
      const redeliver = async (...flags: ReadonlyArray<string>) => {
        const verb = ["redeliver", "--to", to, "--json", ...flags]
        const { code, stderr, stdout } = await run({ ...world.environment, ...kept.newer }, ...verb)
        assert.strictEqual(code, 0, stderr)
        return JSON.parse(stdout) as unknown
      }
      // The second time all of it is known.
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
      if (database === undefined) {
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
      [["--to", "nowhere"], /--to is an address/],
      [["--to", to, "--since", "yesterday"], /--since is a time/]
    ] as const) {
      const wrong = await world.run("redeliver", ...flags)
      assert.strictEqual(wrong.code, 2, wrong.stderr)
      assert.match(wrong.stderr, says)
    }
  })
})
