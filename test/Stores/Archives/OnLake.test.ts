/** The copies of archives on the lake are read by the weekly check, and nothing reads an archive without a reason. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ArchiveCopies from "../../../src/Lake/ArchiveCopies.ts"
import * as World from "./World.ts"
import { Log } from "../../Logged.ts"

describe("an archive", () => {
  it.live("whose copy on the lake is damaged, changed or gone is written there again by the weekly check", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        yield* World.inStores(path, World.archiveAll)
        const inLake = () => World.filesIn(join(World.lakeIn(path), "_archive"))
        const copies = inLake()
        const state = () => copies.map((each) => [readFileSync(each, "hex"), statSync(each).ino])
        const whole = state()
        const [document = "", file = ""] = copies
        const text = readFileSync(document, "utf8")
        const checked = World.inStores(
          path,
          Effect.flatMap(ArchiveCopies.pieces, (pieces) => Effect.forEach(pieces, ({ check }) => check))
        )
        yield* checked
        assert.deepStrictEqual(state(), whole)
        for (const damage of [
          () => writeFileSync(file, readFileSync(file).fill(0, 100, 200)),
          () => rmSync(file),
          () => writeFileSync(document, text.replace(/"deliveries": 8/, `"deliveries": 9`)),
          () => rmSync(document)
        ]) {
          damage()
          const log = new Log()
          assert.lengthOf(yield* Effect.provide(checked, log.layer), 2)
          assert.match(String(log.saw("archive.rewritten")["archive"]), /2026-01-000000000000001$/)
          assert.deepStrictEqual(inLake(), copies)
          assert.deepStrictEqual(
            state().map(([bytes]) => bytes),
            whole.map(([bytes]) => bytes)
          )
        }
      })
    )
  )

  it.live("that is damaged on the lake and in the folder is written nowhere, and both places are named", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        yield* World.inStores(path, World.archiveAll)
        const [own = ""] = World.archivesIn(path)
        const onLake = join(World.lakeIn(path), "_archive", own.slice(join(path, "archive").length))
        for (const file of [own, onLake]) writeFileSync(file, "damaged")
        const checked = Effect.flatMap(ArchiveCopies.pieces, ([first]) => first?.check ?? Effect.void)
        const error = yield* Effect.flip(World.inStores(path, checked))
        assert.match(
          error.message,
          /2026-01-000000000000001 on .*lake is damaged or was changed, and the store's own .*, too/
        )
        assert.strictEqual(readFileSync(onLake, "utf8"), "damaged")
      })
    )
  )

  it.live("isn't read again by each turn after its deliveries have left", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* World.filled
        const turns = Effect.gen(function* () {
          yield* World.archiveAll
          const newest = World.archivesIn(path).at(-1) ?? ""
          writeFileSync(newest, "damaged")
          yield* World.archiveAll
          return readFileSync(newest, "utf8")
        })
        assert.strictEqual(yield* World.inStores(path, turns), "damaged")
      })
    )
  )
})
