/** The backup off the machine: with its key alone it becomes a store again, or it says why it can't. */
import { copyFileSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { prune } from "../../../src/Operate/Backup/Prune.ts"
import { find, move } from "../../../src/Operate/Backup/Tip.ts"
import { Progress } from "../../../src/Runtime/Progress.ts"
import { temporaryFolder } from "../../Folders.ts"
import { Log } from "../../Logged.ts"
import { Told } from "../../Told.ts"
import { change } from "../../Stores/RowLog/World.ts"
import {
  assertSame,
  backedUp,
  begun,
  bodies,
  failing,
  life,
  logged,
  chunksOf,
  vaultAt,
  receive,
  restoredTo,
  rowsIn,
  within,
  world
} from "./World.ts"

describe("a backup off the machine", () => {
  it.live("becomes the store again, with its deliveries and all that can't be made again", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder, store } = world()
      yield* within(
        dataDir,
        Effect.gen(function* () {
          yield* life
          yield* backedUp(folder)
          yield* receive("four", "one")
          yield* change(3)
          yield* logged
          yield* backedUp(folder)
        })
      )
      const told = new Told()
      const made = yield* Effect.provideService(restoredTo(folder, file), Progress, told)
      const [last] = told.lines.toReversed()
      const { inbox, rows } = made.tip.logs
      const total = rows.through + inbox.through
      assert.strictEqual(last, `restore: ${total} of ${total} rows and deliveries`)
      assertSame(file, store)
      assert.deepInclude(made, { deliveries: 4 })
      const found = JSON.parse(rowsIn(file, bodies)) as ReadonlyArray<{ body: string; deliveries: number }>
      assert.deepStrictEqual(
        found.map(({ body, deliveries }) => [body, deliveries]),
        [
          ["one", 3],
          ["two", 1],
          ["three", 1],
          ["four", 1]
        ]
      )
      assert.strictEqual(readFileSync(join(dataDir, "key"), "utf8").trim(), made.tip.dataKey)
    })
  )

  it.live("is of use to nobody without its key", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder } = world()
      yield* within(dataDir, Effect.andThen(life, backedUp(folder)))
      for (const path of [...chunksOf(folder), join(folder, "backup.json")]) {
        for (const word of ["one", "ledger_epoch", "webhook_secrets"])
          assert.notInclude(readFileSync(path, "latin1"), word)
      }
      const other = Redacted.make("cd".repeat(32))
      assert.strictEqual(
        yield* failing(restoredTo(folder, file, other)),
        `The backup on ${folder} was made with another key than SITELEDGER_BACKUP_KEY.`
      )
      assert.match(
        yield* failing(within(dataDir, Effect.scoped(Effect.flatMap(vaultAt(folder, other), (vault) => begun(vault))))),
        /was made with another key/
      )
    })
  )

  it.live("ends with whole chunks, whatever call to the vault fails", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder } = world()
      yield* within(
        dataDir,
        Effect.gen(function* () {
          yield* life
          yield* backedUp(folder)
          yield* receive("four")
          yield* change(3)
          yield* logged
          for (let calls = 0; ; calls++) {
            // Each turn is cut off one call later.
            let left = calls
            const vault = yield* vaultAt(folder)
            const failingAfter =
              <A extends ReadonlyArray<never>, B>(call: (...given: A) => B): typeof call =>
              (...given) =>
                left-- > 0 ? call(...given) : (Effect.die("cut off") as B)
            const lake = {
              ...vault.lake,
              put: failingAfter(vault.lake.put as never) as typeof vault.lake.put,
              replaceText: failingAfter(vault.lake.replaceText as never) as typeof vault.lake.replaceText
            }
            const begins = yield* begun({ ...vault, lake })
            const ended = yield* Effect.exit(begins.turn)
            rmSync(file, { force: true })
            yield* restoredTo(folder, file)
            const four = rowsIn(file, "select 1 as found from inbox where cast(body as text) = 'four'")
            assert.strictEqual(four, ended._tag === "Success" ? '[{"found":1}]' : "[]")
            if (ended._tag === "Success") return
          }
        }).pipe(Effect.scoped)
      )
    })
  )

  it.live("is refused to another store, and to a copy of this one once it has gone on", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder } = world()
      const [other, copy] = [temporaryFolder(), temporaryFolder()]
      yield* within(dataDir, Effect.andThen(life, backedUp(folder)))
      assert.match(
        yield* failing(within(other, Effect.andThen(life, backedUp(folder)))),
        /has the backup of another store .*Choose another place/
      )
      yield* restoredTo(folder, file)
      copyFileSync(file, join(copy, "store.sqlite"))
      yield* within(
        copy,
        Effect.gen(function* () {
          yield* receive("five")
          yield* logged
          yield* backedUp(folder, "b")
        })
      )
      assert.match(
        yield* failing(within(dataDir, backedUp(folder))),
        /Another copy of this store, on .*, has gone on with the backup/
      )
      rmSync(file)
      yield* restoredTo(folder, file)
      assert.include(rowsIn(file, bodies), "five")
    })
  )

  it.live("is taken over from a store that runs only by a restore, and that store hears of it", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder } = world()
      const copy = temporaryFolder()
      yield* within(
        dataDir,
        Effect.scoped(
          Effect.gen(function* () {
            yield* life
            const first = yield* begun(yield* vaultAt(folder))
            yield* first.turn
            yield* restoredTo(folder, file)
            copyFileSync(file, join(copy, "store.sqlite"))
            yield* within(
              copy,
              Effect.gen(function* () {
                yield* change(3)
                yield* logged
                yield* backedUp(folder, "b")
              })
            )
            yield* receive("six")
            assert.match(yield* failing(first.turn), /Another copy of this store/)
          })
        )
      )
    })
  )

  it.live("merges small chunks, and removes generations that were replaced a month ago", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder, store } = world()
      const log = new Log()
      yield* within(
        dataDir,
        Effect.scoped(
          Effect.gen(function* () {
            yield* life
            const vault = yield* vaultAt(folder)
            const begins = yield* begun(vault)
            for (let n = 0; n < 70; n++) {
              yield* receive(`body ${n}`)
              yield* begins.turn
            }
            const inbox = () => chunksOf(folder).filter((path) => path.includes("inbox"))
            assert.isAtMost(inbox().length, 8)
            // A kill may leave what was merged.
            const [merged] = inbox()
            const stale = join(dirname(merged!), "000000000000001-000000000000002-99.chunk")
            copyFileSync(merged!, stale)
            yield* prune(vault, begins.lineage.tip!)
            assert.notInclude(inbox(), stale)
            const found = yield* find(vault)
            const old = { generation: "0ld".replace("l", "1"), until: "2020-01-01T00:00:00.000000Z" }
            yield* vault.lake.putText(`${old.generation}/inbox/000000000000001-000000000000002-99.chunk`, "old")
            yield* move(vault, { ...found.tip!, earlier: [old] }, found)
            yield* prune(vault, begins.lineage.tip!)
            assert.isFalse(chunksOf(folder).some((path) => path.includes(old.generation)))
            assert.deepStrictEqual((yield* find(vault)).tip?.earlier, [])
            yield* begins.turn
          })
        )
      ).pipe(Effect.provide(log.layer))
      log.saw("backup.began")
      log.saw("backup.whole")
      log.saw("backup.pruned")
      yield* restoredTo(folder, file)
      assertSame(file, store)
      assert.include(rowsIn(file, "select count(*) as count from inbox"), ":73}")
    })
  )

  it.live("of a newer siteledger is left to that", () =>
    Effect.gen(function* () {
      const { dataDir, file, folder } = world()
      yield* within(dataDir, Effect.andThen(life, backedUp(folder)))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const vault = yield* vaultAt(folder)
          const found = yield* find(vault)
          yield* move(vault, { ...found.tip!, schema: 1000, version: "99.0.0" }, found)
        })
      )
      assert.match(yield* failing(restoredTo(folder, file)), /is of siteledger 99\.0\.0: restore it with that version/)
    })
  )

  it.live("goes on where another process of the same store has stopped", () =>
    Effect.gen(function* () {
      const { dataDir, folder } = world()
      const one = yield* within(dataDir, Effect.andThen(life, backedUp(folder, "a")))
      const two = yield* within(dataDir, Effect.andThen(receive("four"), backedUp(folder, "b")))
      assert.strictEqual(two.generation, one.generation)
      assert.isAbove(two.tip!.logs.inbox.through, one.tip!.logs.inbox.through)
    })
  )
})
