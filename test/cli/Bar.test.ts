/** The line about a verb that takes long: drawn again and again on a terminal, gone at the end, and never for programs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import * as Bar from "../../cli/Bar.ts"
import { Progress, Tasks, track, underWay } from "../../src/Runtime/Progress.ts"

const { stderr } = process

/** What is written to stderr as if it were a terminal, with these arguments. */
const watched = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { argv: process.argv, isTTY: stderr.isTTY, write: stderr.write }
      const written: Array<string> = []
      process.argv = [...before.argv, ...args]
      stderr.isTTY = true
      stderr.write = ((text: string) => written.push(text) > 0) as typeof stderr.write
      return { before, written }
    }),
    ({ before }) =>
      Effect.sync(() => {
        process.argv = before.argv
        Object.assign(stderr, { isTTY: before.isTTY, write: before.write })
      })
  )

const erase = "\r\u001B[K"

const written = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { written: lines } = yield* watched(args)
    const open = yield* Latch.make()
    const work = track("backup", { unit: "pages", total: 4 }, (reached) =>
      Effect.andThen(
        Effect.sync(() => reached(1)),
        open.await
      )
    )
    const running = yield* Effect.forkChild(Bar.shown("backup", underWay)(work), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    yield* open.open
    yield* Fiber.join(running)
    return [...lines]
  }).pipe(Effect.scoped, Effect.provideService(Progress, new Tasks()))

describe("a verb's line", () => {
  it.effect("is drawn on a terminal while the verb runs, and is gone when it ends", () =>
    Effect.gen(function* () {
      const bar = `${"█".repeat(6)}${"░".repeat(18)}`
      assert.deepStrictEqual(yield* written([]), [
        `${erase}backup ${bar} 1 of 4 pages, 0:02 left`,
        `${erase}backup ${bar} 1 of 4 pages, 0:03 left`,
        erase
      ])
    })
  )

  it.effect("isn't drawn with --json", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* written(["--json"]), [])
    })
  )
})
