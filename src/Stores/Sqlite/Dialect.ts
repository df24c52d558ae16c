/**
 * Kysely's dialect for `node:sqlite`. A statement is prepared once and cached: preparing it takes longer than most take
 * to run.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { SqliteAdapter, type SqliteDatabase, SqliteDialect } from "kysely"

/** The part of a database that the dialect needs. */
export type Prepares = Pick<DatabaseSync, "close" | "isTransaction" | "prepare">

/** More than the program's number of different texts, except those that list their values. */
const mostKept = 500

/**
 * The database with a cache of statements. A cached statement must not be iterated, because another call would run it
 * again.
 */
export const prepared = (database: DatabaseSync): Prepares => {
  const statements = new Map<string, StatementSync>()
  return {
    close: () => database.close(),
    get isTransaction() {
      return database.isTransaction
    },
    prepare: (text) => {
      const kept = statements.get(text)
      if (kept !== undefined) return kept
      if (statements.size >= mostKept) statements.clear()
      const statement = ofKnownShape(database.prepare(text))
      statements.set(text, statement)
      return statement
    }
  }
}

/** The adapter asks for this before each run. */
const ofKnownShape = (statement: StatementSync): StatementSync => {
  const columns = statement.columns()
  statement.columns = () => columns
  return statement
}

const parameter = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  return typeof value === "boolean" ? Number(value) : (value as SQLInputValue)
}

type Row = Record<string, unknown>

/**
 * Rows as plain objects of one shape: those that node:sqlite makes are dictionaries, which take twice as long to
 * create, and longer to read.
 */
const shaped = (statement: StatementSync) => {
  const names = statement.columns().map(({ name }) => name)
  const blank: Row = Object.fromEntries(names.map((name) => [name, null]))
  statement.setReturnArrays(true)
  return (given: unknown): Row => {
    const values = given as ReadonlyArray<unknown>
    // The columns differ only if a table was altered after the statement was prepared: nothing may be left out
    // silently.
    if (values.length !== names.length) throw new Error("A kept statement has other columns than when it was prepared.")
    const row = { ...blank }
    let column = 0
    for (const name of names) row[name] = values[column++]
    return row
  }
}

/** Kysely expects better-sqlite3, which takes parameters as an array; node:sqlite takes them one by one. */
const adapter = (database: Prepares): SqliteDatabase => {
  const shapes = new WeakMap<StatementSync, ReturnType<typeof shaped>>()
  const rowsOf = (statement: StatementSync) => {
    const known = shapes.get(statement) ?? shaped(statement)
    shapes.set(statement, known)
    return known
  }
  return {
    close: () => database.close(),
    prepare: (text) => {
      // A full disk has already caused a rollback: Kysely's own must not fail and hide the cause.
      const isRolledBack = text === "rollback" && !database.isTransaction
      const statement = database.prepare(isRolledBack ? "select 1 where false" : text)
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => {
          const rowOf = rowsOf(statement)
          return statement.all(...parameters.map(parameter)).map(rowOf)
        },
        run: (parameters) => statement.run(...parameters.map(parameter)),
        iterate: function* (parameters) {
          const rowOf = rowsOf(statement)
          for (const values of statement.iterate(...parameters.map(parameter))) yield rowOf(values)
        }
      }
    }
  }
}

/**
 * SQLite's DDL is transactional. Kysely's adapter says that it isn't, so a kill during a migration would leave half of
 * the tables.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

export const dialect = (database: Prepares): Dialect => new Dialect({ database: adapter(database) })
