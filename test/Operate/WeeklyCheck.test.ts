/**
 * The weekly check: every part is read within a week, across restarts, and damaged parts are repaired or made again.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Export } from "../../src/Lake/Export.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { LakeError } from "../../src/Lake/Lake.ts"
import { sha256 } from "../../src/Lake/LocalFiles.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { WeeklyCheck } from "../../src/Operate/WeeklyCheck.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Restart } from "../../src/Runtime/Restart.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Store, writeMeta } from "../../src/Stores/Store.ts"
import { Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import { until } from "../Intake/Uptime/World.ts"
import { inWorld, on, run, write } from "../Lake/ExportWorld.ts"
import { delivery } from "../Stores/Postgres/World.ts"
import { folder } from "../Stores/WarehouseEngines.ts"
import { Log } from "../Logged.ts"

const body = (n: number) => `${n} `.padEnd(3_000_000, "x")

/** In three segments. */
const receive = Effect.flatMap(Store, ({ deliveries }) =>
  Effect.promise(async () => {
    for (let n = 0; n < 14; n++) await deliveries.receive([delivery(body(n))])
  })
)

const started = <A, E>(path: string, log: Array<string>, use: Effect.Effect<A, E, Reasons | Store | WeeklyCheck>) => {
  const piece = (name: string, check: Effect.Effect<void, WarehouseError>) => ({
    name,
    check: Effect.andThen(
      Effect.sync(() => void log.push(name)),
      check
    )
  })
  const broken = new WarehouseError({ reason: "Fatal", message: "a block is damaged" })
  const around = Layer.mergeAll(
    Sqlite.layerAt(join(path, "store.sqlite")),
    Layer.mock(Warehouse, {
      id: "mocked",
      prefersFewTables: false,
      mirrors: { live: Effect.die("unused"), aside: Effect.die("unused") },
      pieces: Effect.succeed([piece("good", Effect.void), piece("bad", Effect.fail(broken))])
    }),
    Layer.mock(AnalystCopy, { check: Effect.sync(() => void log.push("copy")) }),
    Layer.succeed(
      Restart,
      Restart.of({ request: () => Effect.sync(() => void log.push("restart")), requested: Effect.never })
    ),
    Folder.layerAt(join(path, "lake")),
    Layer.mock(Export, { again: new LakeError({ reason: "Denied", message: "the folder is read-only" }) }),
    Reasons.layer
  )
  const layer = WeeklyCheck.layer.pipe(Layer.provideMerge(around))
  return Effect.scoped(Effect.provide(use, layer, { local: true }))
}

const hour = 3_600_000

const passes = (isThere: (status: { done: number; at: string | null }) => boolean) =>
  until(
    Effect.andThen(
      TestClock.adjust(hour / 4),
      Effect.flatMap(WeeklyCheck, ({ status }) => Effect.map(status, isThere))
    )
  )

const faults = Effect.map(
  Verify.verify(Option.none(), () => Effect.void),
  Verify.faultsOf
)

const filesIn = (lake: string): ReadonlyArray<string> =>
  readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))

const shown = "20261120T020000Z-1a2b"
const file = { path: "projects/a.parquet", rows: 1, bytes: 3, sha256: sha256("one") }
const manifest = Manifest.stringify({
  run: shown,
  asOf: { sequence: 1, at: "2026-11-20T02:00:00.000000Z", oldestPending: null, walks: {} },
  reconcile: null,
  journal: null,
  tables: { projects: { rows: 1, columns: [], files: [file] } }
})
const manifestPath = Manifest.manifestPath(shown)
const pointer = Manifest.stringify({ run: shown, manifest: manifestPath, sha256: sha256(manifest) })

const damagedExports: Record<string, readonly [files: Readonly<Record<string, string>>, named: string]> = {
  "a file": [{ [manifestPath]: manifest, "latest.json": pointer, [file.path]: "two" }, file.path],
  "its manifest": [{ [manifestPath]: "{", "latest.json": pointer }, manifestPath],
  "no manifest": [{ "latest.json": pointer }, manifestPath],
  "its pointer": [{ [manifestPath]: manifest, "latest.json": "{" }, "latest.json"]
}

