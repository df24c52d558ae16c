import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import { LakeError } from "../../src/Lake/Lake.ts"
import { some } from "../Long.ts"
import {
  assertTidy,
  dataFiles,
  eventPaths,
  inWorld,
  ipc,
  on,
  readExport,
  run,
  type World,
  write
} from "./ExportWorld.ts"

const writes = new Set(["put", "putText", "replaceText", "remove"])
const gone = new LakeError({ reason: "Failed", message: "the lake is gone" })

/** As if there had been only one export, so that the next one makes as many calls as the last. */
const forgetAllBut = (world: World, run: string) => {
  const names = readdirSync(join(world.lake, "_manifests")).filter((name) => name !== `${run}.json`)
  for (const name of names) rmSync(join(world.lake, "_manifests", name))
  const named = readExport(world)
  const needed = new Set(Object.values(named.tables).flatMap((table) => table.files.map((file) => file.path)))
  for (const path of dataFiles(world)) {
    if (!needed.has(path) && path !== named.journal) rmSync(join(world.lake, path))
  }
}

/** An export whose calls are counted, and fail as `fails` says. */
const watched = Effect.fnUntraced(function* (
  world: World,
  fails: (call: number, when: "before" | "after") => boolean = () => false
) {
  const operations: Array<string> = []
  world.watch = (operation, _path, when) => {
    if (when === "before") operations.push(operation)
    return fails(operations.length, when) ? gone : undefined
  }
  const outcome = yield* Effect.result(run)
  world.watch = () => undefined
  return { outcome, operations }
})

/** Disturbs an export at each of these calls in turn: the previous one or this one is whole, the next one tidies up. */
const atEveryCall = (
  world: World,
  isDisturbed: (operation: string) => boolean,
  fails: (failing: number) => (call: number, when: "before" | "after") => boolean
) =>
  Effect.gen(function* () {
    yield* write([on("2026-11-18"), on("2026-11-19")], [ipc("IPC-1", "1")])
    yield* run
    const changed = (round: number) => {
      forgetAllBut(world, readExport(world).run)
      return write([on("2026-11-19")], [ipc("IPC-1", String(round))])
    }
    yield* changed(0)
    const { operations } = yield* watched(world)
    const calls = [...operations.entries()].filter(([, operation]) => isDisturbed(operation))
    for (const [index] of some(calls, 8)) {
      yield* changed(index + 1)
      const { outcome } = yield* watched(world, fails(index + 1))
      const after = readExport(world)
      if (outcome._tag === "Success") assert.strictEqual(after.run, outcome.success.run)
      const next = yield* run
      assert.strictEqual(readExport(world).run, next.run)
      assertTidy(world)
    }
    return calls.length
  })

describe("in the middle of an export", () => {
  it.effect("the pointer is last, the manifest before it, and the files before that; Delta logs follow", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-19")])
        const calls: Array<string> = []
        world.watch = (operation, path, when) => {
          if (when === "after" && writes.has(operation)) calls.push(path)
          return undefined
        }
        const { run: id } = yield* run
        const end = calls.indexOf("latest.json")
        assert.strictEqual(calls[end - 1], `_manifests/${id}.json`)
        assert.sameMembers(calls.slice(0, end - 1), [...dataFiles(world), "lake.sql"])
        const logs = Object.keys(readExport(world).tables).map((name) => `${name}/_delta_log/00000000000000000000.json`)
        assert.sameMembers(calls.slice(end + 1, -1), logs)
        assert.strictEqual(calls.at(-1), "_delta/state.json")
      })
    )
  )

  it.effect("a lake that disappears at any call leaves a whole export, and the next run sweeps", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const isAny = () => true
        const calls = yield* atEveryCall(
          world,
          isAny,
          (failing) => (call, when) => when === "before" && call >= failing
        )
        assert.isAtLeast(calls, 30)
      })
    )
  )

  it.effect("any write that is done but reported as failed leaves a whole export, and the next run sweeps", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const isWrite = (operation: string) => writes.has(operation)
        const calls = yield* atEveryCall(
          world,
          isWrite,
          (failing) => (call, when) => when === "after" && call === failing
        )
        assert.isAtLeast(calls, 7)
      })
    )
  )

  it.effect("an export never has the name of an earlier one, even of the same second and without its manifest", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const seeded = Effect.map(run.pipe(Random.withSeed("one name")), (made) => made.run)
        const first = yield* seeded
        yield* run
        forgetAllBut(world, readExport(world).run)
        const second = yield* seeded
        const third = yield* seeded
        assert.strictEqual(new Set([first, second, third]).size, 3)
      })
    )
  )

  it.effect("a failed run says why, leaves nothing that it wrote in staging, and is remembered until it is swept", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* run
        const before = dataFiles(world)
        world.watch = (operation) =>
          operation === "put" ? new LakeError({ reason: "Full", message: "no room" }) : undefined
        const error = yield* Effect.flip(run)
        assert.strictEqual(error.message, "no room")
        assert.deepStrictEqual(dataFiles(world), before)
        const [note = "", ...others] = readdirSync(join(world.dataDir, "staging"))
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(readdirSync(join(world.dataDir, "staging", note)), [])
        world.watch = () => undefined
        yield* run
        assert.isFalse(existsSync(join(world.dataDir, "staging")))
      })
    )
  )

  it.effect("a file in place of a table's folder is an error, and the previous export stays", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { run: first } = yield* run
        rmSync(join(world.lake, "vos"), { recursive: true })
        writeFileSync(join(world.lake, "vos"), "not a folder")
        yield* Effect.flip(run)
        const pointer = JSON.parse(readFileSync(join(world.lake, "latest.json"), "utf8")) as { readonly run: string }
        assert.strictEqual(pointer.run, first)
        rmSync(join(world.lake, "vos"))
        mkdirSync(join(world.lake, "vos"))
        const { run: next } = yield* run
        assert.strictEqual(readExport(world).run, next)
      })
    )
  )

  it.effect("an export that takes longer than a day is given up, because others take it for dead after that", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* run
        const before = readExport(world)
        const isUploading = Promise.withResolvers<void>()
        const fiber = yield* Effect.forkChild(Effect.flip(run))
        world.watch = (operation) => {
          if (operation === "put") isUploading.resolve()
          return undefined
        }
        yield* Effect.promise(() => isUploading.promise)
        yield* TestClock.adjust("25 hours")
        const error = yield* Fiber.join(fiber)
        assert.match(error.message, /longer than a day/)
        assert.strictEqual(readExport(world).run, before.run)
      })
    )
  )

  it.effect("two exports at once of one worker run one after the other", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-19")])
        const runs: Array<string> = []
        world.watch = (operation, path) => {
          const id = /\d{8}T\d{6}Z-[0-9a-f]{4}/.exec(path)?.[0]
          if (operation.startsWith("put") && id !== undefined && runs.at(-1) !== id) runs.push(id)
          return undefined
        }
        const [first, second] = yield* Effect.all([run, run], { concurrency: "unbounded" })
        assert.notStrictEqual(first.run, second.run)
        assert.sameMembers(runs, [first.run, second.run])
        assert.lengthOf(runs, 2)
        assert.strictEqual(readExport(world).run, runs[1])
        assert.lengthOf(eventPaths(readExport(world)), 1)
        assertTidy(world)
      })
    )
  )
})
