/** What `siteledger doctor` says about the backup off the machine; it leaves nothing behind there. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { S3Stub } from "../../../trust/S3Stub.ts"
import { temporaryFolder } from "../../Folders.ts"
import { World } from "../World.ts"
import { examined, includes } from "./Examined.ts"

it("says whether the place can be written, whose backup is there, and whether the key opens it", async () => {
  const stub = await S3Stub.open()
  try {
    const [key, other] = ["5ca1ab1e".repeat(8), "0ddba11".repeat(8).padEnd(64, "0")]
    const given = { SITELEDGER_BACKUP: "s3://lake/off", SITELEDGER_BACKUP_KEY: key, ...stub.environment }
    await using world = await World.open({ projects: 1 }, given, "duckdb")
    const none = await examined(world.environment)
    assert.deepStrictEqual(none.failed, [])
    includes(none.ok, /backup: s3:\/\/lake\/off permits listing, reading, writing and deleting/)
    includes(none.ok, /backup: There is no backup yet: the worker begins one/)
    assert.deepStrictEqual([...stub.objects.keys()], [])

    const worker = world.start()
    await worker.status("it is backed up", ({ backup }) => backup?.at != null)
    const running = await examined(world.environment)
    assert.deepStrictEqual(running.failed, [])
    includes(running.ok, /backup: It is this store's, as of 20.*, and the key opens it/)
    await worker.stop()

    const locked = await examined({ ...world.environment, SITELEDGER_BACKUP_KEY: other })
    includes(
      locked.failed,
      /backup: The backup on s3:\/\/lake\/off was made with another key than SITELEDGER_BACKUP_KEY/
    )
    const elsewhere = await examined({ ...world.environment, SITELEDGER_DATA_DIR: join(temporaryFolder(), "data") })
    includes(elsewhere.failed, /backup: It is another store's \(of .*\)\. Choose another place .*, or restore it here/)

    stub.onCall = ({ operation }, when) =>
      operation === "PutObject" && when === "before" ? { status: 403, code: "AccessDenied" } : undefined
    includes((await examined(world.environment)).failed, /backup: .*s3:\/\/lake\/off.* allow s3:PutObject/)
    const gone = await examined({ ...world.environment, SITELEDGER_BACKUP: "s3://another-bucket/off" })
    includes(gone.failed, /backup: .*another-bucket/)
  } finally {
    await stub.close()
  }
})
