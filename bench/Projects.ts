/**
 * The made-up projects of ListServer as the rows that a walk makes of them: the input of the bare loads.
 */
import { changesOf } from "../connectors/construction/ConstructionChanges.ts"
import type { Change } from "../src/Domain/Change.ts"
import { entityTable } from "../src/Stores/WarehouseTables.ts"
import { record } from "./ProjectRecord.ts"

export const table = entityTable("projects")

export const at = "2026-11-20T02:00:00.000000Z"
const clock = "1795190324983000.0.f3de379ffa315019"
export const clocks = JSON.stringify({ _deleted_at: clock, name: clock, status: clock })

/** Its fields are in the order of the table's columns. */
export const row = (id: number) => ({
  id: String(id),
  name: `Project number ${id}`,
  status: "in-progress",
  _extra: null,
  _clocks: clocks,
  _first_seen_at: at,
  _changed_at: at,
  _deleted_at: null
})

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