describe("the weekly check", () => {
  for (const [what, [files, named]] of Object.entries(damagedExports)) {
    it.effect(`names damage to the newest export that can't be written again: ${what}`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const path = yield* folder
          for (const [name, content] of Object.entries(files)) {
            mkdirSync(join(path, "lake", name, ".."), { recursive: true })
            writeFileSync(join(path, "lake", name), content)
          }
          const pass = passes(({ at }) => at !== null)
          const reasons = yield* started(
            path,
            [],
            Effect.andThen(
              pass,
              Effect.flatMap(Reasons, ({ all }) => all)
            )
          )
          assert.include(reasons.find(({ key }) => key === "damaged export")?.sentence, named)
        })
      )
    )
  }

  it.effect("reads everything, goes on after a restart, and has damage mended", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const log: Array<string> = []
        const segment = join(path, "inbox", "000000000000001.log")
        yield* started(
          path,
          log,
          Effect.gen(function* () {
            yield* receive
            const bytes = readFileSync(segment)
            const damaged = Buffer.from(bytes)
            damaged[5_000_000]! ^= 1
            writeFileSync(segment, damaged)
            yield* passes(({ done }) => done === 3)
            assert.isTrue(readFileSync(segment).equals(bytes))
            const { repaired } = yield* Effect.flatMap(Store, ({ deliveries }) => deliveries.damage)
            assert.strictEqual(repaired, 1)
          })
        )
        const said = new Log()
        const rest = passes(({ at }) => at !== null)
        yield* Effect.provide(started(path, log, rest), said.layer)
        assert.deepStrictEqual(said.saw("check.damaged"), { part: "bad", why: "a block is damaged" })
        assert.deepStrictEqual(log, ["good", "bad", "restart", "copy"])
      })
    )
  )

  it.effect("has a damaged export written again, which the next export would not do", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18"), on("2026-11-19")])
        yield* run
        const file = filesIn(world.lake).find((path) => path.includes("event_date=2026-11-18"))
        assert(file !== undefined)
        const bytes = readFileSync(file)
        bytes[Math.floor(bytes.length / 2)]! ^= 1
        writeFileSync(file, bytes)
        yield* run
        assert.lengthOf(yield* faults, 1)
        const store = yield* Store
        const pieces = [...(yield* store.pieces), ...(yield* (yield* Warehouse).pieces)].length + 3
        // Only the turns of exports are left: while the clock runs ahead, an export takes too long.
        yield* store.transaction((tx) =>
          writeMeta(tx, "weekly_check", JSON.stringify({ done: pieces - 2, of: pieces, at: null }))
        )
        const check = WeeklyCheck.layer.pipe(
          Layer.provide(Layer.mock(AnalystCopy, { check: Effect.void })),
          Layer.provideMerge(Reasons.layer)
        )
        const passed = Effect.gen(function* () {
          yield* TestClock.adjust("1 minute")
          yield* until(
            Effect.flatMap(WeeklyCheck, ({ status }) => Effect.map(status, ({ done }) => done === pieces - 1))
          )
          assert.deepStrictEqual(yield* Effect.flatMap(Reasons, ({ wrong }) => wrong), [])
        })
        const said = new Log()
        yield* Effect.scoped(Effect.provide(passed, check, { local: true })).pipe(Effect.provide(said.layer))
        assert.match(String(said.saw("export.repaired")["why"]), /event_date=2026-11-18/)
        assert.deepStrictEqual(yield* faults, [])
      })
    )
  )
})

describe("a lake that is away", () => {
  it.effect("is no damage, and keeps the pass from nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        writeFileSync(join(path, "lake"), "a file in the folder's place")
        const said = new Log()
        const rest = passes(({ at }) => at !== null)
        yield* Effect.provide(started(path, [], rest), said.layer)
        assert.deepInclude(said.saw("check.unread"), { part: "the older exports" })
        assert.deepStrictEqual(said.saw("check.damaged"), { part: "bad", why: "a block is damaged" })
      })
    )
  )
})
