/** What a manifest says about the values in each file, from the file's footer. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { event, inWorld, ipc, lastSequence, on, query, readExport, run, write } from "./ExportWorld.ts"

describe("a manifest", () => {
  it.effect("has the exact least and greatest values of numbers and times, and of nothing else", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const [large, small] = ["999999999999999999999999.9999", "-0.0001"]
        yield* write(
          [on("2026-11-18"), event("2026-11-18T23:59:59.999999Z")],
          [ipc("IPC-1", large), ipc("IPC-2", small)]
        )
        yield* run
        const { tables } = readExport(world)
        assert.deepStrictEqual(tables["ipcs"]?.files[0]?.ranges, {
          project_id: { min: "7", max: "7" },
          certified_amount: { min: small, max: large },
          certified_at: { min: "2026-11-19T10:00:00.123456Z", max: "2026-11-19T10:00:00.123456Z" },
          _first_seen_at: { min: "2026-11-20T01:00:00.000000Z", max: "2026-11-20T01:00:00.000000Z" },
          _changed_at: { min: "2026-11-20T01:00:00.000000Z", max: "2026-11-20T01:00:00.000000Z" }
        })
        const ranges = tables["events"]?.files[0]?.ranges
        const newest = String(lastSequence())
        assert.deepStrictEqual(ranges?.["sequence"], { min: String(lastSequence() - 1), max: newest })
        assert.deepStrictEqual(ranges?.["event_timestamp"], {
          min: "2026-11-18T12:00:00.000000Z",
          max: "2026-11-18T23:59:59.999999Z"
        })
        assert.notProperty(ranges, "payload")
        assert.deepStrictEqual(tables["vos"]?.files[0]?.ranges, {})
      })
    )
  )

  it.effect("has them over all row groups, in numeric order", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        yield* write([on("2026-11-18")])
        // Of two row groups, one ends with 9000 and begins with 9: as text these are the greatest of all.
        const many = sql`
          insert into construction.events (body_sha256, sequence, deliveries, event_timestamp, received_at)
          select row, if(row < 8000, 9000, 10000), if(row < 100, 9, 10),
            timestamptz '2026-11-17 00:00:00Z' + row * interval 1 second, now()
          from range(12000) as rows(row)`
        yield* warehouse.query((db) => many.execute(db))
        yield* run
        const file = readExport(world).tables["events"]?.files[0]
        assert.deepInclude(file?.ranges, {
          sequence: { min: "9000", max: "10000" },
          deliveries: { min: "9", max: "10" },
          event_timestamp: { min: "2026-11-17T00:00:00.000000Z", max: "2026-11-17T03:19:59.000000Z" }
        })
        const [[groups] = []] = yield* query(
          `select num_row_groups::integer from parquet_file_metadata('${join(world.lake, file?.path ?? "")}')`
        )
        assert.isAbove(Number(groups), 1)
      })
    )
  )

  it.effect("has for each column how many rows lack a value, also over row groups", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18"), event("2026-11-18T23:59:59.999999Z")], [ipc("IPC-1", "1"), ipc("IPC-2", "2")])
        const some = sql`
          insert into construction.ipcs (id, status, project_id, _clocks, _first_seen_at, _changed_at)
          select 'many-' || row, if(row % 3 = 0, null, 'draft'), if(row < 9000, null, row), '{}', now(), now()
          from range(12000) as rows(row)`
        yield* (yield* Warehouse).query((db) => some.execute(db))
        yield* run
        const { tables } = readExport(world)
        for (const [name, { columns, files }] of Object.entries(tables)) {
          for (const { nulls, path } of files) {
            const counts = columns.map((column) => `(count(*) - count("${column.name}"))::integer`).join()
            const [found = []] = yield* query(
              `select ${counts} from read_parquet('${join(world.lake, path)}', hive_partitioning = false)`
            )
            const lacking = columns.flatMap((column, place) =>
              found[place] === 0 ? [] : [[column.name, found[place]]]
            )
            assert.deepStrictEqual(nulls, Object.fromEntries(lacking), name)
          }
        }
        assert.deepInclude(tables["ipcs"]?.files[0]?.nulls, { status: 4000, project_id: 9000 })
      })
    )
  )
})
