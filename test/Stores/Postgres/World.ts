/**
 * A database of its own, and workers' stores on it: what the tests of PostgreSQL stand on.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Postgres, type PostgresError } from "../../../src/Stores/Postgres/Postgres.ts"
import type { Delivery, Store } from "../../../src/Stores/Store.ts"
import * as PostgresStore from "../../../src/Stores/Postgres/Store.ts"
import type { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as PostgresWarehouse from "../../../src/Stores/Postgres/Warehouse.ts"
import { database as made, type Database } from "../../Postgres.ts"
import { proxied } from "./Proxy.ts"

/** One worker's stores. */
export const storesAt = (url: string): Layer.Layer<Postgres | Store | Warehouse, PostgresError> =>
  Layer.merge(PostgresStore.layer, PostgresWarehouse.layer).pipe(
    Layer.provideMerge(Postgres.layerAt(Redacted.make(url)))
  )

export const using = <A extends AsyncDisposable>(open: () => Promise<A>) =>
  Effect.acquireRelease(Effect.promise(open), (opened) =>
    Effect.promise(async () => {
      await opened[Symbol.asyncDispose]()
    })
  )

export const database = using(made)

export const proxy = (url: string) => using(() => proxied(url))

export const ask = ({ query }: Database, text: string) => Effect.promise(() => query(text))

/** Sessions of workers that a database has at the moment, with what they do. */
export const sessions = (database: Database) =>
  ask(
    database,
    `select pid, state, query from pg_stat_activity
     where datname = current_database() and application_name = 'siteledger'`
  )

/** So many sessions are in `pg_sleep`. */
export const isAsleep = (own: Database, count = 1) =>
  Effect.map(
    sessions(own),
    (all) => all.filter(({ query, state }) => state === "active" && query?.includes("pg_sleep")).length === count
  )

/** Asks until it holds, for at most ten seconds. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (yield* holds) return
      yield* Effect.sleep(50)
    }
    return yield* Effect.die(new Error("It never came to be"))
  })

/** A delivery that says this, under an id that follows from it. */
export const delivery = (body: string | Uint8Array, given: Partial<Delivery> = {}): Delivery => {
  const bytes = Buffer.from(body)
  const bodySha256 = createHash("sha256").update(bytes).digest()
  return {
    body: bytes,
    bodySha256,
    eventId: bodySha256.toString("hex"),
    headerType: "ipc.paid",
    issuedAt: null,
    receivedAt: "2026-11-20T02:00:00.000000Z",
    ...given
  }
}
