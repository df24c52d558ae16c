/** A store whose log of rows can't be read or written goes on without it, and says so in the log. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as RowLog from "../../../src/Stores/RowLog/RowLog.ts"
import { Log } from "../../Logged.ts"
import { folder } from "../WarehouseEngines.ts"
import { change, logged } from "./World.ts"

it.effect("a store says that it can't be compared with its log, or that can't be written, and goes on", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const path = yield* folder
      const store = join(path, "store.sqlite")
      yield* logged(path, change(1))
      const keyIn = () => Buffer.from(readFileSync(join(path, "key"), "latin1").trim(), "hex")
      const kept = Effect.fnUntraced(function* (key: () => Buffer) {
        const database = new DatabaseSync(store)
        const exclusively = async <A>(use: () => A) => use()
        yield* RowLog.keep({ store, database, key, exclusively }, { isNew: false, replaces: undefined })
        return database
      })
      const log = new Log()
      const full = kept(() => {
        throw Object.assign(new Error("no space"), { code: "ENOSPC" })
      })
      ;(yield* Effect.provide(Effect.scoped(full), log.layer)).close()
      assert.match(String(log.saw("rows.unread")["why"]), /no space/)
      const database = yield* Effect.provide(kept(keyIn), log.layer)
      database.close()
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      assert.match(String(log.saw("rows.unwritten")["why"]), /not open/)
    })
  )
)
