/**
 * A worker's stores and its lake in a directory of their own, for the tests of exports, and a reader that follows the
 * pointer and checks everything.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert } from "@effect/vitest"
import { Cron, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Lake, type LakeError } from "../../src/Lake/Lake.ts"
import { Export } from "../../src/Lake/Export.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { files as filesOf, type Manifest } from "../../src/Lake/Manifest.ts"
import type { Keep } from "../../src/Lake/Retention.ts"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { usualRows } from "../../src/Stores/TableParts.ts"
import { Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { type EventRow, tables } from "../../src/Stores/WarehouseTables.ts"
import { temporaryFolder } from "../Folders.ts"
import { assertSame, logInFolder } from "./Delta/Replay.ts"
import { taken } from "../Stores/Written.ts"

export const now = Date.parse("2026-11-20T02:00:00Z")
const cron = Cron.parseUnsafe("0 2 * * *", "UTC")
/** The tables beside the events: a file of each stays where they have the same rows. */
export const others = tables.length - 1
export const usual = { newest: 30, for: Duration.days(30) }
const hex = (content: string | Buffer) => createHash("sha256").update(content).digest("hex")

let saidLast = 0

/** Each is newer than those before. */
export const ipc = (id: string, amount: string, seenAt = "2026-11-20T01:00:00.000000Z"): Change => ({
  entity: "ipcs",
  id,
  version: Version.make(now * 1000 + saidLast++, 1, hex(id + amount)),
  source: "event",
  seenAt,
  values: { project_id: "7", certified_amount: amount, certified_at: "2026-11-19T10:00:00.123456Z" },
  misfits: {},
  extra: { note: `"ü"` }
})

let sequence = 0
/** The sequence of the newest event that was made. */
export const lastSequence = () => sequence

export const event = (timestamp: string | null): EventRow => ({
  body_sha256: hex(String((sequence += 1))),
  sequence: String(sequence),
  event_id: `evt_${sequence}`,
  event_type: "ipc.certified",
  event_timestamp: timestamp,
  entity: "ipcs",
  entity_id: "IPC-1",
  payload: `{"n":${sequence}}`,
  issued_at: null,
  received_at: "2026-11-20T01:30:00.000000Z",
  deliveries: "1",
  outcome: timestamp === null ? "quarantined" : "applied",
  reason: timestamp === null ? "type-not-provable" : null,
  alarms: "[]"
})
export const on = (date: string): EventRow => event(`${date}T12:00:00.000000Z`)

/**
 * Called before and after every operation of the lake. An error that it returns replaces the operation, or its answer.
 */
type Watch = (operation: string, path: string, when: "before" | "after") => LakeError | undefined

const watchedLake = (root: string, watch: () => Watch) =>
  Layer.effect(
    Lake,
    Effect.map(Lake, (lake) => {
      const watched = <A>(operation: string, path: string, then: Effect.Effect<A, LakeError>) =>
        Effect.suspend(() => {
          const failure = watch()(operation, path, "before")
          return failure === undefined
            ? Effect.tap(then, () => watch()(operation, path, "after") ?? Effect.void)
            : failure
        })
      return Lake.of({
        name: lake.name,
        put: (path, file) => watched("put", path, lake.put(path, file)),
        putText: (path, text) => watched("putText", path, lake.putText(path, text)),
        readText: (path) => watched("readText", path, lake.readText(path)),
        size: (path) => watched("size", path, lake.size(path)),
        sizes: (folder) => watched("sizes", folder, lake.sizes(folder)),
        list: (folder) => watched("list", folder, lake.list(folder)),
        replaceText: (path, text, expected) => watched("replaceText", path, lake.replaceText(path, text, expected)),
        fetch: (path, file) => watched("fetch", path, lake.fetch(path, file)),
        remove: (path) => watched("remove", path, lake.remove(path)),
        abandon: (isAbandoned) => watched("abandon", "", lake.abandon(isAbandoned))
      })
    })
  ).pipe(Layer.provide(Folder.layerAt(root)))

/** The export and the stores that it reads, of one data directory. */
export const exporting = (
  dataDir: string,
  lake: Layer.Layer<Lake>,
  onPublish: () => void = () => undefined,
  lakeKeep: Keep = usual,
  partRows = usualRows
) => {
  const analystCopy = Layer.succeed(AnalystCopy, {
    now: Effect.die("unused"),
    beside: Effect.suspend(() => {
      onPublish()
      return new WarehouseError({ reason: "Failed", message: "the disk is full" })
    }),
    check: Effect.die("unused"),
    query: () => Effect.die("unused"),
    status: Effect.succeed({ at: null, ageMs: null })
  })
  const stores = Layer.mergeAll(
    Inbox.layer,
    Reasons.layer,
    analystCopy,
    lake,
    DuckDb.layerAt(join(dataDir, "warehouse.duckdb"))
  ).pipe(Layer.provideMerge(Sqlite.layerAt(join(dataDir, "store.sqlite"))))
  return Export.layerWith({ dataDir, exportCron: cron, lakeKeep, lakeDelta: true, partRows }).pipe(
    Layer.provideMerge(stores)
  )
}

