/**
 * A rebuild while other workers run: it waits for their open transactions without deadlocks. It doesn't wait for
 * readers, and they don't notice it.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Projection from "../../../src/Stores/Projection.ts"
import * as Databases from "../../Postgres.ts"
import { folder } from "../WarehouseEngines.ts"
import { eventRow } from "../Written.ts"
import { ask, database, delivery, session, storesAt, untilBlocked } from "./World.ts"

/** The statements of a worker's transactions that can conflict with a rebuild, in order. */
const steps = {
  "that applies events": [
    "select from siteledger.inbox_queue for update",
    "lock table construction.ipcs in row exclusive mode",
    "delete from siteledger.quarantine"
  ],
  "that writes a page's rows": [
    "select from construction.projects for update",
    "update construction.projects set name = 'x'",
    "insert into construction.projects (id) values (2)"
  ],
  "that saves a page's checkpoint": [
    "update siteledger.sightings set last_pass = 2",
    "update siteledger.walk_pages set page = 2",
    "delete from siteledger.walk_writing",
    "update siteledger.walks set rows = 2"
  ]
}

const rows = `
  insert into construction.projects (id) values (1);
  insert into siteledger.sightings values ('projects', '1', 1, 0);
  insert into siteledger.walk_pages values ('projects', 1);
  insert into siteledger.walk_writing values ('projects', '["1"]');
  insert into siteledger.walks values ('projects', 1, 1, 1, 1, 1, 'now', 0, 0, null, null, null);
  insert into siteledger.quarantine values (1, 'not-json')`

/** More than one statement may queue; some wait already, as they were delivered again. */
const many = `
  insert into siteledger.inbox (body_sha256, body, event_id, received_at, headers, secret)
  select n::text::bytea, 'x', n, 'now', '[]', 'x' from generate_series(1, 250002) as numbers(n);
  insert into siteledger.inbox_queue (sequence, is_first, received_at) values (250002, false, 'now'), (1, false, 'now');
  create function few() returns trigger language plpgsql as $$
    begin
      if (select count(*) from fresh) > 250000 then raise 'too many at once'; end if;
      return null;
    end $$;
  create trigger few after insert on siteledger.inbox_queue referencing new table as fresh for each statement
    execute function few()`

