/**
 * The basis of the judgement: the rows as they are, and what the service said, as far as it was stored.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Row } from "../../src/Domain/Merge.ts"
import { prepared } from "./MemoryStore.ts"
import { rowsOf } from "./MemoryWarehouse.ts"
import type { Said } from "./Service.ts"
import type { World } from "./Worker.ts"

export type Violation = string

export const all = (database: DatabaseSync, text: string): ReadonlyArray<Row> =>
  prepared(database, text).all() as ReadonlyArray<Row>
export const inStore = all

export const appliedThrough = (store: DatabaseSync): number =>
  Number(all(store, "select value from meta where key = 'applied_through'")[0]?.["value"] ?? 0)

export const differ = (what: string, got: unknown, expected: unknown): ReadonlyArray<Violation> => {
  const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
  return one === other ? [] : [`${what}: got ${one}, expected ${other}`]
}

export interface Known extends Said {
  readonly seenAt: string
  readonly number: number
}

/** What was stored, in order. */
export const known = ({ service, stored, warehouse }: World): ReadonlyArray<Known> => {
  const received = new Map(rowsOf(warehouse, "events").map((row) => [row["body_sha256"], row["received_at"]]))
  return stored.flatMap(({ number, sha256 }) => {
    const said = sha256 === undefined ? undefined : service.said.get(sha256)
    return said === undefined ? [] : [{ ...said, number, seenAt: received.get(said.sha256) ?? "" }]
  })
}
