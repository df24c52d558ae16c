/** The verb `lake-verify` with several callers: an export is read once at a time, and no caller loses an answer. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Lake } from "../../src/Lake/Lake.ts"
import { pointerPath } from "../../src/Lake/Manifest.ts"
import { lake as verbs } from "../../src/Operate/Verbs/Lake.ts"
import { inWorld, run } from "../Lake/ExportWorld.ts"

/** A lake whose texts come once it is open, and how often its pointer was asked for. */
const closed = Effect.gen(function* () {
  const lake = yield* Lake
  const gate = yield* Deferred.make<void>()
  const counts = { pointer: 0, texts: 0 }
  const readText: Lake["Service"]["readText"] = (path) =>
    Effect.suspend(() => {
      counts.texts++
      if (path === pointerPath) counts.pointer++
      return Effect.andThen(Deferred.await(gate), lake.readText(path))
    })
  const ask = (of: { readonly run?: string } = {}) =>
    Effect.forkChild(Effect.provideService(verbs["lake-verify"](of), Lake, { ...lake, readText }))
  return { ask, counts, open: Deferred.succeed(gate, undefined) }
})

/** Until every fiber waits. */
const settled = Effect.repeat(Effect.yieldNow, { times: 100 })

describe("lake-verify", () => {
  it.effect("is done once for all who ask for the same at the same time", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const exported = yield* run
        const { ask, counts, open } = yield* closed
        const [first, second] = [yield* ask(), yield* ask()]
        yield* settled
        assert.deepStrictEqual(counts, { pointer: 1, texts: 1 })
        yield* open
        const [one, other] = [yield* Fiber.join(first), yield* Fiber.join(second)]
        assert.deepInclude(one, { ok: true, run: exported.run })
        assert.strictEqual(other, one)
        assert.strictEqual(counts.pointer, 1)
        yield* Fiber.join(yield* ask())
        assert.strictEqual(counts.pointer, 2, "later it is done again")
      })
    )
  )

  it.effect("of another export waits its turn", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const exported = yield* run
        const { ask, counts, open } = yield* closed
        const [newest, named] = [yield* ask(), yield* ask({ run: exported.run })]
        yield* settled
        assert.strictEqual(counts.texts, 1)
        yield* open
        assert.deepStrictEqual((yield* Fiber.join(named)).run, (yield* Fiber.join(newest)).run)
      })
    )
  )

  it.effect("is begun again for those who wait if the one who asked first goes away", () =>
    inWorld(() =>
      Effect.gen(function* () {
        yield* run
        const { ask, counts, open } = yield* closed
        const [first, second] = [yield* ask(), yield* ask()]
        yield* settled
        yield* Fiber.interrupt(first)
        yield* settled
        assert.strictEqual(counts.pointer, 2)
        yield* open
        assert.isTrue((yield* Fiber.join(second)).ok)
      })
    )
  )
})