describe.skipIf(Databases.skipped !== undefined)("a rebuild beside a worker", () => {
  it.live.each(Object.entries(steps))("%s lets it finish, and then does its work", ([, [first = "", ...others]]) =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      yield* Effect.promise(() => store.deliveries.receive([delivery("one"), delivery("two")]))
      yield* ask(own, rows)
      const run = yield* session(own)
      // A deadlock would then end the rebuild, not this session.
      yield* run("begin; set local deadlock_timeout = '1min'")
      yield* run(first)
      const rebuilding = yield* Effect.forkChild(Projection.rebuild(store))
      yield* untilBlocked(own)
      yield* Effect.forEach(others, run)
      yield* run("commit")
      yield* Fiber.join(rebuilding)
      const [left] = yield* ask(
        own,
        `select (select count(*) from siteledger.inbox_queue) as queued, (select count(*) from siteledger.walks) as walks,
           (select count(*) from siteledger.sightings) as seen, (select count(*) from siteledger.quarantine) as bad,
           (select count(*) from construction.projects) as projects`
      )
      assert.deepStrictEqual(left, { queued: "2", walks: "0", seen: "0", bad: "0", projects: "0" })
    }).pipe(Effect.scoped)
  )

  it.live("loses no delivery that comes while tables are emptied", () =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      const { write } = yield* Effect.provide(Warehouse, context)
      const receive = (body: string) => Effect.promise(() => store.deliveries.receive([delivery(body)]))
      const step = store.atomically(
        Effect.gen(function* () {
          const took = yield* store.deliveries.take(10)
          const events = took.taken.map(({ event }) => event)
          yield* write({ changes: [], events: events.map(({ sequence }) => eventRow(sequence, "{}")) })
          yield* store.transaction((tx) => store.deliveries.settle(tx, took, events))
        })
      )
      const applied = ask(own, "select sequence from construction.events order by 1")
      yield* receive("one")
      yield* step
      const run = yield* session(own)
      // The first one that is emptied, events are the last.
      yield* run("begin; lock table construction.hse_incidents in row exclusive mode")
      const rebuilding = yield* Effect.forkChild(Projection.rebuild(store))
      yield* untilBlocked(own)
      yield* receive("two")
      yield* step
      yield* run("commit")
      yield* Fiber.join(rebuilding)
      yield* step
      assert.deepStrictEqual(yield* applied, [{ sequence: "1" }, { sequence: "2" }])
    }).pipe(Effect.scoped)
  )

  it.live("queues all deliveries in parts, the least numbers first", () =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      yield* ask(own, many)
      yield* Projection.rebuild(store)
      const queued = yield* ask(
        own,
        `select count(*), max(sequence) as last, count(*) filter (where is_first and sequence = place) as "inOrder"
         from (select *, row_number() over (order by id) as place from siteledger.inbox_queue) as placed`
      )
      assert.deepStrictEqual(queued, [{ count: "250002", last: "250002", inOrder: "250002" }])
    }).pipe(Effect.scoped)
  )

  it.live("tells how many deliveries wait without looking for what isn't committed", () =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      const bodies = Array.from({ length: 2100 }, (_, place) => delivery(`body ${place}`))
      yield* Effect.promise(() => store.deliveries.receive(bodies))
      const run = yield* session(own)
      yield* run("begin; lock table construction.hse_incidents in row exclusive mode")
      const rebuilding = yield* Effect.forkChild(Projection.rebuild(store))
      yield* untilBlocked(own)
      assert.strictEqual((yield* store.deliveries.waiting).count, 2 * 2100)
      yield* run("commit")
      yield* Fiber.join(rebuilding)
      assert.strictEqual((yield* store.deliveries.waiting).count, 2100)
    }).pipe(Effect.scoped)
  )

  it.live("changes nothing if it ends in the middle, and lets batches go on", () =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      const { write } = yield* Effect.provide(Warehouse, context)
      yield* Effect.promise(() => store.deliveries.receive([delivery("one")]))
      const taken = Effect.map(store.deliveries.take(10), (took) => took.taken.map(({ event }) => event.sequence))
      yield* write({ changes: [], events: [eventRow(1, "{}")] })
      yield* ask(own, "update siteledger.inbox_queue set is_first = false")
      const run = yield* session(own)
      yield* run("begin; lock table construction.hse_incidents in row exclusive mode")
      const rebuilding = yield* Effect.forkChild(Effect.exit(Projection.rebuild(store)))
      yield* untilBlocked(own)
      assert.deepStrictEqual(yield* taken, [])
      yield* ask(
        own,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      assert(Exit.isFailure(yield* Fiber.join(rebuilding)))
      assert.deepStrictEqual(yield* ask(own, "select is_first from siteledger.inbox_queue"), [{ is_first: "f" }])
      assert.lengthOf(yield* ask(own, "select from construction.events"), 1)
      assert.deepStrictEqual(yield* taken, [1])
    }).pipe(Effect.scoped)
  )

  it.live("doesn't wait for an export, which still sees everything from when it began", () =>
    Effect.gen(function* () {
      const own = yield* database
      const path = yield* folder
      const context = yield* Layer.build(storesAt(own.url))
      const store = yield* Effect.provide(Store, context)
      const { snapshot, write } = yield* Effect.provide(Warehouse, context)
      yield* write({ changes: [], events: [eventRow(1, "{}"), eventRow(2, "{}")] })
      yield* ask(own, "insert into construction.vos (id) values ('1'), ('2'), ('3')")
      const begun = yield* snapshot
      assert.strictEqual(yield* begun.writeTable("events", join(path, "before.parquet")), 2)
      yield* Projection.rebuild(store)
      // A table that it had read, and one that it hadn't.
      assert.strictEqual(yield* begun.writeTable("events", join(path, "events.parquet")), 2)
      assert.strictEqual(yield* begun.writeTable("vos", join(path, "vos.parquet")), 3)
      const left = yield* ask(own, "select from construction.events union all select from construction.vos")
      assert.lengthOf(left, 0)
    }).pipe(Effect.scoped)
  )
})