const makeWorld = (keep: Keep, partRows: number | undefined) => {
  const dataDir = temporaryFolder()
  const world = { dataDir, lake: join(dataDir, "lake"), watch: (() => undefined) as Watch, published: 0 }
  const lake = watchedLake(world.lake, () => world.watch)
  return { world, layer: exporting(dataDir, lake, () => world.published++, keep, partRows) }
}
export type World = ReturnType<typeof makeWorld>["world"]

export const inWorld = <E>(
  body: (world: World) => Effect.Effect<void, E, Export | Inbox | Lake | Reasons | Store | Warehouse>,
  keep: Keep = usual,
  partRows?: number
): Effect.Effect<void, unknown> =>
  Effect.suspend(() => {
    const { world, layer } = makeWorld(keep, partRows)
    return TestClock.setTime(now).pipe(Effect.andThen(body(world)), Effect.provide(layer))
  })

/** The lake of a world that the first test makes. Each gets a copy of it, which it may damage, and no stores. */
export const lakeOf = (make: Parameters<typeof inWorld<unknown>>[0]) => {
  let made: Promise<string> | undefined
  const lake = async (): Promise<string> => {
    let path = ""
    const body = inWorld((world) => {
      path = world.lake
      return make(world)
    })
    await Effect.runPromise(Effect.provide(body, TestClock.layer()))
    return path
  }
  return <E>(use: (world: World) => Effect.Effect<void, E, Lake>): Effect.Effect<void, unknown> =>
    Effect.gen(function* () {
      const from = yield* Effect.promise(() => (made ??= lake()))
      const { world } = makeWorld(usual, undefined)
      cpSync(from, world.lake, { recursive: true })
      yield* Effect.provide(use(world), Folder.layerAt(world.lake))
    })
}

export const run = Effect.flatMap(Export, (service) => service.run)
export const write = (events: ReadonlyArray<EventRow>, changes: ReadonlyArray<Change> = []) =>
  Effect.andThen(
    taken(sequence),
    Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ events, changes, watermark: sequence }))
  )

const json = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

/** Follows the pointer as a reader would, and compares every file with the manifest. */
export const readExport = ({ lake }: World): Manifest => {
  const pointer = json<{ run: string; manifest: string; sha256: string }>(join(lake, "latest.json"))
  assert.strictEqual(pointer.sha256, hex(readFileSync(join(lake, pointer.manifest))))
  const manifest = json<Manifest>(join(lake, pointer.manifest))
  assert.strictEqual(manifest.run, pointer.run)
  for (const table of Object.values(manifest.tables)) {
    assert.isNotEmpty(table.files)
    for (const { path, bytes, sha256 } of table.files) {
      assert.strictEqual(statSync(join(lake, path)).size, bytes)
      assert.strictEqual(hex(readFileSync(join(lake, path))), sha256)
    }
  }
  const journal = readFileSync(join(lake, manifest.journal ?? ""))
  assert.deepInclude(manifest.journalFile, { bytes: journal.length, sha256: hex(journal) })
  return manifest
}

export const eventPaths = ({ tables }: Manifest) => (tables["events"]?.files ?? []).map((file) => file.path)
export const dataFiles = ({ lake }: World) =>
  (readdirSync(lake, { recursive: true }) as ReadonlyArray<string>)
    .filter((path) => /\.(parquet|csv)$/.test(path) && !path.includes("_delta_log/"))
    .toSorted()
const manifests = ({ lake }: World): ReadonlyArray<Manifest> =>
  readdirSync(join(lake, "_manifests")).map((name) => json<Manifest>(join(lake, "_manifests", name)))

const namedFiles = (world: World) => [...new Set(manifests(world).flatMap(filesOf))].toSorted()

/** The pointer names each of them, or named it before it named the next one. */
export const assertShown = (all: ReadonlyArray<Manifest>, pointedAt: string) => {
  const shown = new Set([pointedAt, ...all.map(({ before }) => before)])
  assert.deepStrictEqual(
    all.flatMap(({ run: id }) => (shown.has(id) ? [] : [id])),
    []
  )
}
/** The lake holds what its manifests name, nothing else, no run that was never shown, and staging is gone. */
export const assertTidy = (world: World) => {
  assert.deepStrictEqual(dataFiles(world), namedFiles(world))
  assertShown(manifests(world), readExport(world).run)
  assertSame(readExport(world), (table) => logInFolder(join(world.lake, table)))
  assert.isFalse(existsSync(join(world.dataDir, "staging")))
  assert.deepStrictEqual(unfinished(world), [])
}
/** Everything in the folder for unfinished files. */
const unfinished = ({ lake }: World) => readdirSync(join(lake, ".unfinished")).filter((name) => name !== "lock.sqlite")

export const query = (sql: string): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>> =>
  Effect.promise(async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    return (await connection.runAndReadAll(sql)).getRowsJson()
  })
