/**
 * The vocabulary of table descriptions. Each table is described once, as data, in `Tables/`; each engine's DDL and
 * comments, Kysely's types, the ledger's views, privileges, docs/tables.md and what `move` copies are derived from
 * that.
 *
 * Pure. A later addition is written where it belongs, with the version that introduced it (`since`). Databases have it
 * after everything older, so a new database and a migrated one are identical.
 */
import type { Generated } from "kysely"
import type { ColumnType } from "../Domain/Resource.ts"
import type { Instant } from "../Domain/Instant.ts"

/** How each engine holds an `A`. */
export interface Type<A> {
  /** In the Store, whose tables are STRICT. */
  readonly sqlite: "any" | "blob" | "integer" | "text"
  /** In the Store. */
  readonly postgres: string
  /** Its type for analysts; null if they don't see it. */
  readonly shown: ColumnType | null
  /** The only values that the Store accepts. */
  readonly words?: ReadonlyArray<string>
  /** The words among them that a later version added. */
  readonly addedWords?: { readonly since: number; readonly words: ReadonlyArray<string> }
  /** The form of its text. */
  readonly pattern?: RegExp
  /** Only for the compiler. */
  readonly value?: A
}

/** Ordered by its bytes, as in SQLite, regardless of the database's collation. */
export const text: Type<string> = { sqlite: "text", postgres: 'text collate "C"', shown: "VARCHAR" }
export const json: Type<string> = { ...text, shown: "JSON" }
/** Canonical, with four decimals. */
export const money: Type<string> = { ...text, shown: "DECIMAL(28,4)", pattern: /^-?\d{1,24}\.\d{4}$/ }
export const instant: Type<Instant> = {
  ...text,
  shown: "TIMESTAMPTZ",
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
}
/** As text, because a double can't hold all of them. */
/** A calendar day, "YYYY-MM-DD". */
export const day: Type<string> = { ...text, shown: "DATE", pattern: /^\d{4}-\d{2}-\d{2}$/ }
export const wholeNumber: Type<string> = { ...text, shown: "BIGINT", pattern: /^-?\d+$/ }
export const int64: Type<number> = { sqlite: "integer", postgres: "bigint", shown: "BIGINT" }
export const int32: Type<number> = { ...int64, postgres: "integer" }
export const bytes: Type<Uint8Array> = { sqlite: "blob", postgres: "bytea", shown: null }
export const truth: Type<boolean> = { sqlite: "integer", postgres: "boolean", shown: null }
/** A number or a text, as in `Sql.listedIds`: SQLite keeps both, PostgreSQL the text. */
export const listedId: Type<string | number> = { ...text, sqlite: "any" }

/** One of these words. */
export const oneOf = <const W extends string>(...words: ReadonlyArray<W>): Type<W> => ({ ...(text as Type<W>), words })
/** These words too, since a later version: its migration recreates the column's constraint. */
export const orSince = <W extends string, const L extends string>(
  type: Type<W>,
  since: number,
  ...later: ReadonlyArray<L>
): Type<W | L> => ({
  ...(type as Type<W | L>),
  words: [...(type.words ?? []), ...later],
  addedWords: { since, words: later }
})
/** The same, for when later versions may add words: the Store accepts any text. */
export const word = <W extends string>(): Type<W> => text as Type<W>
export const matching = (pattern: RegExp): Type<string> => ({ ...text, pattern })

interface Since {
  /** The version that added it; defaults to 1. */
  readonly since?: number
}

interface Options extends Since {
  readonly isUnique?: true
  /** Hidden from analysts who see the table. */
  readonly isHidden?: true
  /** A row with this value must exist there. */
  readonly references?: readonly [table: string, column: string]
}

/** `A`: its type in Kysely. */
export interface Column<A = unknown> extends Options {
  readonly type: Type<unknown>
  /** What it means, as a sentence for people. */
  readonly says: string
  readonly isNullable?: true
  /** The engine assigns the next number. */
  readonly isNumbered?: true
  readonly preset?: string | number
  /** Only for the compiler. */
  readonly kysely?: A
}

export const required = <A>(type: Type<A>, says: string, options: Options = {}): Column<A> => ({
  type,
  says,
  ...options
})
export const optional = <A>(type: Type<A>, says: string, options: Options = {}): Column<A | null> => ({
  type,
  says,
  isNullable: true,
  ...options
})
/** Defaults to this value. */
export const preset = <A extends string | number>(
  type: Type<A>,
  value: A,
  says: string,
  options: Options = {}
): Column<Generated<A>> => ({ type, says, preset: value, ...options })
/** The key, numbered by the engine. */
export const numbered = (says: string): Column<Generated<number>> => ({ type: int64, says, isNumbered: true })

export interface Index extends Since {
  readonly columns: ReadonlyArray<string>
  readonly isUnique?: true
  /** Only for rows that satisfy this SQL condition. */
  readonly where?: string
  /** Columns whose values may be too long for an index in PostgreSQL. */
  readonly long?: ReadonlyArray<string>
  /** In PostgreSQL it holds only hashes, so values may have any length; it finds equal ones. */
  readonly isHashed?: true
}

export interface Table extends Since {
  /** A sentence for people. */
  readonly says: string
  readonly key: ReadonlyArray<string>
  readonly columns: Readonly<Record<string, Column>>
  readonly indexes?: Readonly<Record<string, Index>>
  /** Triggers refuse to change or delete a row. */
  readonly isAppendOnly?: true
  /** In SQLite, each change of a row is also logged (`RowLog`), because nothing else could restore it. */
  readonly isLogged?: true
  /** The only engine that has it; `move` leaves it out. */
  readonly only?: "sqlite" | "postgres"
  /** Analysts see it; this column is the key of its copy in the Warehouse. */
  readonly shownBy?: string
}

/** By name, each after the tables to which it refers. */
export type Tables = Readonly<Record<string, Table>>

/** A table's row in Kysely. */
export type RowOf<T extends Table> = {
  [Name in keyof T["columns"]]: T["columns"][Name] extends Column<infer A> ? A : never
}

/** With its name and the version that added it. */
export type Named<A> = Omit<A, "since"> & { readonly name: string; readonly since: number }

/** A table as DDL needs it, its columns in the order that databases have. */
export interface Listed extends Named<Omit<Table, "columns" | "indexes">> {
  readonly columns: ReadonlyArray<Named<Column>>
  readonly indexes: ReadonlyArray<Named<Index>>
}

/** `oldest`: the version of the table; nothing in it is older. */
const named = <A extends Since>(things: Readonly<Record<string, A>>, oldest = 1): ReadonlyArray<Named<A>> =>
  Object.entries(things).map(([name, thing]) => ({ ...thing, name, since: Math.max(thing.since ?? 1, oldest) }))

export const listed = (tables: Tables): ReadonlyArray<Listed> =>
  named(tables).map((table) => ({
    ...table,
    columns: named(table.columns, table.since).toSorted((a, b) => a.since - b.since),
    indexes: named(table.indexes ?? {}, table.since)
  }))
