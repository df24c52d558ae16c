/**
 * The place of a backup is unavailable for a while: a person is told, nothing piles up, and the backup catches up by
 * itself.
 */
import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LakeError } from "../../../src/Lake/Lake.ts"
import * as Lag from "../../../src/Operate/Backup/Lag.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { delivery } from "../../Stores/Postgres/World.ts"
import { assertSame, begun, life, restoredTo, rowsIn, vaultAt, within, world } from "./World.ts"

const isAway = new LakeError({ reason: "Failed", message: "nothing answers there" })

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** What JavaScript holds, in bytes. Buffers are released a moment after they are collected. */
const held = Effect.gen(function* () {
  for (let turn = 0; turn < 3; turn++) {
    collect()
    yield* Effect.sleep("20 millis")
  }
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
})

const patience = 400_000
const mega = 1_000_000

const noise = (bytes: number): string => randomBytes(bytes / 2).toString("hex")

describe("a backup whose place is away", () => {
  it.effect("says after two minutes that it is behind, with what to do, until it has caught up", () =>
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const lag = yield* Lag.make("s3://away")
      const said = Effect.map(reasons.all, (all) => all.map(({ level, sentence }) => [level, sentence]))
      yield* Effect.forkChild(Effect.forever(Lag.watch(lag)), { startImmediately: true })
      yield* Lag.reached(lag, 0, 1)
      yield* TestClock.adjust("20 seconds")
      yield* Lag.failed(lag, isAway)
      yield* TestClock.adjust("95 seconds")
      assert.deepStrictEqual(yield* said, [])
      yield* TestClock.adjust("10 seconds")
      const sentence = "The backup on s3://away is 2 minutes behind: nothing answers there"
      assert.deepStrictEqual(yield* said, [["degraded", sentence]])
      const [{ toDo } = { toDo: "" }] = yield* reasons.all
      assert.match(toDo, /SITELEDGER_BACKUP .*`siteledger doctor`; the backup catches up by itself/)
      assert.deepInclude(yield* Lag.status(lag, null), { ageMs: 125_000, error: "nothing answers there" })
      yield* Lag.reached(lag, 125_000, 2)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* said, [])
      assert.deepInclude(yield* Lag.status(lag, null), { ageMs: 5000, error: null })
    }).pipe(Effect.provide(Reasons.layer))
  )

  it.live(
    "costs no memory, however much has come meanwhile",
    () =>
      Effect.gen(function* () {
        const { dataDir, file, folder, store } = world()
        const sizes: Array<number> = []
        let isThere = true
        yield* within(
          dataDir,
          Effect.scoped(
            Effect.gen(function* () {
              const vault = yield* vaultAt(folder)
              const put: typeof vault.lake.put = (path, from) => {
                // What is large.
                if (!isThere && path.includes("/inbox/")) return Effect.fail(isAway)
                sizes.push(statSync(from).size)
                return vault.lake.put(path, from)
              }
              const begins = yield* begun({ ...vault, lake: { ...vault.lake, put } })
              yield* life
              yield* begins.turn
              isThere = false
              let before = 0
              for (let n = 0; n < 10; n++) {
                // By then, whatever has a size of its own is full.
                if (n === 2) before = yield* held
                // They compress to half.
                const batch = Array.from({ length: 40 }, () => delivery(noise(0.1 * mega)))
                yield* Effect.promise(() => begins.store.deliveries.receive(batch))
                assert.strictEqual(yield* Effect.flip(begins.turn), isAway)
              }
              assert.isBelow((yield* held) - before, 16 * mega)
              isThere = true
              yield* begins.turn
            })
          )
        )
        assert.isAbove(
          sizes.reduce((sum, size) => sum + size, 0),
          15 * mega
        )
        assert.isBelow(Math.max(...sizes), 20 * mega)
        yield* restoredTo(folder, file)
        assertSame(file, store)
        assert.include(rowsIn(file, "select count(*) as count from inbox"), ":403}")
      }),
    patience
  )
})
