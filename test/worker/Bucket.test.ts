/** The worker with a bucket as its lake, while the bucket refuses and afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { S3Stub } from "../../trust/S3Stub.ts"
import { World } from "./World.ts"

describe("a bucket as the lake", () => {
  it("that refuses stops nothing but the export, which says why and works once it is allowed", async () => {
    const stub = await S3Stub.open()
    try {
      stub.onCall = (_call, when) => (when === "before" ? { status: 403, code: "AccessDenied" } : undefined)
      const lake = { SITELEDGER_LAKE: "s3://lake/some/where", ...stub.environment }
      await using world = await World.open({ projects: 7 }, lake)
      const worker = world.start()
      await worker.live()
      const refused = await world.run("export")
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /s3:\/\/lake\/some\/where: .* is forbidden: allow s3:/)
      const paid = { type: "ipc.paid", fields: { ipc_id: 1, payment_reference: "P" } }
      assert.strictEqual(await world.server.deliver(paid), 200)
      await worker.status("it is applied", ({ inbox }) => inbox.pending === 0)
      stub.reset()
      const exported = await world.run("export")
      assert.strictEqual(exported.code, 0, exported.stderr)
      const verified = await world.run("lake", "verify")
      assert.strictEqual(verified.code, 0, verified.stdout)
      assert.isTrue(stub.objects.has("some/where/latest.json"))
      assert.strictEqual((await worker.stop()).code, 0)
    } finally {
      await stub.close()
    }
  })
})
