/**
 * Events that a person searches, on both engines: every filter, page after page, and what happens where a search would
 * take too long.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { sql } from "kysely"
import type { Answer, Payload } from "../../src/Operate/AdminApi.ts"
import { events, latest } from "../../src/Operate/Events.ts"
import { asking, found, mostSearched } from "../../src/Operate/Events/Search.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import type { EventRow } from "../../src/Stores/WarehouseTables.ts"
import { engines } from "../Stores/WarehouseEngines.ts"
import { eventRow } from "../Stores/Written.ts"

const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 0, minute)).toISOString().replace("Z", "000Z")

/** Received in the minute of its number, unless it says otherwise. */
const row = (sequence: number, change: Partial<EventRow> = {}): EventRow => ({
  ...eventRow(sequence, "{}"),
  event_type: "ipc.paid",
  entity: "ipcs",
  entity_id: "IPC-7",
  received_at: at(sequence),
  outcome: "applied",
  reason: null,
  alarms: "[]",
  ...change
})

const write = (rows: ReadonlyArray<EventRow>) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes: [], events: rows }))

/** All up to this number have their rows. */
const settled = (through: number) =>
  Effect.updateService(Store, (store) => ({
    ...store,
    deliveries: {
      ...store.deliveries,
      settledThrough: Effect.succeed(through),
      stored: (after: number) =>
        Effect.succeed({
          events: Array.from({ length: through - after }, (_, place) => row(after + place + 1)).map((each) => ({
            sequence: Number(each.sequence),
            bodySha256: each.body_sha256
          })) as never,
          through,
          hasMore: false
        })
    }
  }))

const numbers = ({ events: found }: Answer<"events">) => found.map(({ sequence }) => sequence)

/** All pages, the newest first. */
const pages = Effect.fnUntraced(function* (wanted: Payload<"events">) {
  const found: Array<ReadonlyArray<number>> = []
  for (let before: string | null | undefined; before !== null;) {
    const page: Answer<"events"> = yield* events({ ...wanted, ...(before === undefined ? {} : { before }) })
    found.push(numbers(page))
    before = page.next
  }
  return found
})

/** As if the first search never came to its end. */
const impatient = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    let asked = 0
    const query = ((run) => (asked++ % 2 === 0 ? Effect.never : warehouse.query(run))) as typeof warehouse.query
    return yield* Effect.provideService(body, Warehouse, { ...warehouse, query })
  })

type Needed = Store | Warehouse

