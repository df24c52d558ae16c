/** The log of rows: a store that is damaged, gone or put back recovers every irreplaceable row. */
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { heal } from "../../../src/Stores/RowLog/Heal.ts"
import { listed, nameOf } from "../../../src/Stores/Segments/Segment.ts"
import { Store, type StoreError } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"
import { change, fact, logged, run } from "./World.ts"
import { Log } from "../../Logged.ts"

const tables = ["webhook_secrets", "ledger_facts", "meta"] as const

const contents = Effect.forEach(tables, (table) =>
  Effect.map(
    run<ReadonlyArray<object>>((db) => db.selectFrom(table).selectAll().execute()),
    (rows) => rows.filter((row) => !["row_log", "inbox"].includes(String((row as { key?: string }).key)))
  )
)

const damages: Record<string, (store: string) => void> = {
  removed: (store) => ["", "-wal", "-shm"].forEach((suffix) => rmSync(store + suffix, { force: true })),
  emptied: (store) => {
    rmSync(`${store}-wal`, { force: true })
    truncateSync(store, 0)
  },
  "overwritten at its beginning": (store) => {
    const bytes = readFileSync(store)
    writeFileSync(store, bytes.fill(7, 0, 100))
  },
  "cut in half": (store) => truncateSync(store, Math.floor(readFileSync(store).length / 2)),
  "zeroed in its last third": (store) => {
    const bytes = readFileSync(store)
    writeFileSync(store, bytes.fill(0, Math.floor((bytes.length * 2) / 3)))
  }
}

const putBack = (store: string, earlier: string): void => {
  for (const suffix of ["-wal", "-shm"]) rmSync(store + suffix, { force: true })
  copyFileSync(earlier, store)
}

describe("a store with a log of its rows", () => {
  for (const [what, damage] of Object.entries(damages)) {
    it.live(`has them again after its file was ${what}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* folder
          yield* logged(path, change(1))
          yield* logged(path, change(11))
          const before = yield* logged(path, contents)
          assert.lengthOf(before[0]!, 2)
          damage(join(path, "store.sqlite"))
          const log = new Log()
          assert.deepStrictEqual(yield* Effect.provide(logged(path, contents), log.layer), before)
          const isGone = what === "removed" || what === "emptied"
          const said = isGone ? log.saw("store.remade") : log.saw("store.replaced")
          assert.deepInclude(said, { path: join(path, "store.sqlite") })
          assert.isAbove(Number(said["rows"]), 4)
          if (!isGone) assert.isTrue(existsSync(String(said["kept"])))
          yield* logged(path, change(21))
          const after = yield* logged(path, contents)
          damage(join(path, "store.sqlite"))
          assert.deepStrictEqual(yield* logged(path, contents), after)
        })
      )
    )
  }

  it.live("has them again after its file was put back to an earlier state", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        copyFileSync(store, join(path, "earlier"))
        yield* logged(path, change(11))
        const before = yield* logged(path, contents)
        putBack(store, join(path, "earlier"))
        const log = new Log()
        assert.deepStrictEqual(yield* Effect.provide(logged(path, contents), log.layer), before)
        assert.isAbove(Number(log.saw("store.restored")["rows"]), 0)
      })
    )
  )

  it.live("has them again after damage was met while it was in use", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const facts = Array.from({ length: 3000 }, (_, n) => ({
          ...fact(n + 1),
          content: JSON.stringify("x".repeat(2000))
        }))
        const insert = Effect.flatMap(Store, (store) =>
          store.transaction(async (tx) => {
            for (let at = 0; at < facts.length; at += 500) {
              await tx
                .insertInto("ledger_facts")
                .values(facts.slice(at, at + 500))
                .execute()
            }
          })
        )
        const count = run<ReadonlyArray<unknown>>((db) => db.selectFrom("ledger_facts").select("content").execute())
        yield* logged(path, insert)
        const error = yield* logged(
          path,
          Effect.andThen(
            Effect.sync(() => {
              const bytes = readFileSync(join(path, "store.sqlite"))
              writeFileSync(join(path, "store.sqlite"), bytes.fill(0, bytes.length / 2))
            }),
            Effect.flip(count)
          )
        )
        assert.strictEqual((error as StoreError).reason, "Fatal")
        assert.lengthOf(yield* logged(path, count), 3000)
        assert.isFalse(existsSync(join(path, "store.sqlite.suspect")))
      })
    )
  )

  it.live("logs all of them again if a part of the log is lost", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* logged(path, change(1))
        yield* logged(path, change(11))
        const before = yield* logged(path, contents)
        const rows = join(path, "rows")
        for (const kept of [rows, join(rows, "beside")]) {
          for (const first of listed(kept)) {
            const bytes = readFileSync(join(kept, nameOf(first)))
            writeFileSync(join(kept, nameOf(first)), bytes.fill(0, 200, 600))
          }
        }
        const log = new Log()
        yield* Effect.provide(logged(path, Effect.void), log.layer)
        assert.isAbove(Number(log.saw("rows.repaired")["files"]), 0)
        damages["removed"]!(join(path, "store.sqlite"))
        assert.deepStrictEqual(yield* logged(path, contents), before)
      })
    )
  )

  it.live("lacks nothing, and says so, if it died after they were logged and before it noted that", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        yield* Effect.scoped(Effect.provide(change(11), Sqlite.layerAt(store), { local: true }))
        copyFileSync(store, join(path, "changed"))
        yield* logged(path, Effect.void)
        putBack(store, join(path, "changed"))
        const database = new DatabaseSync(store)
        const key = () => Buffer.from(readFileSync(join(path, "key"), "latin1").trim(), "hex")
        try {
          assert.deepStrictEqual(heal({ store, database, key, isNew: false }), { rows: 0, files: 0 })
        } finally {
          database.close()
        }
      })
    )
  )

  it.live("logs all of them again if the log is gone, and begins a new one for a backup", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* logged(path, change(1))
        const backup = join(path, "backup.sqlite")
        yield* logged(
          path,
          Effect.flatMap(Store, (each) => each.backup(backup, false))
        )
        const before = yield* logged(path, contents)
        rmSync(join(path, "rows"), { recursive: true })
        yield* logged(path, Effect.void)
        damages["removed"]!(store)
        assert.deepStrictEqual(yield* logged(path, contents), before)
        // What came after the backup is not mixed into it.
        yield* logged(path, change(11))
        damages["removed"]!(store)
        copyFileSync(backup, store)
        const restored = (yield* logged(path, contents)).map((rows) => rows.length)
        assert.deepStrictEqual(restored.slice(0, 2), [1, 2])
        assert.isTrue(existsSync(join(path, "rows.replaced")))
      })
    )
  )
})
