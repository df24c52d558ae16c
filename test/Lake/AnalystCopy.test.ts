import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { Log } from "../Logged.ts"
import { makeStub, passSeconds, seconds, settle } from "./AnalystCopyWorld.ts"

const directory = mkdtempSync(join(tmpdir(), "siteledger-publish-"))
afterAll(() => rmSync(directory, { recursive: true }))

let paths = 0
const freshPath = () => join(directory, `analytics${(paths += 1)}.duckdb`)

const project = (id: string): Change => ({
  entity: "projects",
  id,
  version: Version.make(1_795_082_400_000_000, 0, "0".repeat(64)),
  source: "page",
  seenAt: "2026-11-20T02:00:00.000000Z",
  values: { name: `Project ${id}` },
  misfits: {},
  extra: {}
})

const projectsIn = (path: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" })
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll("select name from construction.projects order by id")).getRowsJson()
    connection.disconnectSync()
    instance.closeSync()
    return rows.map(([name]) => name)
  })

/** Of a real warehouse. */
const withCopy = <E>(
  use: (copy: AnalystCopy["Service"], warehouse: Warehouse["Service"], path: string) => Effect.Effect<void, E>
) => {
  const path = freshPath()
  const stores = DuckDb.layerAt(`${path}.warehouse`).pipe(Layer.provide(Sqlite.layerAt(`${path}.store`)))
  const copy = AnalystCopy.layerWith({ path, isLive: Effect.succeed(false) }).pipe(
    Layer.provide(Reasons.layer),
    Layer.provideMerge(stores)
  )
  return Effect.gen(function* () {
    yield* use(yield* AnalystCopy, yield* Warehouse, path)
  }).pipe(Effect.provide(copy))
}

