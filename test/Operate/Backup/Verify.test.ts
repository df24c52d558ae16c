/** Tampering with a backup off the machine is found, never restored, and repaired. */
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { verify } from "../../../src/Operate/Backup/Verify.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Log } from "../../Logged.ts"
import { assertSame, backedUp, failing, life, chunksOf, vaultAt, receive, restoredTo, within, world } from "./World.ts"

describe("a backup off the machine", () => {
  const damages: Record<string, (chunks: ReadonlyArray<string>) => void> = {
    "was changed": ([one]) => {
      const bytes = readFileSync(one!)
      bytes[20]! ^= 1
      writeFileSync(one!, bytes)
    },
    "was cut off": ([one]) => writeFileSync(one!, readFileSync(one!).subarray(0, -1)),
    "is gone": ([one]) => rmSync(one!),
    "was swapped with another one": ([one, other]) => {
      renameSync(one!, `${one}.kept`)
      renameSync(other!, one!)
      renameSync(`${one}.kept`, other!)
    },
    "took the place of another one": ([one, other]) => copyFileSync(one!, other!)
  }

  for (const [what, damage] of Object.entries(damages)) {
    it.live(`one of whose chunks ${what} is never restored; that is found, and it is written again`, () =>
      Effect.gen(function* () {
        const { dataDir, file, folder, store } = world()
        const log = new Log()
        yield* within(
          dataDir,
          Effect.gen(function* () {
            yield* life
            yield* backedUp(folder)
            yield* receive("four")
            yield* backedUp(folder)
            const chunks = chunksOf(folder).filter((path) => path.includes("inbox"))
            assert.lengthOf(chunks, 2)
            damage(chunks)
            assert.match(yield* failing(restoredTo(folder, file)), /lacks the inbox from|isn't as siteledger wrote it/)
            const readBack = Effect.scoped(
              Effect.gen(function* () {
                const vault = yield* vaultAt(folder)
                const { following } = yield* Store
                return yield* verify(vault, following!, () => true)
              })
            )
            const found = yield* readBack
            assert.isAtLeast(found.faults.length, 1)
            assert.deepStrictEqual((yield* readBack).faults, [])
          })
        ).pipe(Effect.provide(log.layer))
        log.saw("backup.damaged")
        log.saw("backup.verified")
        rmSync(file, { force: true })
        yield* restoredTo(folder, file)
        assertSame(file, store)
      })
    )
  }
})
