/**
 * Adds deliveries to the files of a worker that was stopped, as if the worker had applied them: the inbox through its
 * own writer, rows by SQL in the warehouse, the copies of the inbox by the worker's own code, and finally the
 * watermark.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Effect, Layer } from "effect"
import { lake } from "../pipelines/nightly.ts"
import { store } from "../pipelines/stores.ts"
import { copyTo } from "../src/Intake/Mirror.ts"
import { mirrorIn } from "../src/Lake/DeliveriesCopy.ts"
import { Lake } from "../src/Lake/Lake.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import { mirrorOf, on } from "../src/Stores/DuckDb/Mirror.ts"
import { setMeta } from "../src/Stores/Segments/Meta.ts"
import type { Writer } from "../src/Stores/Segments/Writer.ts"
import { Store } from "../src/Stores/Store.ts"
import { entityRows, eventRows, events, type Filling, type Made, receivedMs, spellings } from "./AppliedRows.ts"
import { settings } from "./BenchSettings.ts"
import { arrivedOf, writerIn } from "./InboxFiles.ts"

const spelling = spellings.duckdb
const readAtOnce = 5000
const appliedKey = "applied_through"

/** The same SQL makes the bodies here and the rows. */
const intoInbox = async (connection: DuckDBConnection, writer: Writer, made: Made): Promise<void> => {
  for (let from = 0; from < made.count; from += readAtOnce) {
    const given = events(made, spelling, from, Math.min(made.count, from + readAtOnce))
    const rows = (await connection.runAndReadAll(`select body, type from (${given}) as given order by n`)).getRows()
    writer.receive(
      rows.map(([body, type], place) =>
        arrivedOf({ body: Buffer.from(String(body)), type: String(type) }, receivedMs(made, from + place))
      )
    )
    while (writer.step());
  }
}

const intoRows = async (connection: DuckDBConnection, made: Made): Promise<void> => {
  await connection.run(eventRows(made, spelling, 0, made.count))
  for (const statement of entityRows(made, spelling, 0, made.count)) await connection.run(statement)
}

/** Into the warehouse and the lake, as a stop and an hour would do. */
const copied = (directory: string, instance: DuckDBInstance) =>
  Effect.gen(function* () {
    const { copying } = (yield* Store).deliveries
    if (copying === undefined) return
    const run = on(instance)
    const both = [copyTo(mirrorOf("warehouse", run, run), copying), copyTo(mirrorIn(yield* Lake, directory), copying)]
    yield* Effect.all(both, { concurrency: both.length, discard: true })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(store, lake).pipe(
        Layer.provideMerge(Reasons.layer),
        Layer.provideMerge(settings({ SITELEDGER_DATA_DIR: directory }))
      )
    ),
    Effect.scoped
  )

const connectionTo = async (instance: DuckDBInstance): Promise<DuckDBConnection> => {
  const connection = await instance.connect()
  await connection.run("set timezone = 'UTC'")
  return connection
}

export const intoFiles = async (directory: string, filling: Filling): Promise<void> => {
  const instance = await DuckDBInstance.create(join(directory, "warehouse.duckdb"))
  const [connection, other] = [await connectionTo(instance), await connectionTo(instance)]
  await connection.run("checkpoint")
  const writer = writerIn(directory)
  const made: Made = { ...filling, after: writer.last }
  await Promise.all([intoRows(connection, made), intoInbox(other, writer, made)])
  const { last } = writer
  writer.close()
  await Effect.runPromise(copied(directory, instance))
  await connection.run("update siteledger.meta set value = $1 where key = $2", [String(last), appliedKey])
  await connection.run("checkpoint")
  for (const each of [connection, other]) each.disconnectSync()
  instance.closeSync()
  const database = new DatabaseSync(join(directory, "store.sqlite"))
  setMeta(database, appliedKey, String(last))
  database.close()
}
