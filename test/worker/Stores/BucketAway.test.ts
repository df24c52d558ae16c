/** The bucket of the backup refuses for a while, next to a worker that takes deliveries and posts payments. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { S3Stub } from "../../../trust/S3Stub.ts"
import { temporaryFolder } from "../../Folders.ts"
import { raises } from "../../Raised.ts"
import { World } from "../World.ts"

const bucket = "s3://lake/off/machine"

const pay = async (world: World, ids: ReadonlyArray<string>): Promise<void> => {
  for (const id of ids) {
    const certified = { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
    assert.strictEqual(await world.server.deliver({ type: "ipc.certified", fields: certified }), 200)
    const paid = { ipc_id: id, payment_reference: `PAY-${id}` }
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: paid }), 200)
  }
}

describe("a bucket that is away for a while", () => {
  it("stops nothing, and has everything once the bucket is back", { timeout: 400_000 }, async () => {
    const stub = await S3Stub.open()
    const given = { SITELEDGER_BACKUP: bucket, SITELEDGER_BACKUP_KEY: "5ca1ab1e".repeat(8), ...stub.environment }
    await using world = await World.open({ projects: 3 }, given)
    const worker = world.start()
    await worker.live()
    await worker.status("it is backed up", ({ backup }) => backup?.at != null)
    const before = await worker.scrape()

    stub.onCall = (_call, when) => (when === "before" ? { status: 503, code: "ServiceUnavailable" } : undefined)
    await pay(world, ["1", "2", "3"])
    const away = await worker.status(
      "it says why, and goes on",
      ({ backup, ledger }) => backup?.error != null && ledger.entries === 3
    )
    assert.strictEqual(away.phase, "live")
    await raises("SiteledgerBackupBehind", before, await worker.scrape())

    stub.reset()
    const backMs = Date.now()
    await worker.status("it has caught up", ({ backup }) => Date.parse(backup?.at ?? "") > backMs)
    const verified = await world.run("backup", "--verify")
    assert.strictEqual(verified.code, 0, verified.stderr)
    await worker.stop("SIGKILL")
    const there = { SITELEDGER_DATA_DIR: join(temporaryFolder(), "data") }
    const restored = await world.runWith(there, "restore", bucket, "--json")
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.deepInclude(JSON.parse(restored.stdout), { entries: 3 })
    await stub.close()
  })
})
