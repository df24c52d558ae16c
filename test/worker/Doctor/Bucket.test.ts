/** What `siteledger doctor` says about a lake in a bucket; it leaves nothing behind there. */
import { assert, it } from "@effect/vitest"
import { S3Stub } from "../../../trust/S3Stub.ts"
import { World } from "../World.ts"
import { examined, includes } from "./Examined.ts"

it("says whether the bucket is usable, whether it can tell two exporters apart, and whether a clock is wrong", async () => {
  const stub = await S3Stub.open()
  try {
    const lake = { SITELEDGER_LAKE: "s3://lake/some/where", ...stub.environment }
    await using world = await World.open({ projects: 1 }, lake, "duckdb")
    const right = await examined(world.environment)
    includes(right.ok, /lake: s3:\/\/lake\/some\/where permits listing, reading, writing and deleting/)
    includes(right.ok, /lake: The store can tell two exporters apart/)
    stub.skewMillis = 3_600_000
    stub.conditional = "unsupported"
    const poor = await examined(world.environment)
    includes(poor.warnings, /lake: This machine's clock is 3[56]\d\d seconds behind the store's/)
    includes(poor.warnings, /lake: The store has no conditional writes.* Let only one/)
    stub.onCall = ({ operation }, when) =>
      operation === "ListMultipartUploads" && when === "before" ? { status: 403, code: "AccessDenied" } : undefined
    includes((await examined(world.environment)).failed, /lake: .*allow s3:ListBucketMultipartUploads/)
    stub.onCall = ({ operation }, when) =>
      operation === "ListMultipartUploads" && when === "before" ? { status: 501, code: "NotImplemented" } : undefined
    const unlisting = await examined(world.environment)
    assert.deepStrictEqual(unlisting.failed, [])
    includes(unlisting.warnings, /lake: The store can't list unfinished uploads.* Give the bucket a rule/)
    assert.deepStrictEqual([...stub.objects.keys()], [])
    assert.strictEqual(stub.uploads.size, 0)
  } finally {
    await stub.close()
  }
})
