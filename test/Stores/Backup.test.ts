/** A backup of the SQLite Store is one point in time, made while it is written to: a complete file, or none. */
import { linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Progress } from "../../src/Runtime/Progress.ts"
import { Store, writeMeta } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { isCopy } from "../../src/Stores/Sqlite/Copy.ts"
import { Told } from "../Told.ts"
import { delivery } from "./Postgres/World.ts"
import { folder } from "./WarehouseEngines.ts"

const inFolder = <E>(body: (folder: string) => Effect.Effect<void, E, Store>) =>
  Effect.scoped(
    Effect.flatMap(folder, (path) => Effect.provide(body(path), Sqlite.layerAt(join(path, "store.sqlite"))))
  )

const valueOf = (path: string, sql: string): unknown => {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare(sql).get()
  database.close()
  return Object.values(row ?? {})[0]
}

it.live("contains nothing of an open transaction, and doesn't wait for it", () =>
  inFolder((path) =>
    Effect.gen(function* () {
      const store = yield* Store
      const copy = join(path, "backup.sqlite")
      // As the worker does at its start.
      yield* store.deliveries.last
      yield* store.transaction((tx) => writeMeta(tx, "kept", "1"))
      yield* store.transaction(async (tx) => {
        await writeMeta(tx, "open", "1")
        await Effect.runPromise(store.backup(copy, false))
      })
      assert.strictEqual(valueOf(copy, "select group_concat(key) from meta where key in ('kept', 'open')"), "kept")
    })
  )
)

it.live("holds everything acknowledged before it, while deliveries keep arriving", () =>
  inFolder((path) =>
    Effect.gen(function* () {
      const store = yield* Store
      let acknowledged = 0
      const one = Effect.promise(() => store.deliveries.receive([delivery(`${"x".repeat(3000)}${acknowledged}`)]))
      const coming = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.suspend(() => one),
            Effect.sync(() => acknowledged++)
          )
        )
      )
      for (let number = 0; number < 20; number++) {
        const before = acknowledged
        const copy = join(path, `backup${number}.sqlite`)
        yield* store.backup(copy, false)
        assert.strictEqual(valueOf(copy, "pragma integrity_check"), "ok")
        assert.isAtLeast(Number(valueOf(copy, "select count(*) from inbox")), before)
      }
      assert.isAbove(acknowledged, 0)
      yield* Fiber.interrupt(coming)
    })
  )
)

it.live("is one file, readable by its owner only, and replaces another only when asked to", () =>
  inFolder((path) =>
    Effect.gen(function* () {
      const store = yield* Store
      const copy = join(path, "backup.sqlite")
      writeFileSync(copy, "not ours", { mode: 0o644 })
      const { message } = yield* Effect.flip(store.backup(copy, false))
      assert.strictEqual(message, `${copy} already exists and was not changed.`)
      assert.strictEqual(readFileSync(copy, "utf8"), "not ours")
      const before = new Set(readdirSync(path))
      yield* store.backup(copy, true)
      assert.strictEqual(statSync(copy).mode & 0o777, 0o600)
      assert.strictEqual(valueOf(copy, "pragma journal_mode"), "delete", "it can be opened read-only")
      assert.deepStrictEqual(new Set(readdirSync(path)), before)
      assert.isTrue(isCopy(copy))
      assert.isFalse(isCopy(join(path, "store.sqlite")))
    })
  )
)

it.live("is never written over the store itself, under any name", () =>
  inFolder((path) =>
    Effect.gen(function* () {
      const store = yield* Store
      const own = join(path, "store.sqlite")
      const [linked, pointing] = [join(path, "linked"), join(path, "pointing")]
      linkSync(own, linked)
      symlinkSync(own, pointing)
      for (const target of [own, linked, pointing, `${own}-wal`]) {
        const { message } = yield* Effect.flip(store.backup(target, true))
        assert.include(message, "is the store itself")
      }
      yield* store.transaction((tx) => writeMeta(tx, "goes", "on"))
      assert.strictEqual(valueOf(own, "select value from meta where key = 'goes'"), "on")
      assert.strictEqual(valueOf(own, "pragma integrity_check"), "ok")
    })
  )
)

it.live("says how much of it is done", () => {
  const told = new Told()
  return inFolder((path) =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* Effect.promise(() => store.deliveries.receive(["a", "b", "c"].map((body) => delivery(body))))
      // More than SQLite copies at once.
      yield* store.transaction((tx) => writeMeta(tx, "large", "x".repeat(2_000_000)))
      yield* store.backup(join(path, "backup.sqlite"), false)
      assert.isAbove(told.lines.length, 3)
      const [first, last] = [told.lines.at(0), told.lines.at(-1)].map((line) => /: (\d+) of (\d+) /.exec(line ?? ""))
      assert.isBelow(Number(first?.[1]), Number(first?.[2]))
      assert.strictEqual(last?.[1], last?.[2], told.lines.join())
      assert.deepStrictEqual(told.all, [])
    })
  ).pipe(Effect.provideService(Progress, told))
})
