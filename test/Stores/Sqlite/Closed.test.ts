/** A store's file is read whole before it is used, unless it is as this program closed it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FileIdentity from "../../../src/Stores/FileIdentity.ts"
import { Log } from "../../Logged.ts"
import { change, logged, run } from "../RowLog/World.ts"
import { folder } from "../WarehouseEngines.ts"

const fileIn = (path: string): string => join(path, "store.sqlite")
const noteIn = (path: string): string => `${fileIn(path)}.closed`

/** A page that no start reads for itself. */
const damage = (path: string): void => {
  const database = new DatabaseSync(fileIn(path))
  const [page, bytes] = ["select rootpage from sqlite_schema where name = 'quarantine'", "pragma page_size"].map(
    (query) => Number(Object.values(database.prepare(query).get() ?? {})[0])
  ) as [number, number]
  database.close()
  writeFileSync(fileIn(path), readFileSync(fileIn(path)).fill(0, (page - 1) * bytes, page * bytes))
}

/** As if it had been closed like that. */
const noteAsItIs = (path: string): void => writeFileSync(noteIn(path), FileIdentity.of(fileIn(path))!)

/** Whether the next start meets the damage, and makes the store again. */
const isMadeAgain = (path: string) =>
  Effect.gen(function* () {
    const log = new Log()
    yield* Effect.provide(logged(path, Effect.void), log.layer)
    return log.events.includes("store.replaced")
  })

const test = (fact: string, body: (path: string) => Effect.Effect<void, unknown>) =>
  it.live(fact, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* logged(path, change(1))
        yield* body(path)
      })
    )
  )

describe("a store's file", () => {
  test("is read whole after something else wrote to it", (path) =>
    Effect.gen(function* () {
      damage(path)
      assert.isTrue(yield* isMadeAgain(path))
      assert.isFalse(yield* isMadeAgain(path))
    }))

  test("isn't read whole where nothing did", (path) =>
    Effect.gen(function* () {
      damage(path)
      noteAsItIs(path)
      assert.isFalse(yield* isMadeAgain(path))
    }))

  test("is read whole after a kill, which leaves a log", (path) =>
    Effect.gen(function* () {
      damage(path)
      noteAsItIs(path)
      writeFileSync(`${fileIn(path)}-wal`, "")
      assert.isTrue(yield* isMadeAgain(path))
    }))

  for (const [what, note] of [
    ["is gone", ""],
    ["is about another file", "1 2 3"]
  ] as const) {
    test(`is read whole where the note about it ${what}`, (path) =>
      Effect.gen(function* () {
        damage(path)
        writeFileSync(noteIn(path), note)
        assert.isTrue(yield* isMadeAgain(path))
      }))
  }

  test("is read whole after damage was met, though nothing wrote to it since", (path) =>
    Effect.gen(function* () {
      const read = run<ReadonlyArray<unknown>>((db) => db.selectFrom("ledger_facts").selectAll().execute())
      const met = Effect.andThen(
        Effect.sync(() => writeFileSync(fileIn(path), readFileSync(fileIn(path)).fill(0, 1024))),
        Effect.exit(read)
      )
      assert.strictEqual((yield* logged(path, met))._tag, "Failure")
      assert.isFalse(existsSync(noteIn(path)) && readFileSync(noteIn(path), "utf8") === FileIdentity.of(fileIn(path)))
      assert.isTrue(yield* isMadeAgain(path))
    }))

  test("is noted again after each start that changed it, and for its owner only", (path) =>
    Effect.gen(function* () {
      const before = readFileSync(noteIn(path), "utf8")
      yield* logged(path, change(11))
      assert.notStrictEqual(readFileSync(noteIn(path), "utf8"), before)
      assert.strictEqual(readFileSync(noteIn(path), "utf8"), FileIdentity.of(fileIn(path)))
    }))
})
