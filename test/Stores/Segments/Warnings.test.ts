/** What a Store restores from a copy is logged where the program logs. */
import { rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"
import { incoming } from "./World.ts"
import { Log } from "../../Logged.ts"

/** What was logged while the Store took a delivery. */
const received = (path: string, body: string) =>
  Effect.gen(function* () {
    const log = new Log()
    const { labels, ...delivery } = incoming(body)
    yield* Effect.flatMap(Store, ({ deliveries }) =>
      Effect.promise(() => deliveries.receive([{ ...delivery, ...labels, secret: "abcd" }]))
    ).pipe(Effect.provide(Sqlite.layerAt(join(path, "store.sqlite")), { local: true }), Effect.provide(log.layer))
    return log
  })

const damages: Record<string, readonly [damage: (path: string) => void, said: (log: Log) => string, sentence: RegExp]> =
  {
    "the key": [(path) => rmSync(join(path, "key")), (log) => String(log.saw("key.restored")["path"]), /\/key$/],
    "the newest deliveries": [
      (path) => truncateSync(join(path, "inbox/000000000000001.log"), 0),
      (log) => String(log.saw("inbox.odd")["why"]),
      /The last 2 deliveries were missing in the inbox/
    ]
  }

describe("a Store says that it restored", () => {
  for (const [what, [damage, said, sentence]] of Object.entries(damages)) {
    it.live(what, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* folder
          assert.deepStrictEqual((yield* received(path, "one")).written, [])
          assert.deepStrictEqual((yield* received(path, "two")).written, [])
          damage(path)
          assert.match(said(yield* received(path, "three")), sentence)
          assert.deepStrictEqual((yield* received(path, "four")).written, [])
        })
      )
    )
  }
})
