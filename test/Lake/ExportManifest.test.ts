import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Export } from "../../src/Lake/Export.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { sha256 } from "../../src/Lake/LocalFiles.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { temporaryFolder } from "../Folders.ts"
import {
  eventPaths,
  exporting,
  inWorld,
  ipc,
  on,
  others,
  query,
  readExport,
  run,
  type World,
  write
} from "./ExportWorld.ts"

const dates = ["2026-11-17", "2026-11-18", "2026-11-19"]

describe("a manifest", () => {
  it.effect("describes each column in a sentence", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* run
        for (const [name, { columns }] of Object.entries(readExport(world).tables)) {
          for (const column of columns) assert.match(column.description ?? "", /\.$/, `${name}.${column.name}`)
        }
      })
    )
  )

  it.effect("names the previous export, and the dates whose rows have changed since", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on))
        const { run: first } = yield* run
        assert.deepInclude(readExport(world), { before: null, restated: [], changes: [] })
        // Late, and of a new date, which isn't restated.
        yield* write([on("2026-11-18"), on("2026-11-20")])
        const { run: second } = yield* run
        assert.deepInclude(readExport(world), { before: first, restated: ["2026-11-18"], changes: [] })
        rmSync(join(world.lake, eventPaths(readExport(world))[0] ?? ""))
        yield* run
        assert.deepInclude(readExport(world), { before: second, restated: [] })
      })
    )
  )

  it.effect("leaves out what it can't know if the previous export can't be read", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const told = Effect.gen(function* () {
          yield* write([on("2026-11-18")])
          yield* run
          const { before, changes, restated } = readExport(world)
          return { before, changes, restated }
        })
        yield* told
        const { run: first } = readExport(world)
        rmSync(join(world.lake, Manifest.manifestPath(first)))
        assert.deepStrictEqual(yield* told, { before: first, changes: undefined, restated: undefined })
        const { run: second } = readExport(world)
        assert.deepStrictEqual(yield* told, { before: second, changes: [], restated: ["2026-11-18"] })
        writeFileSync(join(world.lake, "latest.json"), "{}")
        assert.deepStrictEqual(yield* told, { before: undefined, changes: undefined, restated: undefined })
        rmSync(join(world.lake, "latest.json"))
        assert.deepStrictEqual(yield* told, { before: null, changes: [], restated: [] })
      })
    )
  )

  it.effect("isn't written if it couldn't be read because of a column's name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { run: first } = yield* run
        const warehouse = yield* Warehouse
        yield* warehouse.query((db) => sql`alter table construction.ipcs add column "Margin %" text`.execute(db))
        assert.match((yield* Effect.flip(run)).message, /^A column of the warehouse .*: rename it there\.$/)
        assert.strictEqual(readExport(world).run, first)
      })
    )
  )

  it.effect("names columns that were added and removed, and both exports are read together by name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        yield* write([on("2026-11-18")], [ipc("IPC-1", "10")])
        yield* run
        const before = readExport(world)
        yield* warehouse.query((db) =>
          sql`alter table construction.ipcs add column retention decimal(28,4)`.execute(db)
        )
        yield* warehouse.query((db) => sql`update construction.ipcs set retention = 1.5`.execute(db))
        yield* warehouse.query((db) => sql`alter table construction.events add column source text`.execute(db))
        yield* warehouse.query((db) => sql`alter table construction.vos drop column boq_revision`.execute(db))
        yield* run
        const after = readExport(world)
        assert.deepStrictEqual(after.changes, [
          { table: "ipcs", column: "retention", before: null, after: "DECIMAL(28,4)" },
          { table: "vos", column: "boq_revision", before: "VARCHAR", after: null },
          { table: "events", column: "source", before: null, after: "VARCHAR" }
        ])
        assert.deepStrictEqual(after.restated, ["2026-11-18"])
        const files = [before, after].map(({ tables }) => `'${join(world.lake, tables["ipcs"]?.files[0]?.path ?? "")}'`)
        const rows = yield* query(
          `select id, certified_amount::varchar, retention::varchar
           from read_parquet([${files.join(", ")}], union_by_name = true) order by retention nulls first`
        )
        assert.deepStrictEqual(rows, [
          ["IPC-1", "10.0000", null],
          ["IPC-1", "10.0000", "1.5000"]
        ])
        yield* run
        assert.deepStrictEqual(readExport(world).changes, [])
      })
    )
  )
})

/** Breaks what the lake has of the previous export; none of its files may be named again. */
const breakages: Readonly<Record<string, (world: World, before: Manifest.Manifest) => void>> = {
  "the lake was emptied": ({ lake }) => rmSync(lake, { recursive: true }),
  "the pointer is gone": ({ lake }) => rmSync(join(lake, "latest.json")),
  "the pointer is rubbish": ({ lake }) => writeFileSync(join(lake, "latest.json"), "{}"),
  "the manifest is gone": ({ lake }, { run: id }) => rmSync(join(lake, Manifest.manifestPath(id))),
  "the manifest is another one": ({ lake }, before) =>
    writeFileSync(join(lake, Manifest.manifestPath(before.run)), Manifest.stringify({ ...before, journal: null })),
  "the manifest is of a version without fingerprints": ({ lake }, before) => {
    const tables = Object.entries(before.tables).map(([name, table]) => {
      const files = table.files.map(({ bytes, path, rows, sha256 }) => ({ bytes, path, rows, sha256 }))
      return [name, { ...table, files }] as const
    })
    const { run: id, ...rest } = before
    const text = Manifest.stringify({ ...rest, run: id, tables: Object.fromEntries(tables) })
    writeFileSync(join(lake, Manifest.manifestPath(id)), text)
    const pointer = { run: id, manifest: Manifest.manifestPath(id), sha256: sha256(text) }
    writeFileSync(join(lake, "latest.json"), Manifest.stringify(pointer))
  }
}

describe("the next export", () => {
  for (const [title, break_] of Object.entries(breakages)) {
    it.effect(`writes all dates again when ${title}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          yield* write(dates.map(on))
          yield* run
          break_(world, readExport(world))
          assert.strictEqual((yield* run).filesKept, 0)
          assert.lengthOf(eventPaths(readExport(world)), 3)
          assert.strictEqual((yield* run).filesKept, others + 3)
        })
      )
    )
  }

  it.effect("writes all dates again when the worker has another lake or another store", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on))
        yield* run
        const elsewhere = join(temporaryFolder(), "lake")
        const service = yield* Export
        const moved = (kept: number) =>
          Effect.gen(function* () {
            yield* write([on("2026-11-17")])
            assert.strictEqual((yield* run).filesKept, kept)
            assert.strictEqual((yield* run).filesKept, others + 1)
          })
        // Another store, on a lake of its own, then on the one that the first store knows.
        const dataDir = temporaryFolder()
        yield* Effect.scoped(Effect.provide(moved(0), exporting(dataDir, Folder.layerAt(elsewhere)), { local: true }))
        yield* Effect.scoped(
          Effect.provide(moved(others), exporting(dataDir, Folder.layerAt(world.lake)), { local: true })
        )
        assert.strictEqual((yield* service.run).filesKept, others)
        assert.deepStrictEqual(readExport(world).restated, ["2026-11-17"])
      })
    )
  )
})
