/**
 * Migrations derived from the descriptions of tables: 0001 creates the first version, and each later one adds the
 * tables, columns and indexes that are described as `since` it. What no description covers is written by hand.
 */
import { type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import type { Index, Named, Listed } from "./Table.ts"
import type { Shown } from "./WarehouseTables.ts"

/** The Store's tables, and the Warehouse's own. */
export interface Schema {
  readonly store: ReadonlyArray<Listed>
  readonly own: ReadonlyArray<Shown>
}

interface Since {
  readonly since: number
}

interface Dated<C extends Since> extends Since {
  readonly columns: ReadonlyArray<C>
  readonly indexes: ReadonlyArray<Named<Index>>
}

/** A table as of a version. */
export const asOf = <C extends Since, T extends Dated<C>>(table: T & Dated<C>, version: number): T => ({
  ...table,
  columns: table.columns.filter(({ since }) => since <= version),
  indexes: table.indexes.filter(({ since }) => since <= version)
})

/** What a version added: whole tables, and columns and indexes of earlier tables. */
export const cameWith = <C extends Since, T extends Dated<C>>(tables: ReadonlyArray<T & Dated<C>>, version: number) => {
  const came = ({ since }: Since): boolean => since === version
  const older = tables.filter(({ since }) => since < version)
  return {
    tables: tables.filter(came).map((table) => asOf<C, T>(table, version)),
    columns: older.flatMap((table) => table.columns.filter(came).map((column) => ({ table: table as T, column }))),
    indexes: older.flatMap((table) => table.indexes.filter(came).map((index) => ({ table: table as T, index })))
  }
}

/** Version 0.1 stored the type only in the inbox, where its header is. */
export const typesInQuarantine = `
  update quarantine set event_type =
    (select header_type from inbox where inbox.sequence = quarantine.sequence)
  where event_type is null`

/** A statement, or code that runs several. */
export type Step = string | ((db: Kysely<unknown>) => Promise<unknown>)

interface ByHand {
  readonly before?: ReadonlyArray<Step>
  readonly after?: ReadonlyArray<Step>
}

/**
 * In words, if a migration failed because a newer version created the tables: the Migrator names only what it lacks.
 */
export const newer = (error: unknown): string | undefined => {
  const version = /previously executed migration (\S+) is missing/.exec(String(error))?.[1]
  return version === undefined
    ? undefined
    : `the tables were made by a newer siteledger (${version}): run that version, or go back as docs/installing.md says`
}

export const latestOf = ({ own, store }: Schema): number =>
  Math.max(
    ...[...own, ...store].flatMap((table) => [table, ...table.columns, ...table.indexes]).map(({ since }) => since)
  )

/** By name, which is the version. A version that adds nothing to an engine has no migration there. */
export const migrations = (
  schema: Schema,
  described: (version: number) => ReadonlyArray<string>,
  byHand: Readonly<Record<number, ByHand>>
): Readonly<Record<string, Migration>> => {
  const latest = Math.max(latestOf(schema), ...Object.keys(byHand).map(Number))
  const steps = Array.from({ length: latest }, (_, index) => {
    const version = index + 1
    const { after = [], before = [] } = byHand[version] ?? {}
    return [String(version).padStart(4, "0"), [...before, ...described(version), ...after]] as const
  })
  return Object.fromEntries(steps.filter(([, all]) => all.length > 0).map(([name, all]) => [name, migration(all)]))
}

const migration = (steps: ReadonlyArray<Step>): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const step of steps) await (typeof step === "string" ? sql.raw(step).execute(db) : step(db))
  }
})
