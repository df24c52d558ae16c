/**
 * This version opens databases of version 0.1.0 with all their content. `Released/` holds dumps of them, with rows in every
 * table. The dumps never change, and so neither does what migration 0001 makes.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Outbox } from "../../src/Ledger/Outbox.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Sightings from "../../src/Walk/Sightings.ts"
import { contractor } from "../Ledger/Contractor.ts"
import * as Databases from "../Postgres.ts"
import { storesAt } from "./Postgres/World.ts"
import { contents, type Engine, engines } from "./VersionEngines.ts"
import { folder } from "./WarehouseEngines.ts"

/** What they say is in the inbox's segments, or goes there. */
const superseded = new Set(["SQLite event_ids", "SQLite inbox_touched"])

describe.each(engines)(
  "a database of version 0.1.0 in $name",
  ({ columns, empty, isSkipped, migrations, name, released }) => {
    it.live.skipIf(isSkipped)("has the schema that 0001 makes", () =>
      Effect.gen(function* () {
        const [old, fresh] = yield* Effect.all([released, empty])
        const first = Object.fromEntries(Object.entries(migrations).filter(([name]) => name === "0001"))
        yield* Effect.promise(() => fresh.migrate(first))
        // Moves the books' tables in PostgreSQL, which were with the others, and does nothing else.
        yield* Effect.promise(() => old.migrate(first))
        assert.deepStrictEqual(yield* Effect.promise(() => fresh.schema()), yield* Effect.promise(() => old.schema()))
      }).pipe(Effect.scoped)
    )

    it.live.skipIf(isSkipped)("is migrated to this version with every row of every table", () =>
      Effect.gen(function* () {
        const [old, fresh] = yield* Effect.all([released, empty])
        yield* Effect.promise(async () => {
          const known = (await old.ask(columns)).filter(({ table }) => !superseded.has(`${name} ${String(table)}`))
          const before = await contents(old, known)
          for (const [table, rows] of Object.entries(before)) assert.isNotEmpty(rows, table)
          await old.migrate(migrations)
          if (name === "SQLite") await old.ask("delete from meta where key = 'inbox_touched'")
          assert.deepStrictEqual(await contents(old, known), before)
          await fresh.migrate(migrations)
          assert.deepStrictEqual(await old.schema(), await fresh.schema())
        })
      }).pipe(Effect.scoped)
    )
  }
)

const analysts = engines.filter(({ name }) => name !== "SQLite")

