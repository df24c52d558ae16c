/**
 * PostgreSQL's own backup, as docs/postgres.md shows it: a base backup and the archived WAL. The server is lost with
 * its directory, another one is made from the archive, and a worker continues there: nothing that was acknowledged
 * before the last archived segment is missing, and the books are whole.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { archived, archiving, baseBackup, recovering, Server, sharedFolder } from "../../PostgresServer/Archived.ts"
import { temporaryFolder } from "../../Folders.ts"
import * as Postgres from "../../Postgres.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const key = "0123456789abcdef".repeat(4)

const pay = async (world: World, numbers: ReadonlyArray<number>): Promise<void> => {
  for (const n of numbers) {
    const certified = { ipc_id: `A${n}`, certified_amount: "12.5", certificate_url: `https://c/${n}` }
    assert.strictEqual(await world.server.deliver({ type: "ipc.certified", fields: certified }), 200)
    const paid = { ipc_id: `A${n}`, payment_reference: `PAY-${n}` }
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: paid }), 200)
  }
}

const posted = (worker: RunningWorker, entries: number) =>
  worker.status(`${entries} are posted`, ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries)

const idsIn = async (server: Server): Promise<ReadonlyArray<string>> => {
  const rows = await server.query("select ipc_id from ledger.ledger_entries order by sequence")
  return rows.map((row) => row["ipc_id"] ?? "")
}

const named = (numbers: ReadonlyArray<number>) => numbers.map((n) => `A${n}`)

describe.skipIf(Postgres.skipped !== undefined)("a PostgreSQL that archives its log", () => {
  it("is lost, and made again elsewhere with all that was acknowledged before the last archived segment", async () => {
    const at = temporaryFolder()
    const archive = sharedFolder(at, "archive")
    const base = join(at, "base")
    await using server = await Server.start({ folder: join(at, "server"), settings: archiving(archive) })
    const there = { SITELEDGER_WAREHOUSE: server.url, SITELEDGER_KEY: key }
    await using world = await World.open({ projects: 3 }, there, "duckdb")
    const worker = world.start()
    await worker.live()

    await pay(world, [1, 2])
    await baseBackup(server, base)
    await pay(world, [3, 4, 5])
    await posted(worker, 5)
    await archived(server)
    // These may be lost.
    await pay(world, [6])
    await posted(worker, 6)
    server.lose()
    await worker.stop("SIGKILL")

    const folder = join(at, "again")
    recovering(base, folder, archive)
    await using again = await Server.start({ folder, isMade: true })
    assert.deepStrictEqual((await idsIn(again)).slice(0, 5), named([1, 2, 3, 4, 5]))

    const here = { SITELEDGER_WAREHOUSE: again.url, SITELEDGER_KEY: key, SITELEDGER_DATA_DIR: join(at, "data") }
    const next = world.start(here)
    await next.live()
    // The service replays what came after the archive's end.
    await pay(world, [6, 7])
    await posted(next, 7)
    assert.deepStrictEqual(await idsIn(again), named([1, 2, 3, 4, 5, 6, 7]))
    const verified = await world.runWith(here, "ledger", "verify")
    assert.strictEqual(verified.code, 0, verified.stdout + verified.stderr)
    await next.stop()
    rmSync(at, { recursive: true, force: true })
  })
})