describe.each(engines)("events searched in $name", ({ isSkipped, layer }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Needed>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.provide(body, layer as Layer.Layer<Needed, unknown>, { local: true }))
    )

  test(
    "are found by what was odd, by outcome, by type, by IPC and by time, however old they are",
    Effect.gen(function* () {
      yield* write([
        row(1, { alarms: '["replayed","relabelled"]' }),
        row(2, { alarms: '["id-reused"]', event_type: "ipc.certified" }),
        row(3, { outcome: "quarantined", reason: "no-key", entity: null, entity_id: null }),
        row(4, { entity_id: "IPC-8" }),
        row(5, { entity: "vos" }),
        row(9, { alarms: '["replayed"]' })
      ])
      const of = (wanted: Payload<"events">) => Effect.map(events(wanted), numbers)
      // Far behind the newest numbers, which are of bodies that came before.
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* of({ last: 2 }), [5, 9])
        // With these a dashboard begins.
        assert.deepStrictEqual(
          (yield* latest({ last: 2 })).events.map(({ sequence }) => sequence),
          [5, 9]
        )
        assert.lengthOf((yield* events({})).events, 6)
        assert.deepStrictEqual(yield* of({ alarm: "replayed" }), [1, 9])
        assert.deepStrictEqual(yield* of({ alarm: "replayed", to: at(9) }), [1])
        assert.deepStrictEqual(yield* of({ alarm: "relabelled" }), [1])
        assert.deepStrictEqual(yield* of({ alarm: "id-reused", types: ["ipc.paid"] }), [])
        assert.deepStrictEqual(yield* of({ outcome: "quarantined" }), [3])
        assert.deepStrictEqual(yield* of({ types: ["ipc.certified", "none"] }), [2])
        assert.deepStrictEqual(yield* of({ ipc: "IPC-7" }), [1, 2, 9])
        assert.deepStrictEqual(yield* of({ record: "IPC-7" }), [1, 2, 5, 9])
        assert.deepStrictEqual(yield* of({ record: "IPC-7", table: "vos" }), [5])
        assert.deepStrictEqual(yield* of({ table: "ipcs" }), [1, 2, 4, 9])
        assert.deepStrictEqual(yield* of({ from: at(2), to: at(4) }), [2, 3])
        assert.deepStrictEqual(yield* of({ from: "2026-10-01", to: "2026-10-01T00:01:30" }), [1])
        assert.deepStrictEqual(yield* of({ from: "2026-10-02" }), [])
        assert.deepStrictEqual(yield* of({ ipc: "x' or true --" }), [])
        assert.deepStrictEqual(yield* of({ record: "x' or true --", table: "' or true --" }), [])
      }).pipe(settled(5000))
      // Their rows are written, and those of one before them aren't.
      assert.deepStrictEqual(yield* of({ ipc: "IPC-7" }).pipe(settled(2)), [1, 2])
    })
  )

  test(
    "come page behind page, each once, also those of the same moment, and others come meanwhile",
    Effect.gen(function* () {
      const all = Array.from({ length: 23 }, (_, place) => place + 1)
      yield* write(all.map((number) => row(number, { received_at: at(Math.floor(number / 4)) })))
      const first = yield* events({ ipc: "IPC-7", last: 5 }).pipe(settled(23))
      yield* write([row(24), row(25)])
      yield* Effect.gen(function* () {
        const rest = yield* pages({ ipc: "IPC-7", last: 5, before: first.next! })
        const found = [numbers(first), ...rest.slice(0)]
        assert.deepStrictEqual(found.toReversed().flat(), all)
        assert.deepStrictEqual(
          found.map(({ length }) => length),
          [5, 5, 5, 5, 3]
        )
        // Also of all.
        const newest = yield* pages({ last: 6 })
        assert.deepStrictEqual(newest.toReversed().flat(), [...all, 24, 25])
      }).pipe(settled(25))
    })
  )

  test(
    "come each once, also where the clocks of those who received them differ",
    Effect.gen(function* () {
      const all = Array.from({ length: 20 }, (_, place) => place + 1)
      yield* write(all.map((number) => row(number, { received_at: at(number % 2 === 0 ? number - 3.5 : number) })))
      const found = yield* pages({ last: 6 }).pipe(settled(20))
      assert.deepStrictEqual(
        found.flat().toSorted((a, b) => a - b),
        all
      )
    })
  )

  test(
    "are looked at some thousands at a time, and it says how far, where the search would take too long",
    Effect.gen(function* () {
      const count = mostSearched + 1000
      const rows = Array.from({ length: count }, (_, place) =>
        row(place + 1, place === 0 || place > count - 3 ? {} : { entity_id: "IPC-8" })
      )
      yield* write(rows)
      yield* Effect.gen(function* () {
        const first = yield* impatient(events({ ipc: "IPC-7", last: 5 }))
        assert.deepStrictEqual(numbers(first), [count - 1, count])
        assert.strictEqual(first.next, `${at(count - mostSearched + 1)} ${count - mostSearched + 1}`)
        const second = yield* impatient(events({ ipc: "IPC-7", last: 5, before: first.next! }))
        assert.deepStrictEqual([numbers(second), second.next], [[1], null])
        const full = yield* impatient(events({ ipc: "IPC-8", last: 5 }))
        assert.deepStrictEqual(full, yield* events({ ipc: "IPC-8", last: 5 }))
      }).pipe(settled(count))
    })
  )

  test(
    "aren't found by what is no time or no end of a page, and it says so",
    Effect.gen(function* () {
      const why = (wanted: Payload<"events">) => Effect.map(Effect.flip(events(wanted)), ({ message }) => message)
      assert.match(yield* why({ from: "yesterday" }), /^from isn't a time: write it like/)
      assert.match(yield* why({ to: "2026-13-01" }), /^to isn't a time/)
      assert.match(yield* why({ before: "7" }), /No page of events ends at 7/)
      assert.match(yield* why({ before: "2026-10-01T00:00:00Z x" }), /No page of events ends/)
    })
  )
})

/** Read from an index, with a hundred thousand of them, of which few are odd. */
describe.skipIf(engines[1]!.isSkipped)("PostgreSQL", () => {
  it.live("finds what came at a time, and what was odd, by an index", () =>
    Effect.gen(function* () {
      const { query } = yield* Warehouse
      yield* write([row(1, { alarms: '["replayed"]' })])
      const asked = yield* Effect.forEach(
        [{ alarm: "replayed" }, { outcome: "quarantined" }, { to: "2026-10-02T00:01:00Z" }] as const,
        (wanted) => asking(wanted, 100_000, 100)
      )
      const plan = yield* query(async (db) => {
        await sql`
          insert into construction.events (body_sha256, sequence, event_id, event_type, received_at, outcome, deliveries, alarms)
          select 'x' || n, n, 'e', 'ipc.paid', timestamptz '2026-10-02Z' + n * interval '1 second', 'applied', 1, '[]'
          from generate_series(2, 100000) n`.execute(db)
        await sql`analyze construction.events`.execute(db)
        const plans = asked.map((each) => sql<Record<string, string>>`explain ${found(each)}`.execute(db))
        return (await Promise.all(plans)).map(({ rows }) => rows.flatMap(Object.values).join("\n"))
      })
      assert.include(plan[0], "events_odd")
      assert.include(plan[1], "events_odd")
      assert.include(plan[2], "events_received")
    }).pipe(Effect.scoped, Effect.provide(engines[1]!.layer as Layer.Layer<Needed, unknown>))
  )
})
