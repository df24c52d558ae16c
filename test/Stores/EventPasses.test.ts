/**
 * Events as Parquet: each in the file of its UTC date, in as many passes as needed.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import * as EventPasses from "../../src/Stores/EventPasses.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { query } from "../RunningWorker.ts"
import { folder } from "./WarehouseEngines.ts"
import { eventRow } from "./Written.ts"

const day = 86_400_000_000
const first = Date.UTC(2026, 0, 1) * 1000
const days = 150
const at = (micros: number): string => Instant.fromMicros(first + micros)

/** Events at the edges of a day, and one without its own time. */
const eventsOf = (date: number) =>
  [0, 1, day - 1, null].map((within, index) => ({
    ...eventRow(date * 4 + index + 1, `{"day":${date}}`),
    event_timestamp: within === null ? null : at(date * day + within),
    received_at: within === null ? at(date * day + day - 1) : at((days + 1) * day)
  }))

it.effect("each event is in the file of its date, although there are more dates than fit into a pass", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const files = yield* Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const events = Array.from({ length: days }, (_, date) => eventsOf((date * 67) % days)).flat()
      yield* warehouse.write({ changes: [], events, watermark: events.length })
      const snapshot = yield* warehouse.snapshot
      const dates = yield* snapshot.eventDates
      assert.isAbove(EventPasses.plan(dates).length, 1)
      return yield* snapshot.writeEvents(dates, `${path}/events`)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)))
      )
    )
    assert.deepStrictEqual(
      files.map(({ date, rows }) => `${date} ${rows}`).toSorted(),
      Array.from({ length: days }, (_, date) => `${at(date * day).slice(0, 10)} 4`)
    )
    const found = yield* Effect.promise(() =>
      query(
        `${path}/warehouse.duckdb`,
        `select count(distinct sequence) as events, count(*) filter (regexp_extract(filename, 'event_date=([^/]*)', 1)
           <> strftime(date '2026-01-01' + (payload->>'day')::int, '%Y-%m-%d')) as misplaced
         from read_parquet('${path}/events/*/*/*.parquet', filename = true, hive_partitioning = false)`
      )
    )
    assert.deepStrictEqual(found, [{ events: String(days * 4), misplaced: "0" }])
  }).pipe(Effect.scoped)
)

it("a pass stays within its share of memory, and its row groups are large enough to read fast", () => {
  const large = Array.from({ length: 40 }, (_, index) => ({
    date: at(index * day).slice(0, 10),
    rows: 1_000_000,
    bytes: 400_000_000,
    fingerprint: ""
  }))
  for (const pass of EventPasses.plan(large)) {
    const group = EventPasses.rowGroup(pass)
    assert.isAtLeast(group, 32_768)
    assert.isAtMost(group * pass.dates.length * 400, 96 * 1024 * 1024)
  }
  assert.deepStrictEqual(
    EventPasses.plan(large).flatMap(({ dates }) => dates),
    large.map(({ date }) => date)
  )
})

const passesOf = (rows: number, atOnce: number) =>
  EventPasses.plan(
    Array.from({ length: 30 }, (_, day) => ({ date: `2026-01-${day}`, rows, bytes: rows * 400, fingerprint: "" })),
    atOnce
  )

it("passes that are made at once share the memory and the rows, unless these are few", () => {
  for (const rows of [1, 4000, 5000, 40_000, 400_000]) {
    const [alone, together] = [passesOf(rows, 1), passesOf(rows, 2)]
    const isMuch = rows * 30 > EventPasses.largestRowGroup
    assert.isAtLeast(together.length, isMuch ? 2 : 1)
    if (!isMuch) assert.lengthOf(together, 1)
    const held = (pass: EventPasses.Pass) => (EventPasses.rowGroup(pass) * pass.dates.length * pass.bytes) / pass.rows
    assert.isAtMost(Math.max(...together.map(held)), Math.max(...alone.map(held), together[0]!.room))
    assert.strictEqual(together[0]!.room * 2, alone[0]!.room)
    if (together.length === 2) assert.strictEqual(together[0]!.rows, together[1]!.rows)
    assert.deepStrictEqual(
      together.flatMap(({ dates }) => dates),
      alone.flatMap(({ dates }) => dates)
    )
  }
})
