/**
 * The manifest of an export, made from what was staged for it and from the manifest of the previous export. Pure.
 */
import { Option } from "effect"
import type { Snapshot } from "../Stores/Warehouse.ts"
import { tables as shown } from "../Stores/WarehouseTables.ts"
import * as Manifest from "./Manifest.ts"
import type { LakePointer } from "./LakePointer.ts"
import type { Staged, StagedJournal } from "./Staging.ts"
import type { Unfilled } from "./Unfilled.ts"

export interface Staging {
  readonly run: string
  readonly asOf: Manifest.AsOf
  readonly snapshot: Snapshot
  readonly staged: ReadonlyArray<Staged>
  readonly journal: StagedJournal
  /** The head of the books. */
  readonly head: string | null
  readonly before: LakePointer
  readonly unfilled: Unfilled
}

export const manifest = (staging: Staging): Manifest.Manifest => {
  const { asOf, before, head, journal, run, snapshot, staged, unfilled } = staging
  const byTable = Map.groupBy(staged, ({ table }) => table)
  const tables = Object.fromEntries(
    snapshot.tables.map(({ columns, name }) => {
      const files = (byTable.get(name) ?? []).map(({ file }) => file)
      const rows = files.reduce((sum, file) => sum + file.rows, 0)
      return [name, { rows, columns: described(name, columns, unfilled.get(name)), files }]
    })
  )
  const { bytes, path, rows, sha256 } = journal
  return {
    run,
    asOf,
    reconcile: null,
    journal: path,
    tables,
    journalFile: { rows, bytes, sha256 },
    head,
    ...beside(before, tables)
  }
}

type Tables = Manifest.Manifest["tables"]

/** If the previous export can't be read, what depends on it is left out. */
const beside = (
  { manifest: last, pointer, version }: LakePointer,
  tables: Tables
): Pick<Manifest.Manifest, "before" | "changes" | "restated"> => {
  if (Option.isNone(version)) return { before: null, restated: [], changes: [] }
  return {
    ...(Option.isSome(pointer) ? { before: pointer.value.run } : {}),
    ...(Option.isSome(last)
      ? { restated: restated(last.value.tables, tables), changes: changes(last.value.tables, tables) }
      : {})
  }
}

const sentences: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  shown.map(({ columns, name }) => [name, new Map(columns.map((column) => [column.name, column.says]))])
)

const described = (
  table: string,
  columns: Manifest.Columns,
  unfilled: ReadonlySet<string> | undefined
): Manifest.Columns =>
  columns.map((column) => {
    const description = sentences.get(table)?.get(column.name)
    return {
      ...column,
      ...(description === undefined ? {} : { description }),
      ...(unfilled?.has(column.name) === true ? { empty: true } : {})
    }
  })

/** Includes dates that are gone. A file that was lost and is written again has the same rows. */
const restated = (last: Tables, now: Tables): ReadonlyArray<string> => {
  const files = Manifest.eventFiles(now)
  return [...Manifest.eventFiles(last)].flatMap(([date, { fingerprint, path }]) => {
    const file = files.get(date)
    const isSame = file?.path === path || (file?.fingerprint !== undefined && file.fingerprint === fingerprint)
    return isSame ? [] : [date]
  })
}

const changes = (last: Tables, now: Tables): ReadonlyArray<Manifest.Change> =>
  [...new Set([...Object.keys(now), ...Object.keys(last)])].flatMap((table) => {
    const before = typesOf(last[table])
    const after = typesOf(now[table])
    return [...new Set([...after.keys(), ...before.keys()])].flatMap((column) => {
      const change = { table, column, before: before.get(column) ?? null, after: after.get(column) ?? null }
      return change.before === change.after ? [] : [change]
    })
  })

const typesOf = (table: Tables[string] | undefined): ReadonlyMap<string, string> =>
  new Map((table?.columns ?? []).map(({ name, type }) => [name, type]))
