/**
 * The rows of a parent's table, in the order of their keys and a few at a time: a child list is walked once for each. Rows that
 * the service doesn't list any more are left out.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import type { Warehouse } from "../Stores/Warehouse.ts"
import { SourceError } from "./Source.ts"

export interface Parent {
  readonly key: string
  /** By column; null: this row has none. */
  readonly values: Readonly<Record<string, string | null>>
}

const atOnce = 500

/** Remembers some rows that it has read; the first one is always read anew. */
export class Parents {
  readonly #warehouse: Warehouse["Service"]
  readonly #table: string
  readonly #columns: ReadonlyArray<string>
  #read: ReadonlyArray<Parent> = []
  #isLast = false

  constructor(warehouse: Warehouse["Service"], table: string, columns: ReadonlyArray<string>) {
    this.#warehouse = warehouse
    this.#table = table
    this.#columns = columns
  }

  /** The first row whose key comes after this one; undefined: there is none. */
  after(key: string | undefined): Effect.Effect<Parent | undefined, SourceError> {
    const place = key === undefined ? -1 : this.#read.findIndex((parent) => parent.key === key)
    const next = this.#read[place + 1]
    if (key !== undefined && place >= 0 && (next !== undefined || this.#isLast)) return Effect.succeed(next)
    return Effect.map(this.#rowsAfter(key), (rows) => {
      this.#read = rows
      this.#isLast = rows.length < atOnce
      return rows[0]
    })
  }

  #rowsAfter(after: string | undefined): Effect.Effect<ReadonlyArray<Parent>, SourceError> {
    const [warehouse, table, columns] = [this.#warehouse, this.#table, this.#columns]
    return Effect.gen(function* () {
      const { key, resource } = yield* warehouse.table(table)
      const type = sql.raw(resource.key === "BIGINT" ? "bigint" : "varchar")
      const later = after === undefined ? sql`` : sql`and ${sql.ref(key)} > cast(${after} as ${type})`
      const wanted = columns.map((column) => sql`cast(${sql.ref(column)} as varchar) as ${sql.ref(column)}`)
      const { rows } = yield* warehouse.query((db) =>
        sql<Record<string, string | null>>`
          select ${sql.join([sql`cast(${sql.ref(key)} as varchar) as _named`, ...wanted])}
          from ${sql.table(`construction.${table}`)}
          where _deleted_at is null ${later} order by ${sql.ref(key)} limit ${sql.lit(atOnce)}`.execute(db)
      )
      return rows.map(({ _named, ...values }) => ({ key: String(_named), values }))
    }).pipe(
      Effect.mapError(
        ({ message }) =>
          new SourceError({
            reason: "Refused",
            message: `The rows of ${table}, whose lists are walked, can't be read: ${message}`
          })
      )
    )
  }
}
