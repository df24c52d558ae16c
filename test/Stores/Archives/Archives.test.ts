/** Old deliveries in archives: everything that reads deliveries reads them as before, and a body is known for ever. */
import { assert, describe, it } from "@effect/vitest"
import { copyFileSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, type Layer, Option } from "effect"
import { archiveNext, layerWith, monthBefore } from "../../../src/Lake/Archiving.ts"
import { Lake } from "../../../src/Lake/Lake.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Projection from "../../../src/Stores/Projection.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { keeping } from "../../Intake/Receiver/Running.ts"
import { framesOf } from "../Segments/Inbox.ts"
import { folder } from "../WarehouseEngines.ts"
import * as World from "./World.ts"

const inWorker = <A, E>(path: string, body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof World.worker>>>) =>
  Effect.scoped(Effect.provide(body, World.worker(path), { local: true }))

const inStores = <A, E>(path: string, body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof World.stores>>>) =>
  Effect.scoped(Effect.provide(body, World.stores(path), { local: true }))

/** A folder in which two months have left, with the rows from before. */
const archived = Effect.gen(function* () {
  const path = yield* folder
  const found = yield* inWorker(
    path,
    Effect.gen(function* () {
      yield* World.offerAll(World.history)
      const rows = yield* World.rows
      const uncopied = yield* World.archiveAll
      yield* World.copyToWarehouse
      return { rows, uncopied, months: yield* World.archiveAll }
    })
  )
  return { path, ...found }
})

const firsts = (path: string): ReadonlyArray<number> =>
  framesOf(join(path, "store.sqlite")).flatMap(({ kind, number }) => (kind === "first" ? [number] : []))

const lostNow = Effect.flatMap(Store, ({ deliveries }) => Effect.map(deliveries.damage, ({ lost }) => lost))

describe("deliveries that are old", () => {
  it.live("leave month by month, but for money, quarantine and what no copy has yet", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { months, path, uncopied } = yield* archived
        assert.deepStrictEqual(uncopied, [])
        assert.deepStrictEqual(months, ["2026-01-000000000000001", "2026-02-000000000000009"])
        assert.deepStrictEqual(firsts(path), [...World.staying, 11, 12])
        assert.deepStrictEqual(
          yield* inStores(
            path,
            Effect.flatMap(Store, ({ deliveries }) => deliveries.archived)
          ),
          10
        )
      })
    )
  )

  it.live("are known when they come again, also after every index was lost, and are counted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { path } = yield* archived
        for (const lost of [undefined, "inbox/known", "archive"]) {
          if (lost !== undefined) rmSync(join(path, lost), { recursive: true })
          if (lost === "archive") rmSync(join(path, "inbox/known"), { recursive: true })
          yield* inWorker(
            path,
            Effect.gen(function* () {
              const { deliveries } = yield* Store
              const again = World.history.slice(0, 8)
              const fresh = yield* Effect.promise(() => deliveries.receive(again))
              assert.strictEqual(fresh, 0, `without ${lost}`)
              ;(yield* Inbox).arrived.openUnsafe()
              yield* World.applied
            })
          )
        }
        const counted = yield* inStores(path, World.counted)
        assert.deepStrictEqual(
          counted.map((line) => Number(line.split(",").at(-1))),
          [4, 8, 4, 4, 4, 4, 4, 1, 1, 1, 1]
        )
      })
    )
  )

  it.live("become the same rows when the warehouse is made again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { path, rows } = yield* archived
        for (const suffix of ["", ".wal"]) rmSync(join(path, `warehouse.duckdb${suffix}`), { force: true })
        const again = yield* inWorker(
          path,
          Effect.gen(function* () {
            yield* Projection.startAgain(yield* Store, (yield* Warehouse).id)
            ;(yield* Inbox).arrived.openUnsafe()
            yield* World.applied
            return yield* World.rows
          })
        )
        assert.deepStrictEqual(again, rows)
      })
    )
  )

  it.live("aren't taken for lost when the inbox's folder is", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { path } = yield* archived
        const before = yield* inStores(path, World.handedOut)
        rmSync(join(path, "inbox"), { recursive: true })
        const { after, lost } = yield* inStores(path, Effect.all({ lost: lostNow, after: World.handedOut }))
        assert.deepStrictEqual(
          lost.map(({ from, through }) => [from, through]),
          [[11, 12]]
        )
        const kept = before.filter((line) => Number(line.split(" ")[0]) <= 10)
        assert.deepStrictEqual(after, kept)
      })
    )
  )

  it.live("are in a backup with all others, and a restored store archives them again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { path } = yield* archived
        const before = yield* inStores(path, World.counted)
        const backup = join(path, "backup.sqlite")
        yield* inStores(
          path,
          Effect.flatMap(Store, (store) => store.backup(backup, false))
        )
        const restored = yield* folder
        mkdirSync(restored, { recursive: true })
        copyFileSync(backup, join(restored, "store.sqlite"))
        const found = yield* inStores(
          restored,
          Effect.gen(function* () {
            const all = yield* World.counted
            const { deliveries } = yield* Store
            return { all, archived: yield* deliveries.archived, months: yield* World.archiveAll }
          })
        )
        assert.deepStrictEqual(found.all, before)
        assert.strictEqual(found.archived, 0)
        assert.strictEqual(found.months.length, 2)
        assert.deepStrictEqual(yield* inStores(restored, World.counted), before)
      })
    )
  )

  it.live("stay while they are younger than a whole month before the age", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { path } = yield* archived
        const none = yield* inStores(
          path,
          Effect.flatMap(World.archiving, (each) => archiveNext(each, "2026-11-19T00:00:00.000000Z"))
        )
        assert.strictEqual(none._tag, "None")
        assert.strictEqual(monthBefore(Date.UTC(2026, 6, 15), Duration.days(31)), "2026-06-01T00:00:00.000000Z")
      })
    )
  )

  it.live("are refused in one sentence by a store that keeps all of them", () =>
    Effect.gen(function* () {
      const layer = layerWith(Option.some(Duration.days(90)))
      const error = yield* Effect.flip(Effect.scoped(Effect.provide(Effect.void, layer)))
      assert.deepInclude(error, { reason: "Unusable" })
      assert.include(error.message, "SITELEDGER_ARCHIVE_AFTER can't be used with PostgreSQL")
    }).pipe(
      Effect.provide(keeping([])),
      Effect.provide(Reasons.layer),
      Effect.provideService(Lake, {} as Lake["Service"]),
      Effect.provideService(Warehouse, {} as Warehouse["Service"])
    )
  )
})
