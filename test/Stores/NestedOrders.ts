/** Orders whose lines are a table of their own, and what pages say of them. */
import { absence, type Change } from "../../src/Domain/Change.ts"
import type { Nested, Resource } from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import type { Warehouse } from "../../src/Stores/Warehouse.ts"
import type { Place } from "./EvolvingEngines.ts"

const column = (type: Resource["columns"][string]["type"]) => ({ type, says: "Anything.", since: 1 })
export const item = (name: string, type: Nested["columns"][number]["type"], from = `/${name}`) => ({
  name,
  type,
  from,
  says: "Anything."
})

export const lines: Nested = {
  name: "order_lines",
  says: "The lines of orders.",
  column: "lines",
  columns: [
    item("id", "VARCHAR"),
    item("amount", "DECIMAL(28,4)", "/price/amount"),
    item("quantity", "BIGINT", "/Q ty"),
    item("at", "TIMESTAMPTZ"),
    item("day", "DATE"),
    item("share", "DOUBLE"),
    item("is_open", "BOOLEAN"),
    item("select", "JSON")
  ],
  dropped: ["/token"]
}

export const orders: Resource = {
  name: "orders",
  says: "Orders.",
  key: "BIGINT",
  columns: { title: column("VARCHAR"), lines: column("JSON") },
  stages: [],
  isWhole: true,
  nested: [lines]
}

export const { nested: _nested, ...plain } = orders

const seenAt = "2026-11-20T02:00:00.000000Z"

export const page = (id: string, second: number, text: string | null, entity = "orders"): Change => ({
  entity,
  id,
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt,
  values: { title: "t", lines: text },
  misfits: {},
  extra: {}
})

export const gone = (id: string, second: number) =>
  absence("orders", id, Version.make(second * 1_000_000, 0, "ab".repeat(32)), seenAt)

export const writing =
  (...changes: ReadonlyArray<Change>) =>
  (warehouse: Warehouse["Service"]) =>
    warehouse.write({ changes, events: [] })

export const write = (place: Place, resources: ReadonlyArray<Resource>, ...changes: ReadonlyArray<Change>) =>
  place.open(resources, writing(...changes))
