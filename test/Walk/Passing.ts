/** What every pass needs, in tests: the test's stores, a key, and a room of its own. */
import { Effect, Layer } from "effect"
import { Seal } from "../../src/Runtime/Seal.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Rooms from "../../src/Walk/Rooms.ts"
import * as Together from "../../src/Walk/Together.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

export const stores = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.sync(temporaryFolder), (folder) => Effect.sync(() => removeFolder(folder))),
    (folder) =>
      DuckDb.layerAt(`${folder}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${folder}/store.sqlite`)))
  )
)

const key = Seal.layerWith(new Uint8Array(32))

/** Until the scope ends. */
export const passing = Effect.gen(function* () {
  const [store, warehouse] = [yield* Store, yield* Warehouse]
  return {
    store,
    warehouse,
    write: yield* Together.make(store, warehouse),
    seal: yield* Effect.provide(Seal, key),
    room: yield* Rooms.alone(64),
    lane: "backfill" as const,
    onProgress: () => undefined
  }
})
