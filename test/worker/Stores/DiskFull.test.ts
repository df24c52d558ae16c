/** No disk, no 2xx: what the store can't keep is answered 503, and accepted once there is room again. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { sql } from "kysely"
import * as ConstructionWebhooks from "../../../connectors/construction/ConstructionWebhooks.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Receiver } from "../../../src/Intake/Receiver.ts"
import { Keyring } from "../../../src/Intake/Secrets/Keyring.ts"
import { Store, writeMeta } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { sign } from "../../InterfaceServer.ts"
import { removeFolder, temporaryFolder } from "../../RunningWorker.ts"

const secret = "a secret of the test"

const post = (port: number, body: string) =>
  Effect.promise(async () => {
    const headers = { "x-service-signature": sign(secret, body) }
    return (await fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", headers, body })).status
  })

const bodyOf = (number: number): string => JSON.stringify({ number, filler: "x".repeat(3000) })

const receiving = (folder: string) =>
  Receiver.layerWith({ host: "127.0.0.1", port: 0, path: "/hook", maximumBytes: 10_000 }).pipe(
    Layer.provide(ConstructionWebhooks.layer),
    Layer.provide([ConstructionWebhooks.Callbacks.layer, Keyring.layerWith(secret)]),
    Layer.provideMerge(Inbox.layer),
    Layer.provideMerge(Sqlite.layerAt(join(folder, "store.sqlite"))),
    Layer.provideMerge(Reasons.layer)
  )

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

it.live("a store without room answers 503 and never 2xx, and accepts deliveries again once there is some", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const work = Effect.gen(function* () {
      const store = yield* Store
      const { port } = yield* Effect.flatMap(Receiver, (receiver) => receiver.status)
      // SQLite's own SQLITE_FULL, as from a disk without room: no page beyond those there are.
      const limit = (pages: number) => store.run((db) => sql.raw(`pragma max_page_count = ${pages}`).execute(db))
      const stored = store.run(async (db) => {
        const rows = await db.selectFrom("inbox").select("body").orderBy("sequence").execute()
        return rows.map(({ body }) => Buffer.from(body).toString())
      })
      assert.strictEqual(yield* post(port, bodyOf(0)), 200)
      yield* limit(1)
      const full = yield* Effect.all(
        Array.from({ length: 40 }, (_, index) => post(port, bodyOf(index + 1))),
        { concurrency: 8 }
      )
      assert.include(full, 503)
      assert.deepStrictEqual(
        [...new Set(full)].filter((status) => status !== 200 && status !== 503),
        []
      )
      const taken = full.flatMap((status, index) => (status === 200 ? [bodyOf(index + 1)] : []))
      assert.sameMembers(yield* stored, [bodyOf(0), ...taken])
      assert.strictEqual(yield* post(port, bodyOf(0)), 200, "a body that is known needs no room")
      const large = store.transaction((tx) => writeMeta(tx, "large", "x".repeat(100_000)))
      assert.deepInclude(yield* Effect.flip(large), { reason: "Full" }, "the cause is not lost in rolling back")
      yield* limit(1_000_000)
      for (let number = 1; number <= 40; number++) assert.strictEqual(yield* post(port, bodyOf(number)), 200)
      assert.sameMembers(
        yield* stored,
        Array.from({ length: 41 }, (_, index) => bodyOf(index))
      )
      const status = yield* Effect.flatMap(Receiver, (receiver) => receiver.status)
      assert.strictEqual(status.notStored, full.filter((each) => each === 503).length)
    })
    yield* work.pipe(Effect.provide(receiving(path)), Effect.provideService(References.MinimumLogLevel, "None"))
  })
)
