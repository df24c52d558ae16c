/** Who writes the log of rows: one writer at a time, however it is called and interrupted. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Follow } from "../../../src/Stores/RowLog/Follow.ts"
import { markOf } from "../../../src/Stores/RowLog/Heal.ts"
import { framesIn, listed, nameOf } from "../../../src/Stores/Segments/Segment.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"
import { change, logged } from "./World.ts"

/** Open until the scope ends. */
const storeIn = Effect.fnUntraced(function* (path: string) {
  const database = new DatabaseSync(join(path, "store.sqlite"))
  yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
  return { database, key: Buffer.from(readFileSync(join(path, "key"), "latin1").trim(), "hex") }
})

/** Destroys the same part of each file of the log and of its copy. */
const damage = (path: string): void => {
  for (const kept of [join(path, "rows"), join(path, "rows/beside")]) {
    for (const first of listed(kept)) {
      writeFileSync(join(kept, nameOf(first)), readFileSync(join(kept, nameOf(first))).fill(0, 200, 1000))
    }
  }
}

/** The keys of the facts that the log has. */
const factsIn = (path: string): Array<string> =>
  listed(join(path, "rows"))
    .flatMap((first) => [...framesIn(readFileSync(join(path, "rows", nameOf(first))))])
    .flatMap((frame) => (frame.kind === "row" && frame.table === "ledger_facts" ? [frame.key] : []))

const assertHasAll = (path: string, database: DatabaseSync): void => {
  assert.includeMembers(factsIn(path), ["[1]", "[2]"])
  const mark = markOf(database)
  assert.strictEqual(mark?.whole, mark?.through)
}

describe("the log of rows", () => {
  it.live("has one writer, although its end comes while it is opened", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* Effect.scoped(Effect.provide(Effect.void, Sqlite.layerAt(store, { isLogged: true })))
        const database = new DatabaseSync(store)
        yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
        const change = database.prepare("insert or replace into meta (key, value) values ('ledger_epoch', ?)")
        const numbers = () =>
          listed(join(path, "rows")).flatMap((first) =>
            [...framesIn(readFileSync(join(path, "rows", nameOf(first))))].map(({ number }) => number)
          )
        const before = numbers().length
        const follow = new Follow({
          store,
          database,
          key: () => Buffer.alloc(32, 7),
          exclusively: async (use) => use()
        })
        change.run("1")
        const interrupted = follow.once()
        yield* Effect.promise(() => Promise.resolve())
        change.run("2")
        const last = follow.once()
        const closed = follow.close()
        yield* Effect.promise(() => Promise.all([interrupted, last, closed]))
        const after = numbers()
        assert.deepStrictEqual(
          after,
          after.map((_, place) => place + 1)
        )
        assert.isAbove(after.length, before)
        // Else each start would read the whole log for it.
        assert.isFalse(existsSync(join(path, "rows/known")), "an index of bodies")
      })
    )
  )

  it.live("has all rows again, although a part of it is found lost only when the next one is written", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        damage(path)
        const { database, key } = yield* storeIn(path)
        const follow = new Follow({ store, database, key: () => key, exclusively: async (use) => use() })
        database.exec("update meta set value = '2' where key = 'ledger_epoch'")
        yield* Effect.promise(() => follow.once())
        yield* Effect.promise(() => follow.close())
        assertHasAll(path, database)
      })
    )
  )

  it.live("has all rows again, although the store couldn't be told at once that some were lost", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        damage(path)
        const { database, key } = yield* storeIn(path)
        let calls = 0
        // The first call reads what has changed; the second one says that all rows are logged again.
        const exclusively = async (use: () => void) => {
          if (++calls === 2) throw new Error("busy")
          use()
        }
        const follow = new Follow({ store, database, key: () => key, exclusively })
        database.exec("update meta set value = '2' where key = 'ledger_epoch'")
        const failed = yield* Effect.promise(() => follow.once().catch(String))
        assert.strictEqual(failed, "Error: busy")
        yield* Effect.promise(() => follow.once())
        yield* Effect.promise(() => follow.close())
        assertHasAll(path, database)
      })
    )
  )

  it.live("is all that the store is again and again, although rows change all the time", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        const { database, key } = yield* storeIn(path)
        const changes = database.prepare("update meta set value = value + 1 where key = 'ledger_epoch'")
        let count = 0
        const exclusively = async (use: () => void) => {
          use()
          changes.run()
          if (++count > 100) throw new Error("it never is")
        }
        const follow = new Follow({ store, database, key: () => key, exclusively })
        const before = markOf(database)
        for (const _ of [1, 2]) {
          yield* Effect.promise(() => follow.once())
          const mark = markOf(database)
          assert.strictEqual(mark?.whole, mark?.through)
        }
        yield* Effect.promise(() => follow.close())
        assert.isAbove(markOf(database)?.whole ?? 0, before?.whole ?? 0)
      })
    )
  )
})
