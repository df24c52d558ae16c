import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Clock, Cron, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { LakeError } from "../../src/Lake/Lake.ts"
import { Export } from "../../src/Lake/Export.ts"
import type { Exported } from "../../src/Lake/Exported.ts"
import { Overtaken } from "../../src/Lake/LakePointer.ts"
import * as Nightly from "../../src/Lake/Nightly.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { settling } from "../Settled.ts"
import { Log } from "../Logged.ts"

const directory = mkdtempSync(join(tmpdir(), "siteledger-nightly-"))
afterAll(() => rmSync(directory, { recursive: true }))

const utc = Cron.parseUnsafe("0 2 * * *", "UTC")
const at = (text: string) => Date.parse(text)

const done: Exported = {
  run: "20261120T020000Z-0000",
  asOf: { sequence: 0, at: "", oldestPending: null, walks: {} },
  rows: 0,
  filesWritten: 0,
  bytesWritten: 0,
  filesKept: 0,
  leftAlone: []
}

/** The exports that were made, and how they end. */
const makeExports = () => {
  const exports = {
    at: [] as Array<string>,
    isFailing: false,
    isCrashing: false,
    overtakenAt: undefined as string | undefined
  }
  const layer = Layer.succeed(Export, {
    run: Effect.gen(function* () {
      exports.at.push(new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19))
      if (exports.isFailing) return yield* new LakeError({ reason: "Denied", message: "the bucket says no" })
      if (exports.overtakenAt !== undefined) {
        return yield* new Overtaken({ message: "another was first", at: exports.overtakenAt })
      }
      if (exports.isCrashing) return yield* Effect.die(new Error("a broken invariant"))
      return done
    }),
    again: Effect.die("unused"),
    status: Effect.succeed({ lastAt: null, nextAt: null })
  })
  return { exports, layer }
}

const { over, settled: settle } = settling()

let stores = 0
const freshStore = () => over(Sqlite.layerAt(join(directory, `store${(stores += 1)}.sqlite`)))

const pass = (hours: number) =>
  Effect.forEach(Array.from({ length: hours }), () => Effect.andThen(TestClock.adjust("1 hour"), settle), {
    discard: true
  })

const lastServed = Effect.flatMap(Store, (store) =>
  Effect.map(
    store.run((db) => db.selectFrom("schedule").selectAll().execute()),
    (rows) => rows.map((row) => [row.name, new Date(row.last_scheduled_ms).toISOString().slice(0, 19)])
  )
)

/** Runs the schedule from `from` until `body` ends, as one life of the worker. */
const life = <A, E>(
  from: string,
  exports: Layer.Layer<Export>,
  body: Effect.Effect<A, E, Store | Reasons>,
  cron: Cron.Cron = utc
) =>
  Effect.andThen(
    TestClock.setTime(at(from)),
    Effect.andThen(settle, body).pipe(
      Effect.provide(Nightly.layerWith(cron).pipe(Layer.provide(exports), Layer.provideMerge(Reasons.layer)), {
        local: true
      })
    )
  )

