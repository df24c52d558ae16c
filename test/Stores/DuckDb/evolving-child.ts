/**
 * A worker's stores in a separate process, which learns columns and is killed (kill -9) at one point of that:
 * `node evolving-child.ts FOLDER POINT`. Prints how many points there are, if it isn't killed.
 */
import { DuckDBConnection } from "@duckdb/node-api"
import { Effect, Layer } from "effect"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as LearnedColumns from "../../../src/Stores/LearnedColumns.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { columns, orders, page } from "./EvolvingOrders.ts"

const [folder = "", killedAt = "0"] = process.argv.slice(2)

let points = 0
let isLearning = false

const point = (): void => {
  if (isLearning && ++points === Number(killedAt)) process.kill(process.pid, "SIGKILL")
}

/** Before and after each statement. */
const { run } = DuckDBConnection.prototype
DuckDBConnection.prototype.run = async function (...given) {
  point()
  const result = await run.apply(this, given)
  point()
  return result
}

const stores = DuckDb.layerAt(`${folder}/warehouse.duckdb`).pipe(
  Layer.provideMerge(Sqlite.layerAt(`${folder}/store.sqlite`)),
  Layer.provide(Layer.succeed(Resources, [orders]))
)

const working = Effect.gen(function* () {
  const [store, warehouse] = [yield* Store, yield* Warehouse]
  yield* warehouse.write({ changes: page(1), events: [] })
  isLearning = true
  point()
  yield* store.transaction((tx) => LearnedColumns.add(tx, columns))
  point()
  yield* warehouse.evolve
  point()
  yield* warehouse.write({ changes: page(2), events: [] })
  point()
})

await Effect.runPromise(Effect.scoped(Effect.provide(working, stores)))
process.stdout.write(String(points))
