/**
 * The knowledge about copies for analysts survives a stop: the first copy after the next start is made from the one
 * before, and equals the warehouse. Without certain knowledge, the copy is made whole.
 */
import { randomBytes } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { queryFile } from "../../../src/Stores/DuckDb/ReadAll.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { type Batch, Warehouse } from "../../../src/Stores/Warehouse.ts"
import { rounds } from "../../Long.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { seeded } from "../../Seeded.ts"
import { folder } from "../WarehouseEngines.ts"
import { eventRow } from "../Written.ts"
import { batch, batchOf, inFolder, takingTurns, withLinesIn } from "./PublicationWorld.ts"

const withFolder = async (use: (path: string) => Promise<void>): Promise<void> => {
  const path = temporaryFolder()
  try {
    await use(path)
  } finally {
    removeFolder(path)
  }
}

const layerIn = (path: string) =>
  DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provide(Sqlite.layerAt(`${path}/store.sqlite`)))

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n + 1)

/** Keys: more than are kept apart. */
const tooMany = numbers(200_001).map((n) => `X${n}`)

const noteIn = (path: string): string => `${path}/analytics.duckdb.known`

/** Both files are there, and a row that neither has. */
const stoppedIn = (path: string) =>
  inFolder(path, async (world) => {
    await takingTurns(world)
    assert.isFalse(world.isWhole())
  })

/** Whether the first copy of the next start is. It holds what the warehouse holds. */
const isNextWhole = async (path: string, wanted = {}): Promise<boolean> => {
  let isWhole = true
  await inFolder(
    path,
    async (world) => {
      await world.published()
      isWhole = world.isWhole()
      await world.write(batch(9))
      await world.published()
      assert.isFalse(world.isWhole())
    },
    wanted
  )
  return isWhole
}

