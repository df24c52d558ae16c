/**
 * A ledger over a real Store and a real warehouse in a folder, started as often as a test wants; and events about IPCs.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import type { AppliedEvent } from "../../src/Ledger/EventFacts.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { entryNumber, type Given, idOf } from "../connectors/Entries.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { contractor } from "./Contractor.ts"

const start = Date.UTC(2026, 10, 20) * 1000
export const at = (second: number) => Instant.fromMicros(start + second * 1_000_000)

export const heard = (id: string, second: number, received: number, values: Change["values"]): AppliedEvent => ({
  eventId: `event-${id}-${second}-${received}`,
  at: at(second),
  receivedAt: at(received),
  change: {
    entity: "ipcs",
    id,
    version: Version.make(start + second * 1_000_000, 3, "a".repeat(64)),
    source: "event",
    seenAt: at(received),
    values,
    misfits: {},
    extra: {}
  }
})

export const certified = (id: string, second: number, received: number, amount: string) =>
  heard(id, second, received, {
    certified_amount: amount,
    certificate_url: `https://c/${id}`,
    certified_at: at(second)
  })
export const paid = (id: string, second: number, received: number, reference = `PAY-${id}`) =>
  heard(id, second, received, { payment_reference: reference, paid_at: at(second) })

export const payment = (id: string): ReadonlyArray<AppliedEvent> => [certified(id, 1, 10, "5.0000"), paid(id, 5, 11)]

export const created = (id: string, second: number, received: number, projectId: string) =>
  heard(id, second, received, { project_id: projectId })

export const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
  Effect.sync(() => removeFolder(path))
)

/** What the ledger needs: making a warehouse takes longer than most tests of the books. */
const books = (path: string, terms: Terms = contractor) =>
  Layer.provideMerge(Ledger.layerWith(terms), Sqlite.layerAt(`${path}/store.sqlite`))

/** The same with the warehouse, and the books' copies there. */
export const stores = (path: string, terms: Terms = contractor) =>
  Copies.layer.pipe(
    Layer.provideMerge(DuckDb.layerAt(`${path}/warehouse.duckdb`)),
    Layer.provideMerge(books(path, terms))
  )

/** One start of a worker over the files of a folder, as far as its ledger needs it. */
export const started = <A, E>(path: string, body: Effect.Effect<A, E, Ledger | Store>, terms?: Terms) =>
  Effect.scoped(Effect.provide(body, books(path, terms), { local: true }))

/** The same with all of it. */
export const startedWhole = <A, E>(
  path: string,
  body: Effect.Effect<A, E, Ledger | Copies | Store | Warehouse>,
  terms?: Terms
) => Effect.scoped(Effect.provide(body, stores(path, terms), { local: true }))

/** One start over new files. */
export const startedOnce = <A, E>(body: Effect.Effect<A, E, Ledger | Store>, terms?: Terms) =>
  Effect.scoped(Effect.flatMap(folder, (path) => started(path, body, terms)))

export const startedWholeOnce = <A, E>(body: Effect.Effect<A, E, Ledger | Copies | Store | Warehouse>, terms?: Terms) =>
  Effect.scoped(Effect.flatMap(folder, (path) => startedWhole(path, body, terms)))

/** As someone opens it who wants to change what can't be changed. */
export const opened = (path: string): DatabaseSync => {
  const database = new DatabaseSync(`${path}/store.sqlite`)
  for (const { name } of database.prepare("select name from sqlite_master where type = 'trigger'").all()) {
    database.exec(`drop trigger "${name}"`)
  }
  return database
}

export const verified = Effect.flatMap(Ledger, ({ verify }) => verify)

export const hear = (batch: ReadonlyArray<AppliedEvent>) => Effect.flatMap(Ledger, (ledger) => ledger.hear(batch))

export const copy = Effect.flatMap(Copies, ({ catchUp }) => catchUp)

export const copied = (table: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(async (db) => {
      const { rows } = await sql
        .raw<Record<string, unknown>>(`select * from construction.${table} order by 1`)
        .execute(db)
      return rows
    })
  )

export const journal = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_entries").selectAll().orderBy("sequence").execute())
)

/** Puts entries into the books as they are, after those that are there, as if the fold had posted them by the newest fact. */
export const keep = (all: ReadonlyArray<Given>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction(async (tx) => {
      const { fact, last } = await tx
        .selectNoFrom((from) => [
          from
            .selectFrom("ledger_entries")
            .select((of) => of.fn.max("sequence").as("n"))
            .as("last"),
          from
            .selectFrom("ledger_facts")
            .select((of) => of.fn.max("number").as("n"))
            .as("fact")
        ])
        .executeTakeFirstOrThrow()
      const numbers = all.map((_, index) => Number(last ?? 0) + index + 1)
      const entries = all.map((given, index) => {
        const number = numbers[index] ?? 0
        return entryNumber(number, { ...given, sequence: number, entry_id: idOf(number), fact: Number(fact) }).entry
      })
      for (let from = 0; from < entries.length; from += 500)
        await tx
          .insertInto("ledger_entries")
          .values(entries.slice(from, from + 500))
          .execute()
      return entries
    })
  )

export const holds = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_holds").selectAll().execute())
)