describe.each(analysts)("the views of version 0.1.0 in $name", ({ isSkipped, migrations, name, released }) => {
  it.live.skipIf(isSkipped)("are replaced in place, and show currencies", () =>
    Effect.gen(function* () {
      const old = yield* released
      yield* Effect.promise(async () => {
        const isServer = name === "PostgreSQL"
        if (isServer) await old.ask("grant select on construction.ipc_ageing to public")
        await old.migrate(migrations)
        await old.ask("insert into construction.project_currencies values ('default', null, 'JPY')")
        for (const [view, amount] of [
          ["ipc_ageing", "certified_amount"],
          ["cashflow_by_month", "certified_amount"],
          ["vo_exposure", "exposure"]
        ]) {
          const rows = await old.ask(`select currency, ${amount} from construction.${view} where currency = 'JPY'`)
          assert.isNotEmpty(rows, view)
        }
        assert.isNotEmpty(await old.ask("select currency from construction.ledger_lines where currency = 'EUR'"))
        if (!isServer) return
        const rights = "select relacl::text as acl from pg_class where oid = 'construction.ipc_ageing'::regclass"
        assert.match(String((await old.ask(rights))[0]?.["acl"]), /[{,]=r\//)
      })
    }).pipe(Effect.scoped)
  )
})

const releasedOf = (name: string): Engine["released"] =>
  engines.find((engine) => engine.name === name)?.released ?? Effect.die(new Error(`There is no ${name}`))

const embedded = Layer.unwrap(
  Effect.gen(function* () {
    const [store, warehouse] = yield* Effect.all([releasedOf("SQLite"), releasedOf("DuckDB")])
    const path = yield* folder
    copyFileSync(store.at, join(path, "store.sqlite"))
    copyFileSync(warehouse.at, join(path, "warehouse.duckdb"))
    return DuckDb.layerAt(join(path, "warehouse.duckdb")).pipe(
      Layer.provideMerge(Sqlite.layerAt(join(path, "store.sqlite")))
    )
  })
)

const onServer = Layer.unwrap(Effect.map(releasedOf("PostgreSQL"), ({ at }) => storesAt(at)))

interface Place {
  readonly place: string
  readonly isSkipped: boolean
  readonly stores: Layer.Layer<Store | Warehouse, unknown>
}

const places: ReadonlyArray<Place> = [
  { place: "embedded", isSkipped: false, stores: embedded },
  { place: "in PostgreSQL", isSkipped: Databases.skipped !== undefined, stores: onServer }
]

const ids = ["7", "007", "-3", "1234567890123456789", "zone-b"]
const bad = { reason: "no-key" as const, sha256: "ab".repeat(32), record: "{}" }

/** The second pass resumes, and a third pass recognises every id that was seen before. */
const assertWalked = Effect.fnUntraced(function* (store: Store["Service"]) {
  const second = yield* Checkpoints.load(store, "projects")
  assert.deepInclude(second, { pass: 2, rows: 5, total: 5, proof: "counts-agree" })
  const finished = yield* Checkpoints.finishedPages(store, "projects")
  assert.deepStrictEqual([finished.size, finished.missing(2, 2)], [1, [2]])
  const third = { ...second!, pass: 3 }
  assert.deepStrictEqual(yield* Sightings.absent(store, third, 10), ["zone-b"])
  assert.strictEqual(yield* Checkpoints.save(store, third, [{ page: 2, ids, bad: [bad] }], third.started_at), 6)
  const sightings = yield* store.run((db) => db.selectFrom("sightings").selectAll().execute())
  assert.strictEqual(sightings.length, 6, "no id is listed twice")
  yield* Sightings.announce(store, [{ resource: "projects", ids: ["007", "zone-c"] }])
  yield* Sightings.adopt(store, "projects")
  assert.deepStrictEqual(yield* Sightings.absent(store, third, 10), ["zone-c"])
})

describe.each(places)("a worker that continues with it, $place,", ({ isSkipped, stores }) => {
  const outbox = Outbox.layerWith({ status: "draft" })
  const books = Layer.unwrap(Effect.map(Outbox, (own) => Ledger.layerWith({ ...contractor, currency: "EUR" }, own)))
  const worker = Layer.merge(Inbox.layer, books.pipe(Layer.provideMerge(outbox))).pipe(Layer.provideMerge(stores))

  it.live.skipIf(isSkipped)(
    "applies waiting events, resumes walks, folds the same books, and sends the next message",
    () =>
      Effect.gen(function* () {
        const store = yield* Store
        const inbox = yield* Inbox
        const took = yield* inbox.take(10)
        assert.deepStrictEqual(
          took.taken
            .map(({ event }) => event)
            .toSorted((a, b) => a.sequence - b.sequence)
            .map(({ deliveries, eventId, headerType, otherTypes, sequence }) => ({
              sequence,
              eventId,
              headerType,
              otherTypes,
              deliveries
            })),
          [
            { sequence: 1, eventId: "e-1", headerType: "ipc.paid", otherTypes: ["ipc.closed"], deliveries: 2 },
            { sequence: 5, eventId: "e-4", headerType: "ipc.paid", otherTypes: [], deliveries: 1 }
          ]
        )
        assert.deepStrictEqual(
          (yield* store.deliveries.read([1, 2])).map(({ isReused }) => isReused),
          [false, true]
        )
        yield* assertWalked(store)
        const { differences, ...counts } = yield* (yield* Ledger).verify
        assert.deepStrictEqual(differences, [])
        assert.deepStrictEqual(counts, { ipcs: 3, facts: 9, entries: 4, holds: 1, head: null })
        const [letter] = yield* (yield* Outbox).next([], 1)
        assert.deepInclude(letter?.entry, { sequence: 2, amount: "30.0000", payment_reference: 'Zahlung "Ü" 7' })
        const warehouse = yield* Warehouse
        const rows = yield* warehouse.query((db) =>
          db.selectFrom("construction.ledger_entries").select(["sequence", "amount"]).orderBy("sequence").execute()
        )
        assert.deepStrictEqual(
          rows.map(({ amount }) => amount),
          ["100.0000", "30.0000", "-0.0001", "20.0000"]
        )
      }).pipe(Effect.provide(worker), Effect.scoped)
  )
})
