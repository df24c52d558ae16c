/** A store with old deliveries, and a lake in a folder: everything but the service, in this process. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { sql } from "kysely"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import type { Instant } from "../../../src/Domain/Instant.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { copyTo } from "../../../src/Intake/Mirror.ts"
import { archiveNext } from "../../../src/Lake/Archiving.ts"
import * as Folder from "../../../src/Lake/Folder.ts"
import { Lake } from "../../../src/Lake/Lake.ts"
import { Elsewhere } from "../../../src/Stores/Archives/ArchiveFolder.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { type Deliveries, Store } from "../../../src/Stores/Store.ts"
import { noMirrors, Warehouse } from "../../../src/Stores/Warehouse.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { delivery, until } from "../Postgres/World.ts"
import { folder } from "../WarehouseEngines.ts"

const reading = { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 1 << 22 }

const reader = Layer.succeed(
  EventReader,
  EventReader.of({ ledgerTypes, awaitedTypes, read: (event, now) => ConstructionReader.read(reading, event, now) })
)

export const lakeIn = (folder: string) => join(folder, "lake")

/** The store, which knows that the lake has the other copy. */
export const store = (folder: string) =>
  Sqlite.layerAt(join(folder, "store.sqlite")).pipe(
    Layer.provide(
      Layer.effect(
        Elsewhere,
        Effect.map(Lake, (lake) => ({
          name: lake.name,
          fetch: (path, localFile) => Effect.runPromise(lake.fetch(path, localFile))
        }))
      )
    ),
    Layer.provideMerge(Folder.layerAt(lakeIn(folder)))
  )

/** The whole way from the inbox to rows and books. */
export const worker = (folder: string) =>
  Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), Copies.layer, reader)),
    Layer.provideMerge(DuckDb.layerAt(join(folder, "warehouse.duckdb"))),
    Layer.provideMerge(Layer.merge(store(folder), Reasons.layer))
  )

/** The store and the lake alone. */
export const stores = (folder: string) =>
  Layer.mergeAll(store(folder), Layer.mock(Warehouse, { id: "mocked", prefersFewTables: false, mirrors: noMirrors }))

export const ncr = (number: number, more: object = {}) =>
  JSON.stringify({ ncr_id: `N${number}`, severity: "high", event_timestamp: "2026-01-05T09:00:00Z", ...more })

export const certified = (ipc: string) =>
  JSON.stringify({
    ipc_id: ipc,
    project_id: 1,
    certified_amount: "12.50",
    certificate_url: "https://c/1",
    event_timestamp: "2026-01-04T09:00:00Z"
  })

export const paid = (ipc: string) =>
  JSON.stringify({ ipc_id: ipc, payment_reference: `P-${ipc}`, event_timestamp: "2026-01-05T10:00:00Z" })

export const arrived = (body: string, day: string) => delivery(body, { receivedAt: `${day}T02:00:00.000000Z` })

/** January: rows, money, rubbish and a body that comes again; February; and November, which is young. */
export const history = [
  ...[1, 2, 3].map((number) => arrived(ncr(number), "2026-01-05")),
  arrived(certified("A"), "2026-01-06"),
  arrived("rubbish", "2026-01-06"),
  arrived(ncr(2), "2026-01-07"),
  arrived(paid("A"), "2026-01-08"),
  arrived(ncr(4), "2026-01-31"),
  ...[5, 6].map((number) => arrived(ncr(number), "2026-02-05")),
  ...[7, 8].map((number) => arrived(ncr(number), "2026-11-19"))
]

/** The numbers of what stays of the two old months: the certificate, the rubbish and the payment. */
export const staying = [4, 5, 7]

export const young = "2026-11-01T00:00:00.000000Z"

export const archiving = Effect.map(
  Store,
  ({ deliveries }) => deliveries.archiving as NonNullable<Deliveries["archiving"]>
)

/** The names of the months before a time that left. */
export const archiveBefore = (before: Instant) =>
  Effect.gen(function* () {
    const months: Array<string> = []
    const each = yield* archiving
    while (true) {
      const made = yield* archiveNext(each, before)
      if (Option.isNone(made)) return months
      months.push(made.value.name.replace(/^.*\//, ""))
    }
  })

export const archiveAll = archiveBefore(young)

export const copyToWarehouse = Effect.gen(function* () {
  const { deliveries } = yield* Store
  const live = yield* (yield* Warehouse).mirrors.live
  if (Option.isSome(live) && deliveries.copying !== undefined) yield* copyTo(live.value, deliveries.copying)
})

export const applied = Effect.flatMap(Inbox, (inbox) => until(Effect.map(inbox.status, ({ pending }) => pending === 0)))

export const offerAll = (all: typeof history) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    for (const each of all) yield* Effect.promise(() => inbox.offer(each))
    yield* applied
  })

/** Every delivery that the store hands out from its beginning, with its body. */
export const handedOut = Effect.gen(function* () {
  const store = yield* Store
  yield* store.transaction((tx) => store.deliveries.restart(tx))
  const all: Array<string> = []
  while (true) {
    const took = yield* store.deliveries.take(5)
    if (took.taken.length === 0) return all
    for (const { event } of took.taken) {
      all.push(`${event.sequence} ${Buffer.from(event.body).toString()} ${event.deliveries} ${event.receivedAt}`)
    }
    yield* store.transaction((tx) => store.deliveries.settle(tx, took, []))
  }
})

/** The same with how often each body came, whatever was between its deliveries. */
export const counted = Effect.map(handedOut, (lines) =>
  [
    ...new Map(
      lines.map((line) => {
        const [, body = "", deliveries] = /^\d+ (.*) (\d+) \S+$/.exec(line) ?? []
        return [body, deliveries]
      })
    )
  ].map(String)
)

/** All rows of the warehouse that come from events. */
export const rows = Effect.gen(function* () {
  const { query } = yield* Warehouse
  const all = (table: string, order: string) =>
    query((db) =>
      sql<Record<string, unknown>>`select * from ${sql.table(table)} order by ${sql.ref(order)}`.execute(db)
    )
  const found = [yield* all("construction.events", "sequence"), yield* all("construction.ncrs", "id")]
  const ours = new Set(["_first_seen_at", "_changed_at"])
  return found.map((each) =>
    each.rows.map((row) => JSON.stringify(Object.entries(row).filter(([name]) => !ours.has(name))))
  )
})

export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .toSorted()

type Services = Layer.Success<ReturnType<typeof stores>>

export const inStores = <A, E>(path: string, body: Effect.Effect<A, E, Services>) =>
  Effect.scoped(Effect.provide(body, stores(path), { local: true }))

/** A store that has taken and applied everything. */
export const filled = Effect.gen(function* () {
  const path = yield* folder
  yield* inStores(
    path,
    Effect.gen(function* () {
      const { deliveries } = yield* Store
      yield* Effect.promise(() => deliveries.receive(history))
      yield* handedOut
    })
  )
  return path
})

export const archivesIn = (path: string) => filesIn(join(path, "archive")).filter((file) => file.endsWith(".parquet"))
