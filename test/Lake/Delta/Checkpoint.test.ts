/**
 * A reader that starts from a checkpoint sees the same as one that starts from the first commit, and old commits are
 * removed.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { type Base, logInFolder, replay } from "./Replay.ts"
import { inWorld, ipc, on, readExport, run, type World, write } from "../ExportWorld.ts"

const logOf = ({ lake }: World, table: string) => logInFolder(join(lake, table))

interface Row {
  readonly add?: { readonly path: string } | null
  readonly remove?: { readonly path: string; readonly deletionTimestamp: bigint } | null
  readonly metaData?: Base["metaData"] | null
  readonly protocol?: { readonly minReaderVersion: number } | null
}

/** Read by a library that didn't write it. */
const lastCheckpoint = ({ lake }: World, table: string) =>
  Effect.promise(async (): Promise<Base> => {
    const folder = join(lake, table, "_delta_log")
    const { size, version } = JSON.parse(readFileSync(join(folder, "_last_checkpoint"), "utf8")) as Record<
      string,
      number
    >
    const name = `${String(version).padStart(20, "0")}.checkpoint.parquet`
    const file = await asyncBufferFromFile(join(folder, name))
    const rows = (await parquetReadObjects({ file, compressors })) as ReadonlyArray<Row>
    assert.lengthOf(rows, size ?? 0)
    assert.deepStrictEqual(
      rows.flatMap(({ protocol }) => protocol?.minReaderVersion ?? []),
      [1]
    )
    const [metaData] = rows.flatMap((row) => row.metaData ?? [])
    return {
      version: version ?? 0,
      files: new Map(rows.flatMap(({ add }) => (add == null ? [] : [[add.path, add as never]]))),
      removed: new Map(
        rows.flatMap(({ remove }) => (remove == null ? [] : [[remove.path, Number(remove.deletionTimestamp)]]))
      ),
      metaData: metaData!
    }
  })

const exports = (count: number, apart: `${number} ${"days" | "hours"}`) =>
  Effect.gen(function* () {
    for (let n = 1; n <= count; n++) {
      yield* write([on(`2026-11-${String((n % 9) + 10)}`)], [ipc("IPC-1", `${n}`)])
      yield* run
      yield* TestClock.adjust(apart)
    }
  })

describe("a checkpoint of a Delta log", () => {
  it.effect("has what its commits have, and keeps what they removed away from a VACUUM", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(13, "1 hours")
        for (const table of ["events", "ipcs"]) {
          const base = yield* lastCheckpoint(world, table)
          assert.strictEqual(base.version, 10, table)
          const log = logOf(world, table)
          const then = replay(log, 10)
          const inOrder = (files: Base["files"]) =>
            [...files.values()]
              .map(({ modificationTime, partitionValues, path, size, stats }) => {
                return { path, partitionValues, stats, numbers: [Number(size), Number(modificationTime)] }
              })
              .toSorted((a, b) => (a.path < b.path ? -1 : 1))
          assert.deepStrictEqual(inOrder(base.files), inOrder(then.files), table)
          assert.sameMembers([...base.removed.keys()], [...then.removed.keys()], table)
          for (const until of base.removed.values()) assert.isAbove(until, Date.parse("2999-01-01"))
          assert.strictEqual(base.metaData.id, then.metaData.id)
          assert.strictEqual(base.metaData.schemaString, then.metaData.schemaString)
          assert.deepStrictEqual(base.metaData.partitionColumns, then.metaData.partitionColumns)
          const [whole, since] = [replay(log), replay(log, undefined, base)]
          assert.deepStrictEqual([...since.files.keys()].toSorted(), [...whole.files.keys()].toSorted(), table)
        }
      })
    )
  )

  it.effect("takes the place of commits that are older than exports are kept, and the log goes on without them", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(31, "4 days")
        assert.deepStrictEqual([...logOf(world, "ipcs").keys()].slice(0, 2), [20, 21])
        const paths = () =>
          (readExport(world).tables["ipcs"]?.files ?? []).map(({ path }) => path.slice("ipcs/".length))
        const read = Effect.map(lastCheckpoint(world, "ipcs"), (base) => [
          ...replay(logOf(world, "ipcs"), undefined, base).files.keys()
        ])
        assert.deepStrictEqual(yield* read, paths())
        // Nothing but the log says now how it ended.
        rmSync(join(world.lake, "_delta/state.json"))
        writeFileSync(join(world.lake, `_manifests/${readExport(world).run}.json`), "{")
        yield* exports(2, "1 hours")
        assert.deepStrictEqual(yield* read, paths())
        assert.strictEqual(readExport(world).delta?.["ipcs"]?.version, 32)
      })
    )
  )
})
