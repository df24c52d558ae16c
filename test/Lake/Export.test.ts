import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { Export } from "../../src/Lake/Export.ts"
import { Progress, Tasks } from "../../src/Runtime/Progress.ts"
import { Store } from "../../src/Stores/Store.ts"
import {
  event,
  eventPaths,
  inWorld,
  ipc,
  lastSequence,
  on,
  others,
  query,
  readExport,
  run,
  write
} from "./ExportWorld.ts"

/** Those of the contract first. */
const fields = [
  "run",
  "asOf",
  "reconcile",
  "journal",
  "tables",
  "journalFile",
  "head",
  "before",
  "restated",
  "changes",
  "delta",
  "shownAt",
  "keptSeconds"
]

describe("one export", () => {
  it.effect("says how far it is, while it is under way", () => {
    const tasks = new Tasks()
    const seen: Array<string> = []
    return inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("IPC-1", "10")])
        world.watch = (operation, _path, when) => {
          if (operation === "put" && when === "before") {
            for (const { done, name, total, unit } of tasks.all) seen.push(`${name} ${Math.sign(total - done)} ${unit}`)
          }
          return undefined
        }
        yield* run
        assert.isAbove(seen.length, 10)
        assert.deepStrictEqual(new Set(seen), new Set(["export 1 files put on the lake"]))
        assert.deepStrictEqual(tasks.all, [])
      })
    ).pipe(Effect.provideService(Progress, tasks))
  })

  it.effect("has the rows that its manifest counts, for DuckDB and for another reader", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18"), on("2026-11-19"), on("2026-11-19")], [ipc("IPC-1", "10"), ipc("IPC-2", "20")])
        yield* run
        const manifest = readExport(world)
        const counts = Object.entries(manifest.tables).map(([name, { rows }]) => [name, rows])
        assert.deepInclude(Object.fromEntries(counts), { projects: 0, ipcs: 2, permits: 0, events: 3 })
        for (const [name, { columns, files, rows }] of Object.entries(manifest.tables)) {
          assert.strictEqual(
            files.reduce((sum, file) => sum + file.rows, 0),
            rows
          )
          for (const { path, rows: fileRows } of files) {
            const file = yield* Effect.promise(() => asyncBufferFromFile(join(world.lake, path)))
            const metadata = yield* Effect.promise(() => parquetMetadataAsync(file))
            assert.strictEqual(Number(metadata.num_rows), fileRows)
            const objects = yield* Effect.promise(() => parquetReadObjects({ file, compressors }))
            assert.lengthOf(objects, fileRows)
            const described = yield* query(
              `describe from read_parquet('${join(world.lake, path)}', hive_partitioning = false)`
            )
            assert.deepStrictEqual(
              described.map(([column, type]) => ({ name: column, type })),
              columns.map(({ name: column, type }) => ({ name: column, type })),
              name
            )
          }
        }
        const [[rows, dates] = []] = yield* query(
          `select count(*), count(distinct event_date) from read_parquet('${world.lake}/events/*/*.parquet', hive_partitioning = true)`
        )
        assert.deepStrictEqual([Number(rows), Number(dates)], [3, 2])
      })
    )
  )

  it.effect("keeps amounts of 24 digits and microseconds exact", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([], [ipc("IPC-1", "123456789012345678901234.5678"), ipc("IPC-2", "-0.0001")])
        yield* run
        const path = readExport(world).tables["ipcs"]?.files[0]?.path ?? ""
        const rows = yield* query(
          `select id, certified_amount::varchar, epoch_us(certified_at)::varchar, _extra::varchar
           from '${join(world.lake, path)}' order by id`
        )
        assert.deepStrictEqual(rows, [
          ["IPC-1", "123456789012345678901234.5678", "1795082400123456", `{"note":"ü"}`],
          ["IPC-2", "-0.0001", "1795082400123456", `{"note":"ü"}`]
        ])
      })
    )
  )

  it.effect("states in the contract's fields what it is as of", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const store = yield* Store
        yield* write([on("2026-11-19")])
        const through = lastSequence()
        yield* store.transaction((tx) =>
          tx
            .insertInto("walks")
            .values({
              resource: "projects",
              pass: 2,
              per_page: 10,
              pages_total: 1,
              total: 7,
              rows: 7,
              started_at: "2026-11-20T00:59:00.000000Z",
              disturbed: 0,
              disturbed_in_a_row: 0,
              finished_at: "2026-11-20T01:00:00.000000Z",
              proof: "proven",
              proof_at: "2026-11-20T01:00:00.000000Z"
            })
            .execute()
        )
        const delivery = {
          body: Buffer.from("{}"),
          eventId: "e",
          headerType: null,
          issuedAt: null,
          headers: [],
          secret: "f"
        }
        const receivedAt = "2026-11-20T01:59:00.000000Z"
        yield* Effect.promise(() =>
          store.deliveries.receive([{ ...delivery, bodySha256: Buffer.alloc(32, 1), receivedAt }])
        )
        const result = yield* run
        const text = readFileSync(join(world.lake, "latest.json"), "utf8")
        assert.match(result.run, /^20261120T020000Z-[0-9a-f]{4}$/)
        assert.deepStrictEqual(Object.keys(JSON.parse(text) as object), ["run", "manifest", "sha256"])
        const manifest = readExport(world)
        assert.deepStrictEqual(Object.keys(manifest), fields)
        assert.deepStrictEqual(manifest.asOf, {
          sequence: through,
          at: "2026-11-20T02:00:00.000000Z",
          oldestPending: receivedAt,
          walks: { projects: { proof: "proven", at: "2026-11-20T01:00:00.000000Z" } }
        })
        assert.isNull(manifest.reconcile)
        assert.strictEqual(manifest.journal, `ledger_entries/${result.run}-journal.csv`)
        assert.deepStrictEqual(eventPaths(manifest), [`events/event_date=2026-11-19/${result.run}-0.parquet`])
        assert.strictEqual(manifest.tables["ipcs"]?.files[0]?.path, `ipcs/${result.run}-0.parquet`)
      })
    )
  )

  it.effect("of an empty warehouse has one file for every table", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const result = yield* run
        const manifest = readExport(world)
        assert.sameMembers(eventPaths(manifest), [`events/event_date=2026-11-20/${result.run}-0.parquet`])
        assert.isTrue(Object.values(manifest.tables).every(({ files, rows }) => files.length === 1 && rows === 0))
        assert.strictEqual(result.rows, 0)
        yield* write([on("2026-11-19")])
        yield* run
        assert.lengthOf(eventPaths(readExport(world)), 1)
      })
    )
  )

  it.effect("shows in lastAt and nextAt, and publishes, even if that fails", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const exports = yield* Export
        const nextAt = "2026-11-21T02:00:00.000000Z"
        assert.deepStrictEqual(yield* exports.status, { lastAt: null, nextAt })
        yield* run
        assert.deepStrictEqual(yield* exports.status, { lastAt: "2026-11-20T02:00:00.000000Z", nextAt })
        assert.strictEqual(world.published, 1)
      })
    )
  )
})

