/**
 * The actions of a Delta Lake log that siteledger writes: reader version 1 and writer version 2 of the protocol. A
 * commit is a file of actions, one per line. Names and units are the protocol's: sizes in bytes, times in milliseconds.
 */
export interface CommitInfo {
  readonly commitInfo: {
    readonly timestamp: number
    readonly operation: "WRITE"
    readonly operationParameters: { readonly mode: "Overwrite" }
    readonly isBlindAppend: boolean
    readonly engineInfo: "siteledger"
    /** Our own field: the export whose rows the table has from here on. */
    readonly run: string
  }
}

export interface Protocol {
  readonly protocol: { readonly minReaderVersion: 1; readonly minWriterVersion: 2 }
}

export interface MetaData {
  readonly metaData: {
    readonly id: string
    readonly name: string
    readonly format: { readonly provider: "parquet"; readonly options: object }
    readonly schemaString: string
    readonly partitionColumns: ReadonlyArray<string>
    readonly configuration: Readonly<Record<string, string>>
    readonly createdTime: number
  }
}

export interface Txn {
  /** `version`: the export contains every delivery up to this one. */
  readonly txn: { readonly appId: "siteledger"; readonly version: number; readonly lastUpdated: number }
}

type PartitionValues = Readonly<Record<string, string>>

export interface Add {
  readonly add: {
    /** Relative to the table's folder. */
    readonly path: string
    readonly partitionValues: PartitionValues
    readonly size: number
    readonly modificationTime: number
    readonly dataChange: true
    /** JSON text. */
    readonly stats: string
  }
}

export interface Remove {
  readonly remove: {
    readonly path: string
    readonly deletionTimestamp: number
    readonly dataChange: boolean
    readonly extendedFileMetadata?: true
    readonly partitionValues?: PartitionValues
    readonly size?: number
  }
}

export type Action = CommitInfo | Protocol | MetaData | Txn | Add | Remove

export const folderOf = (table: string): string => `${table}/_delta_log/`

const digits = 20

/** The path of a commit. */
export const pathOf = (table: string, version: number): string =>
  `${folderOf(table)}${String(version).padStart(digits, "0")}.json`

export const textOf = (actions: ReadonlyArray<Action>): string =>
  actions.map((action) => `${JSON.stringify(action)}\n`).join("")

/** The file name as an action gives it: `event_date=2026-11-20/…`. None of our names needs percent-encoding. */
export const relative = (table: string, path: string): string => path.slice(table.length + 1)
