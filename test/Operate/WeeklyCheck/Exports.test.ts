/**
 * The exports on the lake as the weekly check reads them: a damaged one is named, and stays named as long as it is
 * damaged.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Manifest from "../../../src/Lake/Manifest.ts"
import { newest, older } from "../../../src/Operate/WeeklyCheck/Exports.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { inWorld, ipc, on, readExport, run, write } from "../../Lake/ExportWorld.ts"

describe("an older export", () => {
  it.effect("is read as well, each file once, and a damaged one is named until its manifest has gone", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("A", "1.0000")])
        const { run: first } = yield* run
        yield* write([], [ipc("A", "2.0000")])
        yield* TestClock.adjust("1 day")
        yield* run
        const fetched: Array<string> = []
        world.watch = (operation, path, when) => {
          if (operation === "fetch" && when === "before") fetched.push(path)
          return undefined
        }
        const { check } = yield* older
        const named = Effect.flatMap(Reasons, ({ all }) =>
          Effect.map(all, (reasons) => reasons.find(({ key }) => key === "damaged older export"))
        )
        yield* check
        assert.isUndefined(yield* named)
        const own = `ipcs/${first}-0.parquet`
        // The newest one has the others.
        assert.deepStrictEqual(fetched, [own])
        const bytes = readFileSync(join(world.lake, own))
        bytes[bytes.length >> 1]! ^= 1
        writeFileSync(join(world.lake, own), bytes)
        yield* check
        assert.deepInclude(yield* named, {
          level: "critical",
          sentence: `An older export on ${world.lake} is damaged: ${own} has a different SHA-256 than the manifest says.`
        })
        rmSync(join(world.lake, Manifest.manifestPath(first)))
        yield* check
        assert.isUndefined(yield* named)
      })
    )
  )
})

describe("a Delta log", () => {
  it.effect("is read with the newest export, and a damaged one is named until it is as it should be", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("A", "1.0000")])
        const { run: made } = yield* run
        const { check } = yield* newest
        const named = Effect.flatMap(Reasons, ({ all }) =>
          Effect.map(all, (reasons) => reasons.map(({ sentence }) => sentence))
        )
        yield* check
        assert.deepStrictEqual(yield* named, [])
        const commit = join(world.lake, "ipcs", "_delta_log", "00000000000000000000.json")
        const text = readFileSync(commit, "utf8")
        writeFileSync(commit, text.replace(/\{"add":.*\n/, ""))
        yield* check
        assert.deepStrictEqual(yield* named, [
          `Delta Lake on ${world.lake} is damaged: The Delta log of ipcs lacks ${made}-0.parquet.`
        ])
        // Nothing else is written again for it.
        assert.strictEqual(readExport(world).run, made)
        writeFileSync(commit, text)
        yield* check
        assert.deepStrictEqual(yield* named, [])
      })
    )
  )
})