describe("the first copy for analysts of a start", () => {
  it.each(Array.from({ length: rounds(1, 40) }, (_, n) => n + 1))(
    "holds what the warehouse holds, whatever was written before a stop and after it, seed %d",
    (seed) =>
      withFolder(async (path) => {
        const random = seeded(seed)
        const shown: Array<number> = []
        for (let start = 0; start < 6; start++) {
          await inFolder(path, async (world) => {
            for (let number = start * 6 + 1; number <= start * 6 + 6; number++) {
              await world.write(batchOf(random, number))
              if (number % 6 !== 3 && random.chance(0.5)) continue
              shown.push(await world.published())
              assert.strictEqual(world.isWhole(), shown.length === 1)
            }
          })
        }
        assert.strictEqual(new Set(shown).size, 2, "two files take turns")
      })
  )

  it("is made from the one before, and only its owner can read what is known of it", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      assert.strictEqual(statSync(noteIn(path)).mode & 0o777, 0o600)
      assert.isFalse(await isNextWhole(path))
    }))

  it("is made of the shown file if the hidden one is gone", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      rmSync(`${path}/analytics.duckdb.previous`)
      assert.isFalse(await isNextWhole(path))
    }))

  it.each([
    ["isn't made of a file that somebody may still be copying, byte by byte", 0, false],
    ["is made of a file that was hidden for long enough, most of that time without a process", 60_000, true]
  ])("%s", (_how, elapsed, isHidden) =>
    withFolder(async (path) => {
      await stoppedIn(path)
      const hidden = statSync(`${path}/analytics.duckdb.previous`).ino
      const note = JSON.parse(readFileSync(noteIn(path), "utf8")) as { known: { hidden: { at: number } } }
      note.known.hidden.at -= elapsed
      writeFileSync(noteIn(path), JSON.stringify(note))
      await inFolder(
        path,
        async (world) => {
          assert.strictEqual((await world.published()) === hidden, isHidden)
          assert.isFalse(world.isWhole())
        },
        { leftAlone: 60_000 }
      )
    })
  )

  it.each<[string, (path: string) => unknown]>([
    ["nothing was noted", (path) => rmSync(noteIn(path))],
    ["the note is cut", (path) => writeFileSync(noteIn(path), readFileSync(noteIn(path)).subarray(0, 100))],
    ["the note is rubbish", (path) => writeFileSync(noteIn(path), '{"source":1}')],
    [
      "the warehouse's file is another",
      (path) => {
        cpSync(`${path}/warehouse.duckdb`, `${path}/copy`)
        renameSync(`${path}/copy`, `${path}/warehouse.duckdb`)
      }
    ],
    ["somebody wrote to the shown file", (path) => writeFileSync(`${path}/analytics.duckdb`, "theirs")],
    ["the shown file is gone", (path) => rmSync(`${path}/analytics.duckdb`)]
  ])("is made whole if %s", (_how, harm) =>
    withFolder(async (path) => {
      await stoppedIn(path)
      harm(path)
      assert.isTrue(await isNextWhole(path))
    })
  )

  it("is made whole if the log of the warehouse has more than its file", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      await withFolder(async (other) => {
        cpSync(path, other, { recursive: true })
        await inFolder(other, async (world) => {
          await world.write(batch(7))
          cpSync(`${other}/warehouse.duckdb.wal`, `${path}/warehouse.duckdb.wal`)
        })
      })
      assert.isTrue(await isNextWhole(path))
    }))

  it("is made whole after many rows were replaced, most of them before the stop", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      await inFolder(
        path,
        async (world) => {
          await world.published()
          assert.isFalse(world.isWhole())
          await world.published()
          assert.isTrue(world.isWhole())
        },
        { replaced: 5 }
      )
    }))

  it("is made whole where nothing can be noted, and neither copies nor the stop fail", () =>
    withFolder(async (path) => {
      mkdirSync(`${noteIn(path)}/taken`, { recursive: true })
      await stoppedIn(path)
      assert.isTrue(await isNextWhole(path))
    }))

  it("is made whole if tables have other columns by now", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      assert.isTrue(await isNextWhole(path, { tables: withLinesIn(["later"]) }))
    }))

  it("is made whole after so many changes that they weren't kept apart", () =>
    withFolder(async (path) => {
      await inFolder(path, async (world) => {
        await takingTurns(world)
        world.wrote("ipcs", tooMany)
      })
      assert.isFalse(existsSync(noteIn(path)))
      assert.isTrue(await isNextWhole(path))
    }))

  it("is made whole if so much was written before it that it wasn't kept apart", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      await inFolder(path, async (world) => {
        await world.write(batch(7))
        world.wrote("ipcs", tooMany)
        await world.published()
        assert.isTrue(world.isWhole())
      })
    }))

  it("is made whole after a start that made none, as after a kill: what is noted is older than the warehouse", () =>
    withFolder(async (path) => {
      await stoppedIn(path)
      const note = readFileSync(noteIn(path), "utf8")
      await inFolder(path, async ({ write }) => void (await write(batch(7))))
      assert.strictEqual(readFileSync(noteIn(path), "utf8"), note)
      assert.isTrue(await isNextWhole(path))
    }))

  // Smaller ones are always made whole.
  const target = (path: string): string => `${path}/analytics.duckdb`
  const text = (): string => randomBytes(100_000).toString("base64")
  const large = (): ReadonlyArray<Batch> =>
    numbers(25).map((part) => ({ changes: [], events: numbers(10).map((n) => eventRow(part * 10 + n, text())) }))
  const published = (path: string, batches: ReadonlyArray<Batch>) =>
    Effect.gen(function* () {
      const { publish, write } = yield* Warehouse
      yield* Effect.forEach(batches, write)
      return yield* publish(target(path))
    }).pipe(Effect.provide(layerIn(path), { local: true }), Effect.scoped)
  const ipcsIn = (path: string) =>
    Effect.promise(() => queryFile(target(path), (db) => db.selectFrom("construction.ipcs").select("id").execute()))

  it.effect("is made from the one before in a warehouse that was closed and opened, and large", () =>
    Effect.gen(function* () {
      const path = yield* folder
      assert.isTrue((yield* published(path, large())).isWhole)
      assert.isFalse((yield* published(path, [batch(300)])).isWhole)
      assert.deepStrictEqual(yield* ipcsIn(path), [{ id: "I300" }])
    })
  )

  it.effect.each<[string, (path: string) => void]>([
    ["its store is another", (path) => rmSync(`${path}/store.sqlite`)],
    ["it was found damaged", (path) => writeFileSync(`${path}/warehouse.duckdb.suspect`, "")]
  ])("has no row of a warehouse that was set aside at that start, because %s", ([_why, harm]) =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* published(path, [...large(), batch(300)])
      harm(path)
      assert.isTrue((yield* published(path, [batch(301)])).isWhole)
      assert.deepStrictEqual(yield* ipcsIn(path), [{ id: "I301" }])
    })
  )
})
