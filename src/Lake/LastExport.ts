/**
 * What the Store remembers of exports: when they ran, and the newest one's event files with the fingerprints of
 * their rows. Nothing else writes these tables.
 *
 * Saved in one transaction after the pointer has moved. Dying before it makes the next export compare with the
 * export before, whose files are still there, and write a few more of its own.
 */
import { Effect } from "effect"
import type { Selectable } from "kysely"
import type { Instant } from "../Instant.ts"
import type { Store } from "../Store.ts"
import type { StoreTables } from "../Store/Tables.ts"

export type ExportFile = Selectable<StoreTables["export_files"]>

export interface Finished {
  readonly run: string
  readonly started_at: Instant
  readonly finished_at: Instant
}

/** By partition, the files of `events` that the newest export names. */
export const eventFiles = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) => db.selectFrom("export_files").selectAll().where("table_name", "=", "events").execute()),
    (files): ReadonlyMap<string, ExportFile> => new Map(files.map((file) => [file.partition, file]))
  )

/** SQLite takes at most 32,766 parameters a statement, seven of them for each of these rows. */
const rowsAtOnce = 1000

export const save = (store: Store["Service"], finished: Finished, files: ReadonlyArray<ExportFile>) =>
  store.transaction(async (tx) => {
    await tx.deleteFrom("export_files").execute()
    for (let next = 0; next < files.length; next += rowsAtOnce) {
      await tx
        .insertInto("export_files")
        .values(files.slice(next, next + rowsAtOnce))
        .execute()
    }
    await tx.insertInto("exports").values(finished).execute()
  })

export const lastAt = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("exports")
        .select((of) => of.fn.max("finished_at").as("at"))
        .executeTakeFirst()
    ),
    (row): Instant | null => row?.at ?? null
  )
