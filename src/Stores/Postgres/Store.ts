/**
 * The Store in PostgreSQL, schema `siteledger`, beside the warehouse in the same database.
 */
import { Duration, Effect, Layer } from "effect"
import type { Kysely, Transaction } from "kysely"
import { Postgres, PostgresError } from "./Postgres.ts"
import { connectionsForAudits } from "./ConnectionCounts.ts"
import * as Failure from "./Failure.ts"
import { type Presence, Store, StoreError } from "../Store.ts"
import * as Deliveries from "./Deliveries.ts"
import { hostAt } from "./Hosting.ts"
import * as Looks from "./Looks.ts"
import { receive } from "./Receive.ts"
import type { StoreTables } from "../StoreTables.ts"

const toStoreError = ({ cause, message, reason }: PostgresError): StoreError =>
  new StoreError({ reason, message, cause })

export const noBackup = new StoreError({
  reason: "Failed",
  message: "The store is in PostgreSQL: back it up with the server's own tools, such as pg_dump (docs/postgres.md)."
})

const otherKey = new StoreError({
  reason: "Unusable",
  message:
    "The secrets in this database were sealed with another key: give all workers the same SITELEDGER_KEY. If that key " +
    "is lost, delete the row webhook_fingerprint_key from siteledger.meta: a new subscription is then created."
})

const presence = (run: Store["Service"]["run"]): Presence => ({
  say: (row, forgottenBefore) =>
    Effect.asVoid(
      run((db) =>
        db
          .with("forgotten", (of) =>
            of.deleteFrom("workers").where("id", "!=", row.id).where("seen_at", "<", forgottenBefore)
          )
          .insertInto("workers")
          .values(row)
          .onConflict((of) => of.column("id").doUpdateSet(row))
          .execute()
      )
    ),
  withdraw: (id) => Effect.asVoid(run((db) => db.deleteFrom("workers").where("id", "=", id).execute())),
  all: run((db) => db.selectFrom("workers").selectAll().orderBy("started_at").execute())
})

const make = Effect.gen(function* () {
  const postgres = yield* Postgres
  const run = <A>(query: (db: Kysely<StoreTables>) => Promise<A>): Effect.Effect<A, StoreError> =>
    Effect.mapError(
      postgres.run((db) => query(db as unknown as Kysely<StoreTables>)),
      toStoreError
    )
  const atomically = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.mapError(postgres.atomically(effect), (error) =>
      error instanceof PostgresError ? toStoreError(error) : error
    )
  const look = Looks.make(run, postgres.isAtomic)
  return Store.of({
    engine: "postgres",
    run,
    atomically,
    sharesDatabase: true,
    afterCommit: postgres.afterCommit,
    transaction: (body) => atomically(run((db) => body(db as Transaction<StoreTables>))),
    pollEvery: Duration.seconds(1),
    look,
    stamp: (table) => look(Looks.stamps[table]),
    lostKey: Effect.fail(otherKey),
    workers: presence(run),
    knows: (erasures) =>
      Effect.sync(() => {
        postgres.connections.known.erasures = erasures
      }),
    deliveries: Deliveries.make(
      { run, look },
      {
        host: hostAt(postgres.connections.receiving, postgres.name, postgres.connections.known),
        receive: (batch) =>
          receive(postgres.connections.prompt, batch).catch((cause: unknown) => {
            throw new StoreError(Failure.of(cause, postgres.name))
          })
      }
    ),
    readAt: {
      engine: "postgres",
      config: postgres.connections.reading,
      name: postgres.name,
      readers: connectionsForAudits
    },
    pieces: Effect.succeed([]),
    backup: () => Effect.fail(noBackup),
    following: undefined
  })
})

export const layer: Layer.Layer<Store, never, Postgres> = Layer.effect(Store, make)
