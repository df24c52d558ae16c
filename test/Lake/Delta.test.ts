/**
 * The Delta logs beside the manifests, read by an independent reader: the same rows, in every version, no matter what
 * failed.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LakeError } from "../../src/Lake/Lake.ts"
import type { Manifest } from "../../src/Lake/Manifest.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Log } from "../Logged.ts"
import { assertSame, logInFolder, replay } from "./Delta/Replay.ts"
import { Export } from "../../src/Lake/Export.ts"
import { inWorld, ipc, on, query, readExport, run, type World, write } from "./ExportWorld.ts"

const folderOf = ({ lake }: World, table: string) => join(lake, table)
const logOf = (world: World, table: string) => logInFolder(folderOf(world, table))

const pathsOf = (manifest: Manifest, table: string) =>
  (manifest.tables[table]?.files ?? []).map(({ path }) => path.slice(table.length + 1)).toSorted()

const assertLogs = (world: World): Manifest => {
  const manifest = readExport(world)
  assertSame(manifest, (table) => logOf(world, table))
  return manifest
}

const said = Effect.flatMap(Reasons, ({ all }) =>
  Effect.map(all, (reasons) => reasons.map(({ key, sentence }) => [key, sentence]))
)

const later = TestClock.adjust("1 hour")

describe("the Delta log of a table", () => {
  it.effect("begins with the protocol, and has the table's columns, partitions and statistics", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write(
          [on("2026-11-18"), on("2026-11-19")],
          [ipc("IPC-1", "123456789012345678901234.5678"), ipc("IPC-2", "-7")]
        )
        yield* run
        const manifest = assertLogs(world)
        const { files, metaData, protocol, sequence } = replay(logOf(world, "ipcs"))
        assert.deepStrictEqual(protocol, { minReaderVersion: 1, minWriterVersion: 2 })
        assert.strictEqual(sequence, manifest.asOf.sequence)
        const { fields } = JSON.parse(metaData.schemaString) as {
          readonly fields: ReadonlyArray<Record<string, unknown>>
        }
        assert.deepStrictEqual(
          fields.map(({ name }) => name),
          manifest.tables["ipcs"]?.columns.map(({ name }) => name)
        )
        assert.deepInclude(fields, {
          name: "certified_amount",
          type: "decimal(28,4)",
          nullable: true,
          metadata: { comment: "The amount that was certified." }
        })
        assert.deepInclude(
          fields.find(({ name }) => name === "certified_at"),
          { type: "timestamp" }
        )
        const [file] = [...files.values()]
        assert.match(file!.stats, /^\{"numRecords":2,/)
        assert.include(file!.stats, '"certified_amount":-7.0000')
        assert.include(file!.stats, '"certified_amount":123456789012345678901234.5678')
        // A reader that looks for the microseconds must not skip the file.
        assert.include(file!.stats, '"minValues":{"project_id":7,')
        assert.match(file!.stats, /"maxValues":\{.*"certified_at":"2026-11-19T10:00:00\.124Z"/)
        const events = replay(logOf(world, "events"))
        assert.deepStrictEqual(events.metaData.partitionColumns, ["event_date"])
        assert.deepStrictEqual(
          [...events.files.values()].map(({ partitionValues }) => partitionValues),
          [{ event_date: "2026-11-18" }, { event_date: "2026-11-19" }]
        )
      })
    )
  )

  it.effect("has a commit only for exports that changed the table, and every version is that export", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const seen = new Map<number, ReadonlyArray<string>>()
        for (let day = 1; day <= 5; day++) {
          yield* write(day % 2 === 0 ? [] : [on(`2026-11-0${day}`)], [ipc("IPC-1", `${day}`)])
          yield* run
          yield* later
          const manifest = assertLogs(world)
          seen.set(manifest.delta!["events"]!.version, pathsOf(manifest, "events"))
        }
        assert.deepStrictEqual([...seen.keys()], [0, 1, 2])
        for (const [version, paths] of seen) {
          assert.deepStrictEqual([...replay(logOf(world, "events"), version).files.keys()].toSorted(), paths)
        }
      })
    )
  )

  it.effect("keeps a foreign VACUUM away from the journal and from files that older manifests name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("IPC-1", "1")])
        yield* run
        const first = readExport(world)
        yield* later
        // Of everything.
        yield* Effect.flatMap(Export, ({ again }) => again)
        const { metaData, removed } = replay(logOf(world, "ledger_entries"))
        assert.deepStrictEqual(metaData.configuration, { "delta.deletedFileRetentionDuration": "interval 30 days" })
        const kept = [first.journal, ...(first.tables["ledger_entries"]?.files ?? []).map(({ path }) => path)]
        const isKept = (path: string | null, from: ReadonlyMap<string, number>) =>
          assert.isAbove(from.get(path!.slice("ledger_entries/".length)) ?? 0, Date.parse("2999-01-01"), path!)
        for (const path of kept) isKept(path, removed)
        // Nothing but the journal is written again.
        rmSync(join(world.lake, readExport(world).journal!))
        yield* later
        yield* run
        isKept(readExport(world).journal, replay(logOf(world, "ledger_entries")).removed)
      })
    )
  )

  it.effect("is made whole by the next export when commits were missed, one for each export", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("IPC-1", "1")])
        yield* run
        const shown: Array<string> = [readExport(world).run]
        world.watch = (operation, path, when) =>
          operation === "replaceText" && path.startsWith("ipcs/_delta_log") && when === "before"
            ? new LakeError({ reason: "Failed", message: "no answer" })
            : undefined
        for (const amount of ["2", "3"]) {
          yield* later
          yield* write([], [ipc("IPC-1", amount)])
          assert.match((yield* Effect.flip(run)).message, /no answer/)
          // A later one can't do anything before the first.
          if (amount === "2") shown.push(readExport(world).run)
        }
        world.watch = () => undefined
        yield* later
        yield* write([], [ipc("IPC-1", "4")])
        yield* run
        const manifest = assertLogs(world)
        assert.deepStrictEqual(replay(logOf(world, "ipcs")).runs, [...shown, manifest.run])
      })
    )
  )

  it.effect("is left alone once somebody else has committed to it, and begun anew when it is removed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("IPC-1", "1")])
        yield* run
        const path = join(folderOf(world, "ipcs"), "_delta_log", "00000000000000000001.json")
        const foreign = '{"commitInfo":{"timestamp":1,"operation":"OPTIMIZE","engineInfo":"Apache-Spark"}}\n'
        writeFileSync(path, foreign)
        for (const amount of ["2", "3"]) {
          yield* later
          yield* write([], [ipc("IPC-1", amount)])
          const log = new Log()
          const { leftAlone } = yield* Effect.provide(run, log.layer)
          assert.match(
            leftAlone.join(),
            /^The Delta log of ipcs on .* isn't as siteledger left it, .*remove ipcs\/_delta_log\/, /
          )
          assert.strictEqual(log.saw("delta.left")["why"], leftAlone.join())
          assert.deepStrictEqual(yield* said, [["delta log", leftAlone.join()]])
          assert.deepStrictEqual([...logOf(world, "ipcs").keys()], [0, 1])
          assert.strictEqual(readFileSync(path, "utf8"), foreign)
        }
        assert.isUndefined(readExport(world).delta?.["ipcs"])
        assert.isDefined(readExport(world).delta?.["vos"])
        rmSync(join(folderOf(world, "ipcs"), "_delta_log"), { recursive: true })
        yield* later
        assert.deepStrictEqual((yield* run).leftAlone, [])
        assert.deepStrictEqual(yield* said, [])
        assertLogs(world)
      })
    )
  )

  it.effect("goes on where it ended, when the state, the newest manifest or the pointer is gone", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        for (const [place, lost] of [undefined, "_delta/state.json", "manifest", "latest.json"].entries()) {
          if (lost !== undefined) {
            // Of the newest export, which is read for the next one.
            if (lost === "manifest") writeFileSync(join(world.lake, `_manifests/${readExport(world).run}.json`), "{")
            else rmSync(join(world.lake, lost))
          }
          yield* write([on(`2026-11-1${place}`)], [ipc("IPC-1", `${place}`)])
          yield* run
          yield* later
          assertLogs(world)
        }
      })
    )
  )

  it.effect("whose last commit was removed isn't continued behind a gap, but begun anew", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([], [ipc("IPC-1", "1")])
        yield* run
        rmSync(join(folderOf(world, "ipcs"), "_delta_log"), { recursive: true })
        for (const amount of ["2", "3"]) {
          yield* later
          yield* write([], [ipc("IPC-1", amount)])
          yield* run
        }
        assertLogs(world)
      })
    )
  )

  it.effect("lets a reader see the same amounts as the manifest", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        for (const amount of ["10.5", "20.25"]) {
          yield* write([], [ipc("IPC-1", amount), ipc(`IPC-${amount}`, "1")])
          yield* run
          yield* later
        }
        const amounts = (paths: ReadonlyArray<string>) =>
          query(
            `select id, certified_amount::varchar from read_parquet([${paths.map((path) => `'${path}'`).join()}]) order by 1`
          )
        const rows = yield* amounts(
          [...replay(logOf(world, "ipcs")).files.keys()].map((path) => join(folderOf(world, "ipcs"), path))
        )
        assert.lengthOf(rows, 3)
        assert.deepStrictEqual(
          rows,
          yield* amounts((readExport(world).tables["ipcs"]?.files ?? []).map(({ path }) => join(world.lake, path)))
        )
      })
    )
  )
})
