/**
 * The one map of the warehouse's schema: the tables of design §7 as Kysely types and as column lists.
 * Every value is canonical text or null (exact amounts, UTC times with six digits), in every engine.
 */
import type { ColumnType as SqlType } from "../Resource.ts"
import { type EntityName, resources, tableColumns } from "../Resource.ts"
import type { Row } from "../Merge.ts"

export interface EventRow {
  readonly body_sha256: string
  readonly sequence: string
  readonly event_id: string
  readonly event_type: string | null
  readonly event_timestamp: string | null
  readonly entity: string | null
  readonly entity_id: string | null
  readonly payload: string | null
  readonly issued_at: string | null
  readonly received_at: string
  readonly deliveries: string
  readonly outcome: "applied" | "quarantined"
  readonly reason: string | null
  readonly alarms: string
}

type EntityTables = { [Name in `construction.${EntityName}`]: Row }

export interface WarehouseTables extends EntityTables {
  "construction.events": EventRow
  "siteledger.meta": { key: string; value: string }
}

export type Columns = ReadonlyArray<readonly [name: string, type: SqlType]>

export const eventColumns: Columns = [
  ["body_sha256", "VARCHAR"],
  ["sequence", "BIGINT"],
  ["event_id", "VARCHAR"],
  ["event_type", "VARCHAR"],
  ["event_timestamp", "TIMESTAMPTZ"],
  ["entity", "VARCHAR"],
  ["entity_id", "VARCHAR"],
  ["payload", "VARCHAR"],
  ["issued_at", "TIMESTAMPTZ"],
  ["received_at", "TIMESTAMPTZ"],
  ["deliveries", "BIGINT"],
  ["outcome", "VARCHAR"],
  ["reason", "VARCHAR"],
  ["alarms", "JSON"]
]

export interface Table {
  readonly name: string
  readonly key: string
  readonly columns: Columns
}

export const entityTable = (name: EntityName): Table => ({ name, key: "id", columns: tableColumns(resources[name]) })

export const eventsTable: Table = { name: "events", key: "body_sha256", columns: eventColumns }

/** All tables that analysts see, in the order of the contract. */
export const tables: ReadonlyArray<Table> = [
  ...(Object.keys(resources) as ReadonlyArray<EntityName>).map(entityTable),
  eventsTable
]
