import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Lake, LakeError } from "../../src/Lake/Lake.ts"
import { KnownManifests } from "../../src/Lake/KnownManifests.ts"
import type { Manifest } from "../../src/Lake/Manifest.ts"
import type { Keep } from "../../src/Lake/Retention.ts"
import * as S3 from "../../src/Lake/S3.ts"
import { sweep } from "../../src/Lake/Sweep.ts"
import { using } from "./Contract.ts"
import { stubbed } from "./Stubbed.ts"
import { assertTidy, eventPaths, inWorld, ipc, on, readExport, run, usual, write } from "./ExportWorld.ts"
import { Log } from "../Logged.ts"

const stub = await stubbed()

const swept = (...[lake, failed, keep]: readonly [Lake["Service"], ReadonlyArray<string>, Keep]) =>
  Effect.map(sweep(lake, failed, keep, new KnownManifests()), ({ isSwept }) => isSwept)

/** What wasn't swept, and why. */
const warnings = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const log = new Log()
    yield* Effect.provide(effect, log.layer)
    return log.of("lake.unswept").map(({ why }) => why)
  })

describe("an export", () => {
  it.effect("keeps thirty runs beside the newest, and every file that they name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-01")])
        const first = yield* run
        for (let runs = 0; runs < 33; runs++) {
          yield* write([], [ipc("A", `${runs}.0000`)])
          yield* TestClock.adjust("2 days")
          yield* run
        }
        const runs = readdirSync(join(world.lake, "_manifests"))
        assert.lengthOf(runs, 31)
        assert.isFalse(existsSync(join(world.lake, `ipcs/${first.run}-0.parquet`)))
        assert.deepStrictEqual(eventPaths(readExport(world)), [`events/event_date=2026-11-01/${first.run}-0.parquet`])
        assertTidy(world)
      })
    )
  )

  it.effect("sweeps the folders of lists that a person has switched on, also once they are off", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          /** As if the warehouse had these tables, too. */
          const exported = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
            const { run: id } = yield* run
            const path = join(world.lake, `_manifests/${id}.json`)
            const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest
            const tables = names.map((name) => {
              const file = { path: `${name}/${id}-0.parquet`, rows: 0, bytes: 0, sha256: "0".repeat(64) }
              mkdirSync(join(world.lake, name), { recursive: true })
              writeFileSync(join(world.lake, file.path), "")
              return [name, { rows: 0, columns: [], files: [file] }] as const
            })
            writeFileSync(
              path,
              JSON.stringify({ ...manifest, tables: { ...manifest.tables, ...Object.fromEntries(tables) } })
            )
            yield* TestClock.adjust("1 hour")
            return id
          })
          yield* exported("checklists", "inspections")
          const second = yield* exported("inspections")
          const lake = yield* Lake
          assert.isTrue(yield* swept(lake, [], { newest: 1, for: Duration.minutes(1) }))
          assert.isFalse(existsSync(join(world.lake, "checklists")))
          assert.deepStrictEqual(readdirSync(join(world.lake, "inspections")), [`${second}-0.parquet`])
        }),
      { newest: 1, for: Duration.minutes(1) }
    )
  )

  it.effect("keeps as many, and for as long, as is configured, and takes the files of a retired one with it", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          yield* write([on("2026-11-01")], [ipc("A", "1.0000")])
          const first = yield* run
          yield* TestClock.adjust("1 hour")
          yield* write([on("2026-11-02")], [ipc("A", "2.0000")])
          const second = yield* run
          const lake = yield* Lake
          const files = () => [
            ...readdirSync(join(world.lake, "ipcs")).filter((name) => name !== "_delta_log"),
            ...readdirSync(join(world.lake, "_manifests"))
          ]
          assert.isTrue(yield* swept(lake, [], { newest: 1, for: Duration.hours(2) }))
          assert.lengthOf(files(), 4)
          // It was replaced a moment ago.
          assert.isTrue(yield* swept(lake, [], { newest: 1, for: Duration.minutes(1) }))
          assert.lengthOf(files(), 4)
          yield* TestClock.adjust("2 minutes")
          assert.isTrue(yield* swept(lake, [], { newest: 1, for: Duration.minutes(1) }))
          assert.deepStrictEqual(files(), [`${second.run}-0.parquet`, `${second.run}.json`])
          // The newest one names it.
          assert.include(eventPaths(readExport(world)), `events/event_date=2026-11-01/${first.run}-0.parquet`)
          assertTidy(world)
        }),
      { newest: 1, for: Duration.minutes(1) }
    )
  )

  it.effect("sweeps what no manifest names, only if it is ours, and only if every manifest can be read", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* run
        const leftover = "vos/20261101T020000Z-0000-0.parquet"
        const partial = "events/event_date=2026-11-01/20261101T020000Z-0000-12.parquet"
        const journal = "vos/20261101T020000Z-0000-journal.csv"
        const foreign = [
          "vos/mine.parquet",
          "reports/20261101T020000Z-0000-0.parquet",
          "vos/20261101T020000Z-0000-0.txt"
        ]
        const lake = yield* Lake
        for (const path of [leftover, partial, journal, ...foreign]) yield* lake.putText(path, "?")
        // What was being written when a process died, and a file of another program.
        mkdirSync(join(world.dataDir, "staging/20261101T020000Z-0000/events/0"), { recursive: true })
        writeFileSync(join(world.dataDir, "staging/20261101T020000Z-0000/events/0/part.parquet"), "PAR1")
        writeFileSync(join(world.dataDir, "staging/.DS_Store"), "?")
        const rubbish = "_manifests/20261101T020000Z-0000.json"
        yield* lake.putText(rubbish, "{}")
        const isNotSwept = (path: string, why: string) => `${path} on ${world.lake} ${why}`
        const unread = "can't be read, so no old files are swept: remove or restore it."
        assert.deepStrictEqual(yield* warnings(run), [isNotSwept(rubbish, unread)])
        assert.isTrue(existsSync(join(world.lake, leftover)))
        yield* lake.remove(rubbish)
        yield* run
        const found = yield* lake.list("")
        assert.includeMembers([...found], foreign)
        for (const path of [leftover, partial, journal]) assert.notInclude(found, path)
        assert.isFalse(existsSync(join(world.dataDir, "staging")))
        yield* lake.putText(leftover, "?")
        const shown = `_manifests/${readExport(world).run}.json`
        yield* lake.remove(shown)
        const missing = isNotSwept(shown, "is missing, so no old files are swept this time.")
        assert.deepStrictEqual(yield* warnings(run), [missing])
        yield* lake.putText("latest.json", "?")
        const noPointer = isNotSwept("latest.json", "can't be read, so no old files are swept this time.")
        assert.deepStrictEqual(yield* warnings(run), [noPointer])
        assert.isTrue(existsSync(join(world.lake, leftover)))
        assert.deepStrictEqual(yield* warnings(run), [])
        assert.isFalse(existsSync(join(world.lake, leftover)))
      })
    )
  )

  it.effect("sweeps files even if the store can't list what is unfinished, and remembers what it has yet to end", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const leftover = "vos/20261101T020000Z-0000-0.parquet"
        const note = join(world.dataDir, "staging/20261120T010000Z-0000")
        const lake = yield* Lake
        yield* lake.putText(leftover, "?")
        mkdirSync(note, { recursive: true })
        const refused = new LakeError({ reason: "Denied", message: "not implemented" })
        world.watch = (operation) => (operation === "abandon" ? refused : undefined)
        const log = new Log()
        yield* Effect.provide(run, log.layer)
        assert.match(String(log.saw("lake.unswept")["why"]), /swept of unfinished uploads; .*: not implemented$/)
        assert.strictEqual(log.saw("export.finished")["run"], readExport(world).run)
        assert.isFalse(existsSync(join(world.lake, leftover)))
        assert.isTrue(existsSync(note))
        world.watch = () => undefined
        yield* run
        assert.isFalse(existsSync(note))
      })
    )
  )

  it.effect("keeps a failed run if another manifest doesn't say what was shown before it: it may be that one", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { run: first } = yield* run
        mkdirSync(join(world.dataDir, "staging", first), { recursive: true })
        writeFileSync(join(world.lake, "latest.json"), "?")
        yield* run
        yield* run
        yield* run
        assert.isTrue(existsSync(join(world.lake, `_manifests/${first}.json`)))
        assert.isTrue(existsSync(join(world.lake, `projects/${first}-0.parquet`)))
        assert.isFalse(existsSync(join(world.dataDir, "staging")))
      })
    )
  )
})

describe("in a bucket without a prefix", () => {
  it.effect("what another program is uploading stays when a run of ours failed", () =>
    using(S3.layerAt({ bucket: "lake", prefix: "" }), (lake) =>
      Effect.gen(function* () {
        const failed = "20261120T010000Z-0000"
        const theirs = ["backups/x.tar", "latest.json.bak", "projects/x.parquet", "20261120T010000Z-0000-0.parquet"]
        const ours = ["latest.json", "lake.sql", `_manifests/${failed}.json`, `projects/${failed}-0.parquet`]
        for (const key of [...theirs, ...ours]) stub.uploads.set(key, { key, parts: new Map() })
        assert.isTrue(yield* swept(lake, [failed], usual))
        assert.deepStrictEqual([...stub.uploads.keys()], theirs)
      })
    )
  )
})
