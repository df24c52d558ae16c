/** A database per test, and workers' stores on it, for the tests of PostgreSQL. */
import { createHash } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Client } from "pg"
import { Postgres, type PostgresError } from "../../../src/Stores/Postgres/Postgres.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import type { Store } from "../../../src/Stores/Store.ts"
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

/** The current sessions of workers on a database, with their state and query, without those that watch them. */
export const sessions = (database: Database) =>
  ask(
    database,
    `select pid, state, query from pg_stat_activity
     where datname = current_database() and application_name like 'siteledger worker %' and query not like '%from pg_stat_activity%'`
  )

/** Exactly `count` sessions are in `pg_sleep`. */
export const isAsleep = (own: Database, count = 1) =>
  Effect.map(
    sessions(own),
    (all) => all.filter(({ query, state }) => state === "active" && query?.includes("pg_sleep")).length === count
  )

/** Checks a condition until it holds, for at most ten seconds. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (yield* holds) return
      yield* Effect.sleep(50)
    }
    return yield* Effect.die(new Error("The condition never held"))
  })

/** Waits until a session waits for a lock. */
export const untilBlocked = (own: Database) =>
  until(
    Effect.map(
      ask(own, "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
      (rows) => rows.length === 1
    )
  )

/** Opens a session; returns a function that runs a statement in it. */
export const session = ({ url }: Database) =>
  Effect.gen(function* () {
    const client = new Client({ connectionString: url })
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect()),
      () => Effect.promise(() => client.end())
    )
    return (text: string) => Effect.promise(() => client.query(text))
  })

/** A delivery with this body; its event id is derived from the body. */
export const delivery = (body: string | Uint8Array, fields: Partial<Delivery> = {}): Delivery => {
  const bytes = Buffer.from(body)
  const bodySha256 = createHash("sha256").update(bytes).digest()
  return {
    body: bytes,
    bodySha256,
    eventId: bodySha256.toString("hex"),
    headerType: "ipc.paid",
    issuedAt: null,
    receivedAt: "2026-11-20T02:00:00.000000Z",
    headers: ["X-Event", "ipc.paid"],
    secret: "fingerprint",
    ...fields
  }
}
