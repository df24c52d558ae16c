/**
 * The made-up projects of ListServer, as a walk makes rows of them: what the bare loads of the same rows are given.
 */
import { projectChange } from "../connectors/construction/Construction.ts"
import type { Change } from "../src/Domain/Change.ts"
import { entityTable } from "../src/Stores/WarehouseTables.ts"

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

const page = {
  page: 1,
  total: 1,
  perPage: 1000,
  records: [],
  observedMicros: 1_795_190_324_983_000,
  receivedAt: at
}

/** What a page says of `count` projects from `first` on. */
export const changes = (first: number, count: number): ReadonlyArray<Change> =>
  Array.from({ length: count }, (_, index) =>
    projectChange(
      { id: first + index, name: `Project number ${first + index}`, status: "in-progress" },
      { ...page, sha256: String(Math.floor((first + index) / 1000)).padStart(64, "f") }
    )
  ).filter((change) => change !== undefined)
