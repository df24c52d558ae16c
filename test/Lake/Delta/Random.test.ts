/**
 * Random exports, some of which fail at one of their calls, or find that a note or a manifest is gone: to the end, each
 * version of each Delta table has the files of its export. The long form takes 200 exports.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LakeError } from "../../../src/Lake/Lake.ts"
import { patience, rounds, seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { inWorld, ipc, on, readExport, run, usual, type World, write } from "../ExportWorld.ts"
import { assertSame, logInFolder, replay } from "./Replay.ts"

const exports = rounds(15, 200)

const logOf = ({ lake }: World, table: string) => logInFolder(join(lake, table))

const partRows = 4

const known = (number: number, amount: number) =>
  ipc(`IPC-${number}`, `${amount}`, `2026-11-20T01:00:${String(number).padStart(2, "0")}.000000Z`)

const gone = new LakeError({ reason: "Failed", message: "the lake is gone" })

describe(`random exports, seed ${seed}`, () => {
  it.effect(
    "leave each version of a Delta table with the files of its export",
    () =>
      inWorld(
        (world) =>
          Effect.gen(function* () {
            const { below } = seeded(seed)
            const seen = new Map<string, ReadonlyArray<string>>()
            let failures = 0
            let mostParts = 0
            for (let n = 0; n < exports; n++) {
              const dates = Array.from({ length: below(3) }, () => on(`2026-11-1${below(9)}`))
              yield* write(
                dates,
                Array.from({ length: below(4) }, () => known(below(40), n))
              )
              let calls = 0
              const failing = below(3) === 0 ? below(90) : undefined
              const when = below(2) === 0 ? "before" : "after"
              world.watch = (_operation, _path, moment) => (moment === when && calls++ === failing ? gone : undefined)
              const outcome = yield* Effect.result(run)
              world.watch = () => undefined
              yield* TestClock.adjust("1 hour")
              if (outcome._tag === "Failure") {
                failures++
                continue
              }
              const manifest = readExport(world)
              assertSame(manifest, (table) => logOf(world, table))
              mostParts = Math.max(mostParts, manifest.tables["ipcs"]?.files.length ?? 0)
              for (const [table, { files }] of Object.entries(manifest.tables)) {
                const paths = files.map(({ path }) => path.slice(table.length + 1)).toSorted()
                const version = `${table} ${manifest.delta?.[table]?.version}`
                assert.deepStrictEqual(seen.get(version) ?? paths, paths, version)
                seen.set(version, paths)
              }
              if (below(6) === 0) rmSync(join(world.lake, "_delta"), { recursive: true })
              if (below(6) === 0) writeFileSync(join(world.lake, `_manifests/${manifest.run}.json`), "{")
            }
            yield* run
            assert.isAbove(failures, 0)
            assert.isAbove(readdirSync(join(world.lake, "_manifests")).length, exports / 3)
            for (const [name, paths] of seen) {
              const [table = "", version] = name.split(" ")
              assert.deepStrictEqual(
                [...replay(logOf(world, table), Number(version)).files.keys()].toSorted(),
                paths,
                name
              )
            }
            assert.isAbove(mostParts, 3)
          }),
        usual,
        partRows
      ),
    patience
  )
})
