/**
 * The words in which a table is described, once and as data: each engine's DDL with its comments, Kysely's types, the
 * ledger's views, the rights, docs/tables.md and what `move` copies all follow from the descriptions in `Tables/`.
 *
 * Pure. What a version added stands where it belongs and says since when: databases have it behind all that was there
 * before, in whatever order it is written here, so that a new one and one that was migrated are the same.
 */
import type { Generated } from "kysely"
import type { ColumnType } from "../Domain/Resource.ts"
import type { Instant } from "../Domain/Instant.ts"

/** How each engine holds what is an `A` here. */
export interface Type<A> {
  /** In the Store's tables, which are STRICT. */
  readonly sqlite: "any" | "blob" | "integer" | "text"
  /** In the Store. */
  readonly postgres: string
  /** What analysts see of it; null: nothing. */
  readonly shown: ColumnType | null
  /** All that it may say: the Store refuses anything else. */
  readonly words?: ReadonlyArray<string>
  /** What its text looks like. */
  readonly pattern?: RegExp
  /** For the compiler alone. */
  readonly value?: A
}

/** Ordered by its bytes, as in SQLite, whatever the database's collation. */
export const text: Type<string> = { sqlite: "text", postgres: 'text collate "C"', shown: "VARCHAR" }
export const json: Type<string> = { ...text, shown: "JSON" }
/** Canonical, with four decimals. */
export const money: Type<string> = { ...text, shown: "DECIMAL(28,4)", pattern: /^-?\d{1,24}\.\d{4}$/ }
export const instant: Type<Instant> = {
  ...text,
  shown: "TIMESTAMPTZ",
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
}
/** As text, since there are more than a double can tell apart. */
export const wholeNumber: Type<string> = { ...text, shown: "BIGINT", pattern: /^-?\d+$/ }
export const int64: Type<number> = { sqlite: "integer", postgres: "bigint", shown: "BIGINT" }
export const int32: Type<number> = { ...int64, postgres: "integer" }
export const bytes: Type<Uint8Array> = { sqlite: "blob", postgres: "bytea", shown: null }
export const truth: Type<boolean> = { sqlite: "integer", postgres: "boolean", shown: null }
/** A number or a text, as `Sql.listedIds` has it: SQLite keeps both, PostgreSQL the text. */
export const listedId: Type<string | number> = { ...text, sqlite: "any" }

/** One of few words. */
export const oneOf = <const W extends string>(...words: ReadonlyArray<W>): Type<W> => ({ ...(text as Type<W>), words })
/** The same where a later version may know more of them: the Store takes any. */
export const word = <W extends string>(): Type<W> => text as Type<W>
export const matching = (pattern: RegExp): Type<string> => ({ ...text, pattern })

interface Since {
  /** The version that brought it: 1 where nothing is said. */
  readonly since?: number
}

interface More extends Since {
  readonly isUnique?: true
  /** From analysts, where they see the table. */
  readonly isHidden?: true
  /** A row with this value is there. */
  readonly references?: readonly [table: string, column: string]
}

/** `A` as Kysely has it. */
export interface Column<A = unknown> extends More {
  readonly type: Type<unknown>
  /** A sentence for people. */
  readonly says: string
  readonly isNullable?: true
  /** The engine gives the next number. */
  readonly isNumbered?: true
  readonly preset?: string | number
  /** For the compiler alone. */
  readonly kysely?: A
}

export const required = <A>(type: Type<A>, says: string, more: More = {}): Column<A> => ({ type, says, ...more })
export const optional = <A>(type: Type<A>, says: string, more: More = {}): Column<A | null> => ({
  type,
  says,
  isNullable: true,
  ...more
})
/** This value where none is given. */
export const preset = <A extends string | number>(
  type: Type<A>,
  value: A,
  says: string,
  more: More = {}
): Column<Generated<A>> => ({ type, says, preset: value, ...more })
/** Its own key. */
export const numbered = (says: string): Column<Generated<number>> => ({ type: int64, says, isNumbered: true })

export interface Index extends Since {
  readonly columns: ReadonlyArray<string>
  readonly isUnique?: true
  /** Only of these rows: a condition in SQL. */
  readonly where?: string
  /** Of its columns those whose values may be longer than an index of PostgreSQL takes. */
  readonly long?: ReadonlyArray<string>
}

export interface Table extends Since {
  /** A sentence for people. */
  readonly says: string
  readonly key: ReadonlyArray<string>
  readonly columns: Readonly<Record<string, Column>>
  readonly indexes?: Readonly<Record<string, Index>>
  /** Triggers refuse to change or delete a row. */
  readonly isAppendOnly?: true
  /** The engine that has it; no `move` takes it along. */
  readonly only?: "sqlite" | "postgres"
  /** Analysts see it; its copies in the Warehouse are told apart by this column. */
  readonly shownBy?: string
}

/** By name, each after those that it refers to. */
export type Tables = Readonly<Record<string, Table>>

/** A table's row as Kysely has it. */
export type RowOf<T extends Table> = {
  [Name in keyof T["columns"]]: T["columns"][Name] extends Column<infer A> ? A : never
}

/** By its name, and with the version that brought it. */
export type Known<A> = Omit<A, "since"> & { readonly name: string; readonly since: number }

/** A table as DDL takes it, its columns in the order in which databases have them. */
export interface Listed extends Known<Omit<Table, "columns" | "indexes">> {
  readonly columns: ReadonlyArray<Known<Column>>
  readonly indexes: ReadonlyArray<Known<Index>>
}

/** Nothing is older than what it is a part of. */
const known = <A extends Since>(things: Readonly<Record<string, A>>, oldest = 1): ReadonlyArray<Known<A>> =>
  Object.entries(things).map(([name, thing]) => ({ ...thing, name, since: Math.max(thing.since ?? 1, oldest) }))

export const listed = (tables: Tables): ReadonlyArray<Listed> =>
  known(tables).map((table) => ({
    ...table,
    columns: known(table.columns, table.since).toSorted((a, b) => a.since - b.since),
    indexes: known(table.indexes ?? {}, table.since)
  }))
