/**
 * The copy for analysts: made whole or from the file before it, it equals the warehouse at one point in time, and no
 * reader sees a file that is being changed.
 */
import {
  appendFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { attempt } from "../../../src/Stores/DuckDb/Failure.ts"
import { copying } from "../../../src/Stores/DuckDb/File.ts"
import { withConnection } from "../../../src/Stores/DuckDb/ReadAll.ts"
import { rounds } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { certified } from "../Written.ts"
import { killAll, start } from "./OtherProcess.ts"
import { batch, batchOf, takingTurns, withWorld } from "./PublicationWorld.ts"
import { vacuum } from "./Vacuum.ts"

afterAll(killAll)

describe("copies for analysts", () => {
  it.each(Array.from({ length: rounds(1, 20) }, (_, n) => n + 1))(
    "hold what the warehouse holds, whatever was written between them, seed %d",
    (seed) =>
      withWorld(async ({ instance, published, write }) => {
        const random = seeded(seed)
        const shown: Array<number> = []
        for (let number = 1; number <= 30; number++) {
          await write(batchOf(random, number))
          if (random.chance(0.1)) await withConnection(instance, vacuum)
          if (random.chance(0.5)) shown.push(await published())
        }
        assert.strictEqual(new Set(shown).size, 2, "two files take turns")
      })
  )

  it.each([
    ["in one part", { copies: 8, isWhole: false }, {}],
    ["in many parts", { copies: 4, isWhole: true }, { columnsAtOnce: 1 }]
  ])("are as of one point in time, while others write, copied %s", { timeout: 60_000 }, (_how, made, wanted) =>
    withWorld(async ({ publish, target, write }) => {
      await write(batch(1))
      let number = 1
      const isOver = new AbortController()
      const writing = (async () => {
        while (!isOver.signal.aborted) {
          number++
          await write({ ...batch(number), changes: [certified("I1", number, `${number}.0000`)] })
        }
      })()
      for (let copies = 0; copies < made.copies; copies++) {
        await publish(made.isWhole)
        const instance = await DuckDBInstance.create(target, { access_mode: "READ_ONLY" })
        const connection = await instance.connect()
        const [row] = (
          await connection.runAndReadAll(`
            select (select value from siteledger.meta where key = 'applied_through') as through,
              (select max(sequence) from construction.events) as last,
              (select count(*) from construction.events) as events,
              (select cast(cast(certified_amount as bigint) as varchar) from construction.ipcs where id = 'I1') as amount`)
        ).getRowsJson()
        connection.disconnectSync()
        instance.closeSync()
        const through = String(row?.[0])
        assert.deepStrictEqual(row, [through, through, through, through])
      }
      isOver.abort()
      await writing
    }, wanted)
  )

  it("lack nothing that was being written when they were made", () =>
    withWorld(async (world) => {
      await takingTurns(world)
      for (let number = 4; number < 8; number++) {
        const release = world.holdCommits()
        const writing = world.write(batch(number))
        const publishing = world.publish(number === 4)
        await pause(50)
        release()
        await Promise.all([writing, publishing])
        await world.published()
      }
    }))

  it("leave a file alone that a reader has open", () =>
    withWorld(async (world) => {
      await world.write(batch(1))
      const held = await world.published()
      const count = "select count(*)::integer from construction.events"
      const reader = await start(world.target, [count, "hold"], true)
      assert.deepStrictEqual(reader.outcome, { results: [[[1]]] })
      await world.write(batch(2))
      const shown = await world.published()
      const before = readFileSync(`${world.target}.previous`)
      assert.strictEqual(statSync(`${world.target}.previous`).ino, held)
      linkSync(`${world.target}.previous`, `${world.target}.held`)
      await world.write(batch(3))
      const made = await world.published()
      assert.notInclude([held, shown], made)
      assert.isFalse(world.isWhole(), "of the shown one's bytes")
      assert.isTrue(readFileSync(`${world.target}.held`).equals(before))
      await reader.kill()
      await world.write(batch(4))
      assert.strictEqual(await world.published(), shown)
    }))

  it.each([
    ["is cut", (path: string) => truncateSync(path, 8192)],
    ["is rubbish", (path: string) => writeFileSync(path, "rubbish".repeat(10_000))],
    ["was replaced", (path: string) => (renameSync(path, `${path}.old`), writeFileSync(path, ""))],
    ["was written by somebody", (path: string) => appendFileSync(path, " ")],
    ["is gone", (path: string) => renameSync(path, `${path}.old`)]
  ])("are made from the shown one's bytes if the file before %s", (_how, harm) =>
    withWorld(async (world) => {
      const { hidden, shown } = await takingTurns(world)
      harm(`${world.target}.previous`)
      const made = await world.published()
      assert.notInclude([hidden, shown], made)
      assert.isFalse(world.isWhole())
      assert.notStrictEqual(await world.published(), made)
    })
  )

  it("are made whole where somebody put another file in their place", () =>
    withWorld(async (world) => {
      const { hidden } = await takingTurns(world)
      renameSync(world.target, `${world.target}.theirs`)
      writeFileSync(world.target, "theirs")
      assert.notStrictEqual(await world.published(), hidden)
      assert.isTrue(world.isWhole())
    }))

  it("are made whole where somebody removed one, or an earlier process left one", () =>
    withWorld(async (world) => {
      writeFileSync(`${world.target}.previous`, "old")
      await world.write(batch(1))
      await world.published()
      assert.isFalse(existsSync(`${world.target}.previous`))
      assert.isTrue(world.isWhole(), "the first of a start")
      renameSync(world.target, `${world.target}.old`)
      await world.published()
      assert.isFalse(existsSync(`${world.target}.previous`))
      assert.isTrue(world.isWhole())
    }))

  it("are made whole after many rows were replaced", () =>
    withWorld(
      async (world) => {
        const { hidden } = await takingTurns(world)
        assert.isFalse(world.isWhole())
        assert.strictEqual(await world.published(), hidden)
        assert.notStrictEqual(await world.published(), hidden)
        assert.isTrue(world.isWhole())
      },
      { replaced: 5 }
    ))

  it("leave a file alone that somebody may still be copying, byte by byte", () =>
    withWorld(
      async (world) => {
        const { hidden } = await takingTurns(world)
        assert.notStrictEqual(await world.published(), hidden)
        assert.isFalse(world.isWhole())
      },
      { leftAlone: 60_000 }
    ))

  it("are made whole on request, and of a small warehouse", async () => {
    await withWorld(async (world) => {
      const { hidden } = await takingTurns(world)
      await world.publish(true)
      assert.notStrictEqual(statSync(world.target).ino, hidden)
      assert.isTrue(world.isWhole())
    })
    await withWorld(
      async (world) => {
        await takingTurns(world)
        assert.isFalse(existsSync(`${world.target}.previous`))
        assert.isTrue(world.isWhole())
      },
      { large: 1e9 }
    )
  })

  it("that the disk has no room for are no damage to the warehouse, which would be opened again", () =>
    withWorld(async ({ instance, target }) => {
      // As DuckDB says it.
      const said =
        "IO Error: Detached database 'copied', but CHECKPOINT during DETACH failed. \n" +
        'Checkpoint failed for database "copied". The database has been invalidated. ' +
        'Original error: Could not write file "copy": No space left on device'
      const connect = async () => {
        const connection = await instance.connect()
        const run = connection.run.bind(connection)
        connection.run = async (...call) => {
          const result = await run(...call)
          if (call[0].startsWith("detach")) throw new Error(said)
          return result
        }
        return connection
      }
      const copied = attempt(() => copying({ connect } as DuckDBInstance, target, async () => undefined))
      const { message, reason } = await Effect.runPromise(Effect.flip(copied))
      assert.strictEqual(reason, "Failed")
      assert.match(message, /can't be finished: Could not write file "copy": No space left on device$/)
    }))
})
