/** No disk, no 2xx: a delivery that can't be written is answered 503, and accepted once there is space again. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Store, writeMeta } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { deliver, signedRequest } from "../../Intake/Receiver/Running.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { inboxOf } from "../../Stores/Segments/Inbox.ts"

const child = fileURLToPath(new URL("../../Intake/Receiver/receiving-child.ts", import.meta.url))
const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const bodyOf = (number: number): string => JSON.stringify({ number, filler: "x".repeat(3000) })

describe("without room", () => {
  it("deliveries are answered 503 and never 2xx, and accepted again once there is some", async (context) => {
    if (spawnSync("prlimit", ["--version"]).status !== 0) {
      process.stderr.write(`skipped: ${context.task.name}: prlimit isn't installed\n`)
      context.skip("prlimit isn't installed")
    }
    const path = temporaryFolder()
    const store = join(path, "store.sqlite")
    const receiver = spawn(process.execPath, [child, store], { stdio: ["pipe", "pipe", "inherit"] })
    const ended = once(receiver, "close")
    try {
      const [line] = (await once(createInterface(receiver.stdout), "line")) as [string]
      const post = (number: number) => deliver(Number(line), signedRequest(bodyOf(number)))
      // No file may grow beyond this, as on a full disk: the write that would is cut short.
      const limit = (bytes: number | "unlimited") =>
        assert.strictEqual(spawnSync("prlimit", ["--pid", String(receiver.pid), `--fsize=${bytes}:`]).status, 0)
      const stored = () => inboxOf(store).map(({ body }) => body.toString())
      assert.strictEqual(await post(0), 200)
      limit(20_000)
      const full = await Promise.all(Array.from({ length: 40 }, (_, index) => post(index + 1)))
      assert.include(full, 503)
      assert.deepStrictEqual(
        [...new Set(full)].filter((status) => status !== 200 && status !== 503),
        []
      )
      const taken = full.flatMap((status, index) => (status === 200 ? [bodyOf(index + 1)] : []))
      assert.sameMembers(stored(), [bodyOf(0), ...taken])
      limit("unlimited")
      for (let number = 1; number <= 40; number++) assert.strictEqual(await post(number), 200)
      assert.sameMembers(
        stored(),
        Array.from({ length: 41 }, (_, index) => bodyOf(index))
      )
    } finally {
      receiver.stdin.end()
      await ended
      removeFolder(path)
    }
  })

  it.live("a transaction fails with the cause, which isn't lost in rolling back", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const store = yield* Store
        // SQLite's own SQLITE_FULL, as from a disk without room: no page beyond those there are.
        yield* store.run((db) => sql.raw("pragma max_page_count = 1").execute(db))
        const large = store.transaction((tx) => writeMeta(tx, "large", "x".repeat(1_000_000)))
        assert.deepInclude(yield* Effect.flip(large), { reason: "Full" })
      }).pipe(Effect.provide(Sqlite.layerAt(join(path, "store.sqlite"))))
    })
  )
})
