/**
 * The Store's table `meta`, accessed directly on the connection.
 */
import type { DatabaseSync } from "node:sqlite"

export const metaOf = (database: DatabaseSync, key: string): string | undefined => {
  const value = database.prepare("select value from meta where key = ?").get(key)?.["value"]
  return value === undefined ? undefined : String(value)
}

export const setMeta = (database: DatabaseSync, key: string, value: string): void => {
  database
    .prepare("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value")
    .run(key, value)
}
