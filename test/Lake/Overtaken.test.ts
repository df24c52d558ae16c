/** Two exporters on one lake that don't know of each other: each has its own data directory and stores. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Lake } from "../../src/Lake/Lake.ts"
import type { Export } from "../../src/Lake/Export.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import * as LakePointer from "../../src/Lake/LakePointer.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { type Warehouse } from "../../src/Stores/Warehouse.ts"
import { temporaryFolder } from "../Folders.ts"
import { exporting, ipc, now, on, others, run, write } from "./ExportWorld.ts"

const stages = ["put", "putText", "replaceText"] as const

/** Holds the calls of one kind until they are let go. */
const paused = (root: string, stage: (typeof stages)[number]) => {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const wait = Effect.promise(() => {
    reached.resolve()
    return go.promise
  })
  const at = <A, E>(name: (typeof stages)[number], call: Effect.Effect<A, E>) =>
    name === stage ? Effect.andThen(wait, call) : call
  const layer = Layer.effect(
    Lake,
    Effect.map(Lake, (lake) =>
      Lake.of({
        ...lake,
        put: (...given) => at("put", lake.put(...given)),
        putText: (...given) => at("putText", lake.putText(...given)),
        replaceText: (...given) => at("replaceText", lake.replaceText(...given))
      })
    )
  ).pipe(Layer.provide(Folder.layerAt(root)))
  return { layer, reached: reached.promise, go: Effect.sync(() => go.resolve()) }
}

type Exporter = Effect.Effect<void, unknown, Export | Lake | Store | Warehouse>
const as = (dataDir: string, lake: Layer.Layer<Lake>) => (body: Exporter) =>
  Effect.scoped(Effect.provide(body, exporting(dataDir, lake), { local: true }))

const shown = Effect.flatMap(Lake, LakePointer.read)
const assertWhole = Effect.gen(function* () {
  assert.deepStrictEqual(Verify.faultsOf(yield* Verify.verify(Option.none(), () => Effect.void)), [])
})
const filesOf = (id: string) =>
  Effect.map(
    Effect.flatMap(Lake, (lake) => lake.list("")),
    (paths) => paths.filter((path) => path.includes(id))
  )

describe("of two exporters at once", () => {
  for (const at of stages) {
    it.effect(`the one that began earlier and is stuck at its ${at} is overtaken, and names the other run`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const root = temporaryFolder()
        const slow = paused(root, at)
        const [asSlow, asOther] = [as(temporaryFolder(), slow.layer), as(temporaryFolder(), Folder.layerAt(root))]
        let begun = ""
        const slowOne = Effect.gen(function* () {
          yield* write([on("2026-11-18")], [ipc("IPC-1", "1")])
          const fiber = yield* Effect.forkChild(Effect.flip(run))
          yield* Effect.promise(() => slow.reached)
          let first = ""
          const other = Effect.gen(function* () {
            yield* TestClock.adjust("1 minute")
            yield* write([on("2026-11-18"), on("2026-11-19")], [ipc("IPC-2", "2")])
            first = (yield* run).run
            yield* TestClock.adjust("1 minute")
            // The files of a run at work are left alone.
            yield* run
            const writers = (yield* filesOf("-0.parquet")).map((path) => Manifest.writerOf(path) ?? first)
            begun = writers.find((writer) => writer < first) ?? ""
          })
          yield* asOther(other)
          const newest = Option.getOrThrow((yield* shown).pointer).run
          assert.isTrue(newest > first)
          yield* slow.go
          const error = yield* Fiber.join(fiber)
          assert.instanceOf(error, LakePointer.Overtaken)
          assert.include(error.message, `was overtaken by run ${newest}, as of 2026-11-20T02:02:00.000000Z`)
          assert.strictEqual(Option.getOrThrow((yield* shown).pointer).run, newest)
          yield* assertWhole
          // The next one begins from there, and clears away what the overtaken one wrote.
          const next = yield* run
          assert.strictEqual(Option.getOrThrow((yield* shown).manifest).before, newest)
          assert.strictEqual(Option.getOrThrow((yield* shown).pointer).run, next.run)
          yield* assertWhole
          if (at !== "put") {
            assert.notStrictEqual(begun, "")
            assert.deepStrictEqual(yield* filesOf(begun), [])
          }
        })
        yield* asSlow(slowOne)
      })
    )
  }

  it.effect("one whose pointer is removed meanwhile fails and says so, and the next one writes a new one", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const slow = paused(temporaryFolder(), "replaceText")
      const body = Effect.gen(function* () {
        const lake = yield* Lake
        yield* lake.putText(Manifest.pointerPath, "?")
        const fiber = yield* Effect.forkChild(Effect.flip(run))
        yield* Effect.promise(() => slow.reached)
        yield* lake.remove(Manifest.pointerPath)
        yield* slow.go
        assert.match(
          String((yield* Fiber.join(fiber)).message),
          /^Export \S+ isn't shown: latest\.json of .* was removed/
        )
        const next = yield* run
        assert.strictEqual(Option.getOrThrow((yield* shown).pointer).run, next.run)
      })
      yield* as(temporaryFolder(), slow.layer)(body)
    })
  )

  it.effect("neither names the other's files unless they have the same rows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const lake = Folder.layerAt(temporaryFolder())
      const [one, other] = [as(temporaryFolder(), lake), as(temporaryFolder(), lake)]
      const late = on("2026-11-19")
      const result = (events: ReadonlyArray<ReturnType<typeof on>>, kept: number) =>
        Effect.gen(function* () {
          yield* write(events)
          assert.strictEqual((yield* run).filesKept, kept)
          yield* assertWhole
        })
      yield* one(result([on("2026-11-18"), late], 0))
      yield* other(result([on("2026-11-18"), late], others + 1))
      yield* one(result([], others + 1))
    })
  )

  it.effect("what a failed run of another worker left is swept once that can't be at work on it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const lake = Folder.layerAt(temporaryFolder())
      const body = Effect.gen(function* () {
        const service = yield* Lake
        const left = (millis: number) => `vos/${Manifest.runId(millis, 7)}-0.parquet`
        const hour = 3_600_000
        const [young, old] = [left(now - 47 * hour), left(now - 49 * hour)]
        for (const path of [young, old]) yield* service.putText(path, "?")
        yield* run
        const found = yield* service.list("vos/")
        assert.include([...found], young)
        assert.notInclude(found, old)
      })
      yield* as(temporaryFolder(), lake)(body)
    })
  )
})