describe("the copy for analysts", () => {
  it.effect("that comes beside an export replaces none while the warehouse isn't complete", () =>
    withCopy((copy, warehouse, path) =>
      Effect.gen(function* () {
        yield* warehouse.write({ changes: [project("1"), project("2")], events: [] })
        yield* copy.beside
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1", "Project 2"])
        yield* warehouse.write({ changes: [project("3")], events: [] })
        yield* copy.beside
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1", "Project 2"])
        yield* copy.now
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1", "Project 2", "Project 3"])
      })
    )
  )

  it.effect("holds what the warehouse held, and can be open while the next one is made", () =>
    withCopy((copy, warehouse, path) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* copy.status, { at: null, ageMs: null })
        yield* warehouse.write({ changes: [project("1")], events: [] })
        yield* copy.now
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1"])
        const reader = yield* Effect.promise(() => DuckDBInstance.create(path, { access_mode: "READ_ONLY" }))
        yield* warehouse.write({ changes: [project("2")], events: [] })
        yield* copy.now
        reader.closeSync()
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1", "Project 2"])
        assert.deepStrictEqual(yield* copy.status, { at: "1970-01-01T00:00:00.000000Z", ageMs: 0 })
        assert.isFalse(existsSync(`${path}.unfinished`))
      })
    )
  )

  it.effect("is made again if a check finds it damaged, and left alone otherwise", () =>
    withCopy((copy, warehouse, path) =>
      Effect.gen(function* () {
        yield* copy.check
        assert.isFalse(existsSync(path))
        yield* warehouse.write({ changes: [project("1")], events: [] })
        yield* copy.now
        const { ino } = statSync(path)
        yield* copy.check
        assert.strictEqual(statSync(path).ino, ino)
        const bytes = readFileSync(path)
        writeFileSync(path, bytes.fill(0xff, Math.floor(bytes.length / 2)))
        const log = new Log()
        yield* Effect.provide(copy.check, log.layer)
        assert.deepInclude(log.saw("analytics.damaged"), { path })
        assert.deepStrictEqual(yield* projectsIn(path), ["Project 1"])
      })
    )
  )

  it.effect("is first made when the worker goes live", () => {
    const { stub, publish } = makeStub()
    stub.isLive = false
    return Effect.gen(function* () {
      stub.version = 1
      yield* passSeconds(60)
      assert.deepStrictEqual(stub.copies, [])
      stub.isLive = true
      yield* passSeconds(60)
      assert.lengthOf(stub.copies, 1)
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("is made again only when something has changed, after a rest of five seconds at least", () => {
    const { stub, publish } = makeStub()
    return Effect.gen(function* () {
      yield* passSeconds(600)
      assert.deepStrictEqual(stub.copies, seconds(0))
      stub.version++
      yield* passSeconds(1)
      assert.lengthOf(stub.copies, 2)
      stub.version++
      yield* passSeconds(4)
      assert.lengthOf(stub.copies, 2)
      yield* passSeconds(1)
      assert.lengthOf(stub.copies, 3)
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("takes a hundredth of the time, and no rest is longer than five minutes", () => {
    const { stub, publish } = makeStub()
    stub.takes = Duration.seconds(1)
    return Effect.gen(function* () {
      yield* settle
      const busy = Effect.sync(() => stub.version++).pipe(Effect.andThen(TestClock.adjust("1 second")))
      yield* Effect.forEach(Array.from({ length: 105 }), () => busy, { discard: true })
      assert.deepStrictEqual(stub.copies, seconds(0, 101))
      stub.takes = Duration.seconds(30)
      yield* Effect.forEach(Array.from({ length: 640 }), () => busy, { discard: true })
      assert.deepStrictEqual(stub.copies, seconds(0, 101, 202, 532))
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("leaves the file before it alone for a minute, if the next one is made from it", () => {
    const { stub, publish } = makeStub()
    stub.isWhole = false
    return Effect.gen(function* () {
      yield* settle
      const busy = Effect.sync(() => stub.version++).pipe(Effect.andThen(TestClock.adjust("1 second")))
      yield* Effect.forEach(Array.from({ length: 65 }), () => busy, { discard: true })
      assert.deepStrictEqual(stub.copies, seconds(0, 60))
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("isn't made again right after one that somebody asked for", () => {
    const { stub, publish } = makeStub()
    stub.isLive = false
    stub.takes = Duration.seconds(1)
    return Effect.gen(function* () {
      const { now } = yield* AnalystCopy
      stub.version++
      const asked = yield* Effect.forkChild(now)
      yield* settle
      stub.isLive = true
      yield* passSeconds(1)
      yield* Fiber.join(asked)
      assert.deepStrictEqual(stub.copies, seconds(0))
      const busy = Effect.sync(() => stub.version++).pipe(Effect.andThen(TestClock.adjust("1 second")))
      yield* Effect.forEach(Array.from({ length: 90 }), () => busy, { discard: true })
      assert.deepStrictEqual(stub.copies, seconds(0))
      yield* Effect.forEach(Array.from({ length: 15 }), () => busy, { discard: true })
      assert.lengthOf(stub.copies, 2)
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("that somebody asked for meanwhile stands for the one that was due", () => {
    const { stub, publish } = makeStub()
    stub.takes = Duration.seconds(1)
    return Effect.gen(function* () {
      const { now } = yield* AnalystCopy
      yield* Effect.all([now, passSeconds(60)], { concurrency: "unbounded" })
      assert.lengthOf(stub.copies, 1)
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("of an earlier start stays until the first one of this start", () => {
    const { stub, publish } = makeStub()
    const path = freshPath()
    writeFileSync(path, "")
    utimesSync(path, 1000, 1000)
    stub.isLive = false
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_060_000)
      const { status } = yield* AnalystCopy
      assert.deepStrictEqual(yield* status, { at: "1970-01-01T00:16:40.000000Z", ageMs: 60_000 })
      stub.isLive = true
      yield* passSeconds(60)
      // What changed before the stop may not be in the old copy.
      assert.lengthOf(stub.copies, 1)
      assert.isBelow((yield* status).ageMs ?? 0, 61_000)
      assert.notStrictEqual((yield* status).at, "1970-01-01T00:16:40.000000Z")
    }).pipe(Effect.provide(publish(path)))
  })

  it.effect("that can't be made is a reason, until one can", () => {
    const { stub, publish } = makeStub()
    stub.isFailing = true
    return Effect.gen(function* () {
      const reasons = yield* Reasons
      yield* passSeconds(10)
      assert.deepStrictEqual(yield* reasons.wrong, ["The copy for analysts can't be made: no room"])
      assert.lengthOf(stub.copies, 1)
      stub.isFailing = false
      yield* passSeconds(60)
      assert.deepStrictEqual(yield* reasons.wrong, [])
      assert.lengthOf(stub.copies, 2)
    }).pipe(Effect.provide(publish(freshPath())))
  })

  it.effect("is made one at a time", () => {
    const { stub, publish } = makeStub()
    stub.isLive = false
    stub.takes = Duration.seconds(10)
    return Effect.gen(function* () {
      const { now } = yield* AnalystCopy
      const both = Effect.all([now, now], { concurrency: "unbounded" })
      yield* Effect.all([both, passSeconds(30)], { concurrency: "unbounded" })
      assert.deepStrictEqual(stub.copies, seconds(0, 10))
    }).pipe(Effect.provide(publish(freshPath())))
  })
})
