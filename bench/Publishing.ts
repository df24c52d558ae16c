/** An empty warehouse of either engine that is filled, written to and published, as the worker does it. */
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { stores } from "../pipelines/stores.ts"
import { usual as usualTables } from "../src/Stores/EntityTables.ts"
import { openWarehouse } from "../src/Stores/DuckDb/File.ts"
import * as DuckDbPublication from "../src/Stores/DuckDb/Publication.ts"
import { DuckDbWriter } from "../src/Stores/DuckDb/Writer.ts"
import { Connections } from "../src/Stores/Postgres/Connections.ts"
import { evolve } from "../src/Stores/Postgres/Evolve.ts"
import * as PostgresPublication from "../src/Stores/Postgres/Publication.ts"
import * as PostgresWriter from "../src/Stores/Postgres/Writer.ts"
import type { Limits } from "../src/Stores/PublishedFiles.ts"
import type { Batch, Published } from "../src/Stores/Warehouse.ts"
import { settings } from "./BenchSettings.ts"
import type { Place } from "./Engine.ts"

export interface Publishing {
  readonly write: (batch: Batch) => Promise<unknown>
  readonly publish: (target: string, isWhole: boolean) => Promise<Published>
  readonly close: () => Promise<unknown>
}

/** Nobody reads the file before: it isn't left alone. */
const limits: Limits = { large: 0, replaced: Infinity, leftAlone: 0 }

const ofFile = async (path: string): Promise<Publishing> => {
  const file = await openWarehouse(path)
  const publication = new DuckDbPublication.Publication(file, (run) => run(), limits)
  const writer = await DuckDbWriter.open(file, publication.wrote)
  return {
    write: (batch) => writer.write(batch),
    publish: (target, isWhole) => publication.publish(target, isWhole),
    close: () => {
      writer.close()
      return file.close()
    }
  }
}

const onServer = async (url: string): Promise<Publishing> => {
  const connections = new Connections(Redacted.make(url))
  const tables = await evolve(connections.db, usualTables)
  const publication = new PostgresPublication.Publication(limits)
  return {
    write: (batch) => connections.db.transaction().execute((tx) => PostgresWriter.write(tx as never, tables, batch)),
    publish: (target, isWhole) => Effect.runPromise(publication.publish({ connections, tables }, target, isWhole)),
    close: () => connections.close()
  }
}

/** Where it is, once its tables are there. */
export const made = async ({ directory, environment, url }: Place): Promise<string> => {
  const path = join(directory, "warehouse.duckdb")
  if (url === undefined) await (await openWarehouse(path)).close()
  else
    await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(Layer.provideMerge(stores, settings(environment))))))
  return url ?? path
}

export const opened = ({ directory, url }: Place): Promise<Publishing> =>
  url === undefined ? ofFile(join(directory, "warehouse.duckdb")) : onServer(url)