describe("the next export", () => {
  const dates = ["2026-11-17", "2026-11-18", "2026-11-19"]

  it.effect("writes the date of a late event again, and no other", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on))
        yield* run
        const before = eventPaths(readExport(world))
        yield* write([on("2026-11-18"), event(null)])
        const result = yield* run
        const manifest = readExport(world)
        const [first, second, third, received] = eventPaths(manifest)
        assert.deepStrictEqual([first, third], [before[0], before[2]])
        assert.strictEqual(second, `events/event_date=2026-11-18/${result.run}-0.parquet`)
        // An event without a time is filed under the day it arrived.
        assert.strictEqual(received, `events/event_date=2026-11-20/${result.run}-0.parquet`)
        assert.strictEqual(manifest.tables["events"]?.rows, 5)
        assert.strictEqual(result.filesKept, others + 2)
      })
    )
  )

  it.effect("rewrites a kept file that the lake has lost or has only in part", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(dates.map(on))
        yield* run
        const [first = "", second = "", third] = eventPaths(readExport(world))
        rmSync(join(world.lake, first))
        writeFileSync(join(world.lake, second), "PAR1")
        yield* run
        const after = eventPaths(readExport(world))
        assert.notStrictEqual(after[0], first)
        assert.notStrictEqual(after[1], second)
        assert.strictEqual(after[2], third)
      })
    )
  )
})
