/** What a Store restores from a copy is logged where the program logs. */
import { rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"
import { incoming } from "./World.ts"

/** The lines that were logged while the Store took a delivery. */
const received = (path: string, body: string) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { labels, ...delivery } = incoming(body)
    yield* Effect.flatMap(Store, ({ deliveries }) =>
      Effect.promise(() => deliveries.receive([{ ...delivery, ...labels, secret: "abcd" }]))
    ).pipe(
      Effect.provide(Sqlite.layerAt(join(path, "store.sqlite")), { local: true }),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
    )
    return lines
  })

const damages: Record<string, readonly [damage: (path: string) => void, sentence: RegExp]> = {
  "the key": [(path) => rmSync(join(path, "key")), /key was damaged or gone, and was restored/],
  "the newest deliveries": [
    (path) => truncateSync(join(path, "inbox/000000000000001.log"), 0),
    /The last 2 deliveries were missing in the inbox/
  ]
}

describe("a Store says that it restored", () => {
  for (const [what, [damage, sentence]] of Object.entries(damages)) {
    it.live(what, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* folder
          assert.deepStrictEqual(yield* received(path, "one"), [])
          assert.deepStrictEqual(yield* received(path, "two"), [])
          damage(path)
          assert.match((yield* received(path, "three")).join("\n"), sentence)
          assert.deepStrictEqual(yield* received(path, "four"), [])
        })
      )
    )
  }
})
