/**
 * The Warehouse in PostgreSQL, schema `construction`, beside the Store in the same database.
 *
 * A write joins the transaction in which events are applied, so rows, entries and the settled queue are committed
 * together or not at all. The ledger's tables are views over the Store's. The analysts' copy is a DuckDB file here too.
 */
import { Effect, Layer } from "effect"
import { type Kysely, type KyselyPlugin, sql, type UnknownRow } from "kysely"
import { restingBetween } from "../../Runtime/Rest.ts"
import { Postgres, type PostgresError } from "./Postgres.ts"
import { type Batch, Warehouse, WarehouseError, noMirrors } from "../Warehouse.ts"
import * as LearnedColumns from "../LearnedColumns.ts"
import * as Looks from "./Looks.ts"
import { Publication } from "./Publication.ts"
import * as PostgresSnapshot from "./Snapshot.ts"
import * as PostgresWatermark from "./Watermark.ts"
import * as PostgresWriter from "./Writer.ts"
import type { StoreTables } from "../StoreTables.ts"
import type { WarehouseTables } from "../WarehouseTables.ts"

const toWarehouseError = ({ cause, message, reason }: PostgresError): WarehouseError =>
  new WarehouseError({ reason: reason === "Refused" ? "Refused" : "Failed", message, cause })

const deadlocksInARow = 3

/** Whole numbers are text, like every other value in the Warehouse; the Store has numbers. */
const wholeNumbersAsText: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => ({ ...result, rows: result.rows.map(asText) })
}

const asText = (row: UnknownRow): UnknownRow =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, typeof value === "number" ? String(value) : value])
  )

const written = (postgres: Postgres["Service"], batch: Batch) =>
  postgres
    .atomically(
      postgres.run(async (db) => {
        const about = [...new Set(batch.changes.map(({ entity }) => entity))]
        const known = await postgres.tables.about(db, about)
        return PostgresWriter.write(db as unknown as Kysely<WarehouseTables>, known, batch)
      })
    )
    .pipe(
      // A deadlock: the server has rolled back one of the two writers.
      Effect.retry({ times: deadlocksInARow, while: ({ reason }) => reason === "Locked" })
    )

const make = Effect.gen(function* () {
  const postgres = yield* Postgres
  const publication = new Publication()
  let version = 0
  const resting = restingBetween(60_000)
  const begin = Effect.sync(resting.begin)
  const end = () => Effect.sync(resting.end)
  const working = <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.acquireUseRelease(begin, () => use, end)

  const query = <A>(run: (db: Kysely<WarehouseTables>) => Promise<A>): Effect.Effect<A, WarehouseError> =>
    Effect.mapError(
      postgres.run((db) => run(db.withPlugin(wholeNumbersAsText) as unknown as Kysely<WarehouseTables>)),
      toWarehouseError
    )

  // Hundreds of lists ask at the same moment.
  const look = Looks.make((use) => postgres.run((db) => use(db as unknown as Kysely<StoreTables>)), postgres.isAtomic)
  const tables = Effect.mapError(
    Effect.flatMap(look(LearnedColumns.counted), (count) =>
      postgres.run((db) => postgres.tables.at(db, Number(count)))
    ),
    toWarehouseError
  )

  return Warehouse.of({
    id: "postgres",
    prefersFewTables: false,
    opened: Effect.void,
    write: (batch) =>
      Effect.mapError(
        Effect.map(working(written(postgres, batch)), (isVisible) => {
          if (isVisible) version++
        }),
        toWarehouseError
      ),
    watermark: query(PostgresWatermark.now),
    books: Effect.undefined,
    probe: Effect.asVoid(
      query((db) =>
        sql`insert into siteledger.meta (key, value) values ('probed_at', now()::text)
          on conflict (key) do update set value = excluded.value`.execute(db)
      )
    ),
    version: Effect.sync(() => version),
    table: (name) => Effect.map(tables, (all) => all.of(name)),
    tables,
    // Joins the transaction in which the columns are learned.
    evolve: Effect.mapError(postgres.atomically(postgres.run((db) => postgres.tables.evolve(db))), toWarehouseError),
    query,
    snapshot: Effect.andThen(
      Effect.acquireRelease(begin, end),
      Effect.flatMap(tables, (all) => PostgresSnapshot.take({ ...postgres, tables: all }))
    ),
    publish: (path, { isWhole = false } = {}) =>
      working(Effect.flatMap(tables, (all) => publication.publish({ ...postgres, tables: all }, path, isWhole))),
    mirrors: noMirrors,
    pieces: Effect.succeed([]),
    keepNewest: Effect.void
  })
})

export const layer: Layer.Layer<Warehouse, never, Postgres> = Layer.effect(Warehouse, make)