describe("the schedule", () => {
  it.effect("is served once per scheduled time, from the first start on", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      yield* life("2026-11-20T01:00:00Z", layer, Effect.andThen(settle, pass(50)))
      assert.deepStrictEqual(exports.at, ["2026-11-20T02:00:00", "2026-11-21T02:00:00", "2026-11-22T02:00:00"])
      assert.deepStrictEqual(yield* lastServed, [["export", "2026-11-22T02:00:00"]])
    }).pipe(Effect.provide(freshStore()))
  })

  const dst = [
    ["Europe/London", "30 1 * * *", "2026-03-27T12:00:00Z", ["03-28T01:30", "03-29T01:30", "03-30T00:30"]],
    ["Europe/London", "30 1 * * *", "2026-10-23T12:00:00Z", ["10-24T00:30", "10-25T00:30", "10-26T01:30"]],
    ["Europe/Berlin", "30 2 * * *", "2026-03-27T12:00:00Z", ["03-28T01:30", "03-29T01:30", "03-30T00:30"]],
    ["Europe/Berlin", "30 2 * * *", "2026-10-23T12:00:00Z", ["10-24T00:30", "10-25T00:30", "10-26T01:30"]]
  ] as const
  for (const [zone, text, from, expected] of dst) {
    it.effect(`is served once a local date when ${zone} changes its clocks after ${from.slice(0, 10)}`, () => {
      const { exports, layer } = makeExports()
      const cron = Cron.parseUnsafe(text, zone, { onDstOverlap: "earlier" })
      return Effect.gen(function* () {
        yield* life(from, layer, pass(68), cron)
        assert.deepStrictEqual(
          exports.at,
          expected.map((time) => `2026-${time}:00`)
        )
      }).pipe(Effect.provide(freshStore()))
    })
  }

  it.effect("catches up on missed times with one export at the next start", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      yield* life("2026-11-20T01:00:00Z", layer, pass(2))
      yield* life("2026-11-24T09:00:00Z", layer, pass(1))
      yield* life("2026-11-24T11:00:00Z", layer, pass(1))
      assert.deepStrictEqual(exports.at, ["2026-11-20T02:00:00", "2026-11-24T09:00:00"])
      assert.deepStrictEqual(yield* lastServed, [["export", "2026-11-24T02:00:00"]])
    }).pipe(Effect.provide(freshStore()))
  })

  it.effect("does not export at the very first start", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      yield* life("2026-11-20T03:00:00Z", layer, settle)
      assert.deepStrictEqual(exports.at, [])
      assert.deepStrictEqual(yield* lastServed, [["export", "2026-11-20T03:00:00"]])
    }).pipe(Effect.provide(freshStore()))
  })

  it.effect("is served once when the clock is put back a little afterwards", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      const body = Effect.gen(function* () {
        yield* pass(1)
        yield* TestClock.setTime(at("2026-11-20T01:59:58Z"))
        yield* pass(2)
      })
      yield* life("2026-11-20T01:00:00Z", layer, body)
      assert.deepStrictEqual(exports.at, ["2026-11-20T02:00:00"])
    }).pipe(Effect.provide(freshStore()))
  })

  it.effect("is served on the day itself, although the clock was a day ahead for a while", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      yield* life("2026-11-20T12:00:00Z", layer, Effect.void)
      yield* life("2026-11-21T12:00:00Z", layer, pass(2))
      yield* life("2026-11-20T12:00:00Z", layer, pass(20))
      assert.deepStrictEqual(exports.at, ["2026-11-21T12:00:00", "2026-11-21T02:00:00"])
    }).pipe(Effect.provide(freshStore()))
  })

  it.effect("goes on after the clock was years ahead for a while", () => {
    const { exports, layer } = makeExports()
    return Effect.gen(function* () {
      yield* life("2031-01-01T01:00:00Z", layer, pass(2))
      yield* life("2026-11-20T01:00:00Z", layer, pass(2))
      assert.deepStrictEqual(exports.at, ["2031-01-01T02:00:00", "2026-11-20T02:00:00"])
    }).pipe(Effect.provide(freshStore()))
  })
})

describe("an export that", () => {
  const troubles = [
    ["fails", "isFailing", "the bucket says no"],
    ["crashes", "isCrashing", "a broken invariant"]
  ] as const
  for (const [does, flag, message] of troubles) {
    it.effect(`${does} is retried after five minutes, and its reason is shown until the next success`, () => {
      const { exports, layer } = makeExports()
      exports[flag] = true
      const body = Effect.gen(function* () {
        const reasons = yield* Reasons
        yield* pass(1)
        assert.deepStrictEqual(exports.at, ["2026-11-20T02:00:00"])
        assert.deepStrictEqual(yield* reasons.wrong, [`The nightly export failed and is tried again: ${message}`])
        yield* Effect.andThen(TestClock.adjust("5 minutes"), settle)
        assert.lengthOf(exports.at, 2)
        exports[flag] = false
        yield* Effect.andThen(TestClock.adjust("5 minutes"), settle)
        assert.deepStrictEqual(exports.at.slice(1), ["2026-11-20T02:05:00", "2026-11-20T02:10:00"])
        assert.deepStrictEqual(yield* reasons.wrong, [])
        yield* pass(3)
        assert.lengthOf(exports.at, 3)
        assert.deepStrictEqual(yield* lastServed, [["export", "2026-11-20T02:00:00"]])
      })
      return life("2026-11-20T01:00:00Z", layer, body).pipe(Effect.provide(freshStore()))
    })
  }

  it.effect("is overtaken by one of the due time or later has served its time", () => {
    const { exports, layer } = makeExports()
    exports.overtakenAt = "2026-11-20T02:00:00.000000Z"
    const log = new Log()
    const body = Effect.gen(function* () {
      yield* pass(1)
      assert.deepStrictEqual(yield* (yield* Reasons).wrong, [])
      yield* pass(3)
      assert.lengthOf(exports.at, 1)
      assert.deepStrictEqual(yield* lastServed, [["export", "2026-11-20T02:00:00"]])
      assert.deepStrictEqual(log.saw("export.overtaken"), { why: "another was first" })
    })
    return life("2026-11-20T01:00:00Z", layer, body).pipe(Effect.provide(freshStore()), Effect.provide(log.layer))
  })

  it.effect("is overtaken by one of an earlier time is retried", () => {
    const { exports, layer } = makeExports()
    exports.overtakenAt = "2026-11-20T01:59:59.999999Z"
    const body = Effect.gen(function* () {
      yield* pass(1)
      assert.deepStrictEqual(yield* (yield* Reasons).wrong, [
        "The nightly export failed and is tried again: another was first"
      ])
      yield* Effect.andThen(TestClock.adjust("5 minutes"), settle)
      assert.lengthOf(exports.at, 2)
    })
    return life("2026-11-20T01:00:00Z", layer, body).pipe(Effect.provide(freshStore()))
  })
})
