/** The lock of a data directory, and the note that a worker leaves for the command line. */
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { isHeld, Lock, readNote } from "../../src/Runtime/Lock.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { Log } from "../Logged.ts"

const note = { pid: process.pid, startedAt: "2026-01-01T00:00:00.000000Z", admin: "http://127.0.0.1:1", token: "t" }

it.live("a damaged lock file is made again, and keeps out a second process all the same", () =>
  Effect.gen(function* () {
    const path = yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (made) =>
      Effect.sync(() => removeFolder(made))
    )
    const lock = join(path, "lock.sqlite")
    yield* Effect.scoped(Layer.build(Lock.layerAt(path)))
    for (const bytes of [Buffer.alloc(4096, 7), Buffer.alloc(9), Buffer.alloc(0)]) {
      writeFileSync(lock, bytes)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(Lock.layerAt(path))
          assert.isTrue(isHeld(path))
        })
      )
    }
  }).pipe(Effect.scoped)
)

it.effect("a note that can't be written stops nothing, and is written later", () => {
  const folder = temporaryFolder()
  const inTheWay = join(folder, "worker.json.new")
  const log = new Log()
  return Effect.gen(function* () {
    const lock = yield* Lock
    mkdirSync(inTheWay)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* lock.announce(note)
        assert.isTrue(Option.isNone(readNote(folder)))
        assert.deepInclude(log.saw("note.unwritten"), { path: join(folder, "worker.json") })
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
    Effect.provide(log.layer),
    Effect.ensuring(Effect.sync(() => removeFolder(folder)))
  )
})
