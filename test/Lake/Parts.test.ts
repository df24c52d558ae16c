/**
 * A large table is stored in parts, by when its rows were first seen: only parts with a changed row are written again.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import type { ManifestFile } from "../../src/Lake/Manifest.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { assertTidy, inWorld, ipc, query, readExport, run, usual, type World, write } from "./ExportWorld.ts"

const partRows = 10

/** The id of each says the second in which it was first seen. */
const seen = (second: number, amount = "1.0000") =>
  ipc(String(second).padStart(2, "0"), amount, `2026-11-20T00:00:${String(second).padStart(2, "0")}.000000Z`)

const seconds = (from: number, until: number) => Array.from({ length: until - from }, (_, place) => from + place)

const next = Effect.andThen(TestClock.adjust("1 day"), run)

const filesOf = (world: World) => readExport(world).tables["ipcs"]?.files ?? []

const rowsOf = (world: World) => filesOf(world).map(({ rows }) => rows)

const written = (world: World, before: ReadonlyArray<ManifestFile>) => {
  const known = new Set(before.map(({ path }) => path))
  return filesOf(world).flatMap(({ path, rows }) => (known.has(path) ? [] : [rows]))
}

/** As a reader of the manifest finds them. */
const idsOf = (world: World) =>
  Effect.map(
    query(
      `select id from read_parquet([${filesOf(world).map(({ path }) => `'${join(world.lake, path)}'`)}]) order by id`
    ),
    (rows) => rows.map(([id]) => Number(id))
  )

const intact = Effect.map(
  Verify.verify(Option.none(), () => Effect.void),
  Verify.faultsOf
)

describe("a large table", () => {
  it.effect("is divided, keeps old parts, and divides the newest one once it has grown", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* write(
            [],
            seconds(0, 33).map((second) => seen(second))
          )
          yield* run
          assert.deepStrictEqual(rowsOf(world), [10, 10, 13])
          let before = filesOf(world)
          yield* next
          assert.deepStrictEqual(filesOf(world), before)
          yield* write([], [seen(33)])
          yield* next
          assert.deepStrictEqual([rowsOf(world), written(world, before)], [[10, 10, 14], [14]])
          before = filesOf(world)
          yield* write(
            [],
            seconds(34, 40).map((second) => seen(second))
          )
          yield* next
          assert.deepStrictEqual(
            [rowsOf(world).toSorted(), written(world, before).toSorted()],
            [
              [10, 10, 10, 10],
              [10, 10]
            ]
          )
          assert.deepStrictEqual(yield* idsOf(world), seconds(0, 40))
          assert.deepStrictEqual(yield* intact, [])
          assertTidy(world)
        }),
      usual,
      partRows
    )
  )

  it.effect("is written anew only where a row has changed", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* write(
            [],
            seconds(0, 30).map((second) => seen(second))
          )
          yield* run
          const before = filesOf(world)
          yield* write([], [seen(12, "2.0000")])
          yield* next
          assert.deepStrictEqual([rowsOf(world).length, written(world, before)], [3, [10]])
          const changed = filesOf(world).find(({ path }) => !before.some((file) => file.path === path))
          assert.strictEqual(changed?.ranges?.["certified_amount"]?.max, "2.0000")
          assert.deepStrictEqual(yield* idsOf(world), seconds(0, 30))
          const changedOnce = filesOf(world)
          yield* write([], [ipc("30", "1.0000", "2026-11-20T00:00:05.500000Z")])
          yield* next
          assert.deepStrictEqual(written(world, changedOnce), [11])
          assert.deepStrictEqual(yield* idsOf(world), seconds(0, 31))
          assertTidy(world)
        }),
      usual,
      partRows
    )
  )

  it.effect("is divided anew if the manifest before says nothing that can be a time", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* write(
            [],
            seconds(0, 20).map((second) => seen(second))
          )
          yield* run
          const path = join(world.lake, "_manifests", `${readExport(world).run}.json`)
          const text = readFileSync(path, "utf8").replaceAll(
            /"min": "2026-11-20T00:00:10[^"]*"/g,
            `"min": "zz' or 1=1 --"`
          )
          assert.include(text, "or 1=1")
          writeFileSync(path, text)
          const pointer = join(world.lake, "latest.json")
          const sha256 = createHash("sha256").update(text).digest("hex")
          writeFileSync(pointer, JSON.stringify({ ...JSON.parse(readFileSync(pointer, "utf8")), sha256 }))
          yield* next
          assert.deepStrictEqual([rowsOf(world), yield* idsOf(world)], [[10, 10], seconds(0, 20)])
        }),
      usual,
      partRows
    )
  )

  it.effect("stays in one file if all its rows were first seen at once", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* write(
            [],
            seconds(0, 40).map((second) => ({ ...seen(1), id: String(second) }))
          )
          yield* run
          assert.deepStrictEqual(rowsOf(world), [40])
          yield* write([], [seen(50)])
          yield* next
          assert.deepStrictEqual(rowsOf(world), [41])
        }),
      usual,
      partRows
    )
  )
})
