import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { LakeError } from "../../src/Lake.ts"
import { assertTidy, dataFiles, inWorld, ipc, on, readExport, run, type World, write } from "./ExportWorld.ts"

/** So that a run has as many manifests to read, and therefore makes as many calls, as the run before it. */
const forgetAllBut = ({ lake }: World, run: string) => {
  const names = readdirSync(join(lake, "_manifests")).filter((name) => name !== `${run}.json`)
  for (const name of names) rmSync(join(lake, "_manifests", name))
}

describe("whatever happens in the middle", () => {
  it.effect("the pointer is last, the manifest before it, and the files before that", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-19")])
        const calls: Array<string> = []
        world.watch = (operation, path) => {
          if (operation.startsWith("put")) calls.push(path)
          return undefined
        }
        const { run: id } = yield* run
        assert.deepStrictEqual(calls.slice(-2), [`_manifests/${id}.json`, "latest.json"])
        assert.sameMembers(calls.slice(0, -2), dataFiles(world))
      })
    )
  )

  it.effect("a failure at any call leaves a whole export to read, and the next run sweeps", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18"), on("2026-11-19")], [ipc("IPC-1", "1")])
        yield* run
        let calls = 0
        for (let failing = 1; calls >= failing - 1; failing++) {
          const before = readExport(world)
          forgetAllBut(world, before.run)
          yield* write([on("2026-11-19")], [ipc("IPC-1", String(failing))])
          calls = 0
          // Dead from this call on, as after a crash.
          world.watch = () =>
            (calls += 1) >= failing ? new LakeError({ reason: "Failed", message: "the lake is gone" }) : undefined
          const outcome = yield* Effect.result(run)
          world.watch = () => undefined
          const after = readExport(world)
          if (outcome._tag === "Failure") assert.strictEqual(after.run, before.run)
          else assert.isBelow(calls, failing)
          const next = yield* run
          assert.strictEqual(readExport(world).run, next.run)
          assertTidy(world)
        }
        assert.isAbove(calls, 20)
      })
    )
  )

  it.effect("a failed run says why, and leaves nothing in staging", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* run
        const before = dataFiles(world)
        world.watch = (operation) =>
          operation === "put" ? new LakeError({ reason: "Full", message: "no room" }) : undefined
        const error = yield* Effect.flip(run)
        assert.strictEqual(error.message, "no room")
        assert.deepStrictEqual(dataFiles(world), before)
        assertTidy(world)
      })
    )
  )

  it.effect("two exports at once are two exports, one after the other", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-19")])
        const runs: Array<string> = []
        world.watch = (operation, path) => {
          const id = /\d{8}T\d{6}Z-[0-9a-f]{4}/.exec(path)?.[0]
          if (operation.startsWith("put") && id !== undefined && runs.at(-1) !== id) runs.push(id)
          return undefined
        }
        const [one, two] = yield* Effect.all([run, run], { concurrency: "unbounded" })
        assert.notStrictEqual(one.run, two.run)
        assert.sameMembers(runs, [one.run, two.run])
        assert.lengthOf(runs, 2)
        assert.strictEqual(readExport(world).run, runs[1])
        assertTidy(world)
      })
    )
  )
})
