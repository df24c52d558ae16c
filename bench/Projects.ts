/**
 * The made-up projects of ListServer as the rows that a walk makes of them: the input of the bare loads.
 */
import { changesOf } from "../connectors/construction/ConstructionChanges.ts"
import type { Change } from "../src/Domain/Change.ts"
import { merge, type Row } from "../src/Domain/Merge.ts"
import { byName } from "../src/Domain/Resource.ts"
import { entityTable } from "../src/Stores/WarehouseTables.ts"
import { record } from "./ProjectRecord.ts"

export const table = entityTable("projects")

const at = "2026-11-20T02:00:00.000000Z"

const perPage = 1000
const page = { page: 1, total: 1, perPage, observedMicros: 1_795_190_324_983_000, receivedAt: at }

/** The changes in pages of `count` projects from `first` on. */
export const changes = (first: number, count: number): ReadonlyArray<Change> =>
  Array.from({ length: Math.ceil(count / perPage) }, (_, index) => {
    const records = Array.from({ length: Math.min(perPage, count - index * perPage) }, (_, offset) =>
      record(first + index * perPage + offset)
    )
    return changesOf({ ...page, records, sha256: String(index).padStart(64, "f") }).changes
  }).flat()

/** The rows as they are stored, with all their fields and the version of each. */
export const rows = (first: number, count: number): ReadonlyArray<Row> =>
  changes(first, count).flatMap((change) => {
    const row: Row | undefined = merge(byName("projects"), undefined, [change])
    return row === undefined ? [] : [row]
  })
