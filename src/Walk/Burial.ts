/**
 * Tombstones for records that two agreeing passes did not show. If the answer took long, a tombstone can be older than
 * its row and lose; then the next pass tries again.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import * as Change from "../Domain/Change.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Version from "../Domain/Version.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { Warehouse } from "../Stores/Warehouse.ts"
import * as Sightings from "./Sightings.ts"

const tombstoneBatch = 1000

interface Burying {
  readonly store: Store["Service"]
  readonly warehouse: Warehouse["Service"]
}

/**
 * Returns how many records it buried. `absent`: returns up to `limit` ids that are to be buried and aren't forgotten
 * yet.
 */
export const buryAbsent = Effect.fnUntraced(function* (
  { store, warehouse }: Burying,
  { resource, started_at: at }: { readonly resource: string; readonly started_at: Instant.Instant },
  absent: (limit: number) => Effect.Effect<ReadonlyArray<string>, StoreError>
) {
  const version = Version.make(Instant.toMicros(at), 0, "")
  for (let all = 0; ;) {
    const ids = yield* absent(tombstoneBatch)
    if (ids.length === 0) return all
    const records = ids.filter(Sightings.isRecordId)
    const changes = records.map((id) => Change.absence(resource, id, version, at))
    yield* warehouse.write({ changes, events: [] })
    const left = yield* unburied(warehouse, resource, records)
    const buried = ids.filter((id) => !left.has(id))
    if (buried.length === 0) return all
    yield* Sightings.forget(store, resource, buried)
    all += buried.filter(Sightings.isRecordId).length
  }
})

const unburied = Effect.fnUntraced(function* (
  warehouse: Warehouse["Service"],
  resource: string,
  ids: ReadonlyArray<string>
) {
  if (ids.length === 0) return new Set<string>()
  const { key } = yield* warehouse.table(resource)
  const { rows } = yield* warehouse.query((db) =>
    sql<{ id: unknown }>`
      select ${sql.ref(key)} as id from ${sql.table(`construction.${resource}`)}
      where ${sql.ref(key)} in (${sql.join(ids)}) and _deleted_at is null`.execute(db)
  )
  return new Set(rows.map(({ id }) => String(id)))
})
