/**
 * The rows of a parent's table, in the order of their keys and a few at a time: a child list is walked once for each.
 * Rows that the service no longer lists are left out.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import type { Instant } from "../Domain/Instant.ts"
import type { Warehouse } from "../Stores/Warehouse.ts"
import { type ChildList, type Parent, SourceError } from "./Source.ts"

const atOnce = 500

export interface Asked {
  /** The key before them; undefined to start at the first one. */
  readonly after: string | undefined
  /** Only rows that changed later than this. */
  readonly changedSince: Instant | undefined
}

/** The next rows; empty at the end. */
export const next = (
  warehouse: Warehouse["Service"],
  { columns, table }: ChildList["parent"],
  { after, changedSince }: Asked
): Effect.Effect<ReadonlyArray<Parent>, SourceError> =>
  Effect.gen(function* () {
    const { key, resource } = yield* warehouse.table(table)
    const type = sql.raw(resource.key === "BIGINT" ? "bigint" : "varchar")
    const later = after === undefined ? sql`` : sql`and ${sql.ref(key)} > cast(${after} as ${type})`
    const changed = changedSince === undefined ? sql`` : sql`and _changed_at > cast(${changedSince} as timestamptz)`
    const wanted = columns.map((column) => sql`cast(${sql.ref(column)} as varchar) as ${sql.ref(column)}`)
    const { rows } = yield* warehouse.query((db) =>
      sql<Record<string, string | null>>`
        select ${sql.join([sql`cast(${sql.ref(key)} as varchar) as _named`, ...wanted])}
        from ${sql.table(`construction.${table}`)}
        where _deleted_at is null ${later} ${changed} order by ${sql.ref(key)} limit ${sql.lit(atOnce)}`.execute(db)
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
