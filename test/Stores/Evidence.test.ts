/** What the warehouse shows about deliveries, on a real one. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { cameLate, lastChangeMs } from "../../src/Stores/Evidence.ts"
import { folder } from "./WarehouseEngines.ts"
import { eventRow } from "./Written.ts"

const at = (time: string): string => `2026-11-20T${time}.000000Z`
const ms = (time: string): number => Date.parse(at(time))

const project = (id: string, name: string, time: string): Change => ({
  entity: "projects",
  id,
  version: Version.make(ms(time) * 1000, 0, ""),
  source: "page",
  seenAt: at(time),
  values: { name },
  misfits: {},
  extra: {}
})

it.effect("the last change is the newest time that a record was seen new or different", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const look = Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const write = (...changes: ReadonlyArray<Change>) => warehouse.write({ changes, events: [] })
      assert.strictEqual(yield* lastChangeMs(["projects", "ipcs"]), undefined)
      yield* write(project("1", "one", "02:00:00"), project("2", "two", "02:00:00"))
      assert.strictEqual(yield* lastChangeMs(["projects", "ipcs"]), ms("02:00:00"))
      yield* write(project("1", "one", "03:00:00"))
      assert.strictEqual(yield* lastChangeMs(["projects"]), ms("02:00:00"), "seen again, but not changed")
      yield* write(project("2", "another", "04:00:00"))
      assert.strictEqual(yield* lastChangeMs(["projects"]), ms("04:00:00"))
    })
    yield* look.pipe(Effect.provide(warehouseIn(path)))
  }).pipe(Effect.scoped)
)

it.effect("an event is late for an interval if its own time is in it and it was received after its end", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const events = [
      ["01:59:59", "03:30:00"],
      ["02:00:00", "03:30:00"],
      ["02:30:00", "02:30:01"],
      ["02:30:00", "04:00:00"],
      ["03:00:00", "03:00:01"],
      ["03:00:01", "03:00:02"],
      [null, "03:30:00"]
    ] as const
    const count = Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const rows = events.map(([own, received], index) => ({
        ...eventRow(index + 1, "{}"),
        event_timestamp: own === null ? null : at(own),
        received_at: at(received)
      }))
      yield* warehouse.write({ changes: [], events: rows })
      return yield* cameLate({ fromMs: ms("02:00:00"), toMs: ms("03:00:00") })
    })
    assert.strictEqual(yield* count.pipe(Effect.provide(warehouseIn(path))), 3)
  }).pipe(Effect.scoped)
)

const warehouseIn = (path: string) =>
  DuckDb.layerAt(join(path, "warehouse.duckdb")).pipe(Layer.provide(Sqlite.layerAt(join(path, "store.sqlite"))))
