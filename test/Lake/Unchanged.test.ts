/**
 * An export writes and uploads only what changed: every other file is one of the previous export's, with all its
 * content.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { sql } from "kysely"
import { TestClock } from "effect/testing"
import { Export } from "../../src/Lake/Export.ts"
import { LakeError } from "../../src/Lake/Lake.ts"
import { files as filesOf } from "../../src/Lake/Manifest.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { entry } from "./ReadingWorld.ts"
import { assertTidy, inWorld, ipc, on, readExport, run, type World, write } from "./ExportWorld.ts"

const dates = ["2026-11-17", "2026-11-18", "2026-11-19"]

const next = Effect.andThen(TestClock.adjust("1 day"), run)

/** What an export has put on the lake, beside its manifest. */
const putBy = <E, R>(world: World, exported: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const put: Array<string> = []
    let asked = 0
    world.watch = (operation, path, when) => {
      if (when === "after") return undefined
      asked++
      if (operation === "put") put.push(path.replace(/[^/]*-(\d+\.parquet|journal\.csv)$/, "$1"))
      return undefined
    }
    yield* exported
    world.watch = () => undefined
    return { asked, put: put.toSorted() }
  })

const intact = Effect.map(
  Verify.verify(Option.none(), () => Effect.void),
  Verify.faultsOf
)

describe("an export after which nothing has changed", () => {
  it.effect("puts no file on the lake, and names those that are there", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on), [ipc("A", "1.0000")])
        yield* run
        const before = readExport(world)
        const { asked, put } = yield* putBy(world, next)
        assert.deepStrictEqual(put, [])
        // However many dates there are.
        assert.isAtMost(asked, 45)
        const after = readExport(world)
        assert.deepStrictEqual(filesOf(after), filesOf(before))
        assert.notStrictEqual(after.run, before.run)
        assert.deepStrictEqual(after.tables, before.tables)
        assert.deepStrictEqual([after.restated, after.changes], [[], []])
        assert.deepStrictEqual(yield* intact, [])
        assertTidy(world)
      })
    )
  )

  it.effect("asks the lake no more for a hundred dates than for three", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on))
        yield* run
        const few = yield* putBy(world, next)
        const day = (index: number) =>
          `2026-0${1 + Math.floor(index / 25)}-${String(1 + (index % 25)).padStart(2, "0")}`
        yield* write(Array.from({ length: 100 }, (_, index) => on(day(index))))
        yield* next
        const many = yield* putBy(world, next)
        assert.deepStrictEqual(many.put, [])
        // One more manifest is kept.
        assert.isAtMost(many.asked, few.asked + 2)
      })
    )
  )
})

describe("an export", () => {
  it.effect("puts the files of tables whose rows changed on the lake, and no others", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on), [ipc("A", "1.0000"), ipc("B", "1.0000")])
        yield* run
        yield* write([], [ipc("A", "2.0000")])
        assert.deepStrictEqual((yield* putBy(world, next)).put, ["ipcs/0.parquet"])
        yield* write([on("2026-11-18")])
        assert.deepStrictEqual((yield* putBy(world, next)).put, ["events/event_date=2026-11-18/0.parquet"])
        // The books, and a journal that is as long as before.
        const warehouse = yield* Warehouse
        for (const amount of ["1.0000", "2.0000"]) {
          const entries = [entry(1, amount, "2026-11-01T00:00:00.000000Z")]
          const holds = { open: [], ofIpcs: "all" as const }
          yield* warehouse.write({ changes: [], events: [], ledger: { entries, decisions: [], holds } })
          const books = ["ledger_entries/0.parquet", "ledger_entries/journal.csv"]
          assert.includeMembers([...(yield* putBy(world, next)).put], books)
        }
        assert.deepStrictEqual(yield* intact, [])
      })
    )
  )

  it.effect(
    "writes a table again whose columns changed, whose file is gone or not whole, or if all are to be written",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          yield* write([on("2026-11-18")], [ipc("A", "1.0000")])
          yield* run
          const warehouse = yield* Warehouse
          yield* warehouse.query((db) => sql`alter table construction.ipcs add column more varchar`.execute(db))
          assert.deepStrictEqual((yield* putBy(world, next)).put, ["ipcs/0.parquet"])
          yield* warehouse.query((db) => sql`alter table construction.ipcs rename column more to less`.execute(db))
          assert.deepStrictEqual((yield* putBy(world, next)).put, ["ipcs/0.parquet"])
          const { tables } = readExport(world)
          const [file] = tables["ipcs"]?.files ?? []
          rmSync(join(world.lake, file?.path ?? ""))
          assert.deepStrictEqual((yield* putBy(world, next)).put, ["ipcs/0.parquet"])
          const [again] = readExport(world).tables["ipcs"]?.files ?? []
          writeFileSync(join(world.lake, again?.path ?? ""), "PAR1")
          assert.deepStrictEqual((yield* putBy(world, next)).put, ["ipcs/0.parquet"])
          const service = yield* Export
          const all = yield* putBy(world, Effect.andThen(TestClock.adjust("1 day"), service.again))
          assert.lengthOf(all.put, filesOf(readExport(world)).length)
          assert.deepStrictEqual(yield* intact, [])
        })
      )
  )

  it.effect("writes everything again where the lake can't be listed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("A", "1.0000")])
        yield* run
        yield* TestClock.adjust("1 day")
        world.watch = (operation, _path, when) =>
          operation === "sizes" && when === "before"
            ? new LakeError({ reason: "Denied", message: "no list" })
            : undefined
        const { filesKept, run: id } = yield* run
        world.watch = () => undefined
        assert.strictEqual(filesKept, 0)
        assert.strictEqual(readExport(world).run, id)
        assert.deepStrictEqual(yield* intact, [])
      })
    )
  )

  it.effect("keeps a file for as long as one names it, however old the run is that wrote it", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("A", "1.0000")])
        const { run: first } = yield* run
        for (let days = 0; days < 40; days++) {
          yield* write([], [ipc("B", `${days}.0000`)])
          yield* TestClock.adjust("5 days")
          yield* run
        }
        assert.isFalse(readdirSync(join(world.lake, "_manifests")).includes(`${first}.json`))
        const [vos] = readExport(world).tables["vos"]?.files ?? []
        assert.strictEqual(vos?.path, `vos/${first}-0.parquet`)
        assert.strictEqual(statSync(join(world.lake, vos?.path ?? "")).size, vos?.bytes)
        assert.isNotEmpty(readFileSync(join(world.lake, readExport(world).journal ?? ""), "utf8"))
        assert.deepStrictEqual(yield* intact, [])
        assertTidy(world)
      })
    )
  )
})
