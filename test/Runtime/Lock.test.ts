/** The note that a worker leaves for the command line. */
import { mkdirSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option, References } from "effect"
import { TestClock } from "effect/testing"
import { Lock, readNote } from "../../src/Runtime/Lock.ts"
import { removeFolder, temporaryFolder } from "../RunningWorker.ts"

const note = { pid: process.pid, startedAt: "2026-01-01T00:00:00.000000Z", admin: "http://127.0.0.1:1", token: "t" }

it.effect("a note that can't be written stops nothing, and is written later", () => {
  const folder = temporaryFolder()
  const inTheWay = join(folder, "worker.json.new")
  return Effect.gen(function* () {
    const lock = yield* Lock
    mkdirSync(inTheWay)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* lock.announce(note)
        assert.isTrue(Option.isNone(readNote(folder)))
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(Option.isNone(readNote(folder)))
        rmdirSync(inTheWay)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(readNote(folder), Option.some(note))
      })
    )
    assert.isTrue(Option.isNone(readNote(folder)), "removed at the end")
  }).pipe(
    Effect.provide(Lock.layerAt(folder)),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.ensuring(Effect.sync(() => removeFolder(folder)))
  )
})
