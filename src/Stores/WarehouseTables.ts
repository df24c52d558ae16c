/**
 * The one map of the warehouse's schema: the tables of design §7 as Kysely types and as column lists.
 * Every value is canonical text or null (exact amounts, UTC times with six digits), in every engine.
 */
import type { ColumnType as SqlType } from "../Domain/Resource.ts"
import { type EntityName, resources, tableColumns } from "../Domain/Resource.ts"
import type { Row } from "../Domain/Merge.ts"

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
  "construction.ledger_entries": Row
  "construction.ledger_holds": Row
  "construction.ledger_hold_decisions": Row
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

/** The books as the Store keeps them, copied; amounts signed. */
export const ledgerEntriesTable: Table = {
  name: "ledger_entries",
  key: "entry_id",
  columns: [
    ["entry_id", "VARCHAR"],
    ["sequence", "BIGINT"],
    ["ipc_id", "VARCHAR"],
    ["project_id", "BIGINT"],
    ["kind", "VARCHAR"],
    ["amount", "DECIMAL(28,4)"],
    ["currency", "VARCHAR"],
    ["payment_reference", "VARCHAR"],
    ["certificate_url", "VARCHAR"],
    ["debit_account", "VARCHAR"],
    ["credit_account", "VARCHAR"],
    ["effective_at", "TIMESTAMPTZ"],
    ["known_at", "TIMESTAMPTZ"],
    ["event_id", "VARCHAR"],
    ["reverses", "VARCHAR"],
    ["basis", "JSON"]
  ]
}

/** Came with a later version; what is made by earlier migrations has none of them. */
const holdAmounts: Columns = [
  ["amount", "DECIMAL(28,4)"],
  ["currency", "VARCHAR"]
]

export const asAtFirst = (table: Table): Table => ({
  ...table,
  columns: table.columns.filter((column) => !holdAmounts.includes(column))
})

/** Open ones only. */
export const ledgerHoldsTable: Table = {
  name: "ledger_holds",
  key: "hold_id",
  columns: [
    ["hold_id", "VARCHAR"],
    ["ipc_id", "VARCHAR"],
    ["payment_reference", "VARCHAR"],
    ["reason", "VARCHAR"],
    ["since", "TIMESTAMPTZ"],
    ["basis", "JSON"],
    ...holdAmounts
  ]
}

export const ledgerDecisionsTable: Table = {
  name: "ledger_hold_decisions",
  key: "number",
  columns: [
    ["number", "BIGINT"],
    ["hold_id", "VARCHAR"],
    ["ipc_id", "VARCHAR"],
    ["payment_reference", "VARCHAR"],
    ["reason", "VARCHAR"],
    ["since", "TIMESTAMPTZ"],
    ["verdict", "VARCHAR"],
    ["amount", "DECIMAL(28,4)"],
    ["decided_by", "VARCHAR"],
    ["decided_at", "TIMESTAMPTZ"],
    ["why", "VARCHAR"]
  ]
}

export const copiedTables: ReadonlyArray<Table> = [
  ...(Object.keys(resources) as ReadonlyArray<EntityName>).map(entityTable),
  eventsTable
]

export const ledgerTables: ReadonlyArray<Table> = [ledgerEntriesTable, ledgerHoldsTable, ledgerDecisionsTable]

/** All tables that analysts see, in the order of the contract. */
export const tables: ReadonlyArray<Table> = [...copiedTables, ...ledgerTables]
