/**
 * Two tables are written at a time; the events, which may need all of an engine's memory, are written before them,
 * alone.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import type { Parquet } from "../../src/Lake/Parquet.ts"
import { stage } from "../../src/Lake/Staging.ts"
import { nothing } from "../../src/Lake/StillThere.ts"
import type { Snapshot } from "../../src/Stores/Warehouse.ts"
import { LakeError } from "../../src/Lake/Lake.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

const part = { from: null, until: null, rows: 1, fingerprint: "f" }

/** Tables are written once a second one is, and the export ends with what comes after them all. */
const snapshotWith = (log: Array<string>, two: Latch.Latch) =>
  ({
    tables: ["vos", "events", "ipcs"].map((name) => ({ name, columns: [] })),
    parts: () => Effect.succeed([part]),
    eventDates: Effect.succeed([{ date: "2026-11-30", rows: 1, bytes: 1, fingerprint: "f" }]),
    writeEvents: (_dates, folder) =>
      Effect.gen(function* () {
        log.push("events begin")
        yield* Effect.yieldNow
        mkdirSync(folder)
        log.push("events end")
        return [{ date: "2026-11-30", path: join(folder, "x"), rows: 1 }]
      }),
    writeTable: (name) =>
      Effect.gen(function* () {
        log.push(`${name} begins`)
        if (log.length === 4) yield* two.open
        yield* two.await
        return 1
      })
  }) satisfies Partial<Snapshot>

describe("an export", () => {
  it.live("writes events alone, and then two tables at a time", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const log: Array<string> = []
      const two = yield* Latch.make(false)
      const over = new LakeError({ reason: "Failed", message: "over" })
      const staging = {
        folder,
        run: "20261130T020000Z-0000",
        snapshot: snapshotWith(log, two) as unknown as Snapshot,
        parquet: { footers: () => Effect.fail(over) } as unknown as Parquet,
        before: nothing,
        partRows: 1000
      }
      const error = yield* Effect.flip(Effect.timeout(stage(staging), "20 seconds"))
      assert.strictEqual(error, over)
      assert.deepStrictEqual(log, ["events begin", "events end", "vos begins", "ipcs begins"])
      removeFolder(folder)
    })
  )
})
