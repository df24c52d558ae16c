/**
 * In which order records come, and where a page begins: after the end of the previous page. In the order of keys, that
 * is the key of its last row; in the order of changes (newest first), it is preceded by the time of that row's change.
 * Pure.
 */
import { type RawBuilder, sql } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import type { EntityTable } from "../../Stores/EntityTables.ts"
import { read, typed } from "./Where.ts"

export type Order = "key" | "changed"

export interface Key {
  readonly key: string
  readonly changed: string
}

export const endOf = (order: Order, { changed, key }: Key): string => (order === "key" ? key : `${changed} ${key}`)

export const inOrder = (order: Order, key: string): RawBuilder<unknown> =>
  order === "key" ? sql`${sql.id(key)}` : sql`_changed_at desc, ${sql.id(key)}`

/** The records after the end of a page; undefined if no page ends like this. */
export const behind = (order: Order, { key, resource }: EntityTable, end: string): RawBuilder<boolean> | undefined => {
  const [changed = "", ...rest] = order === "key" ? ["", end] : end.split(" ")
  const last = read(resource.key, rest.join(" "))
  if (last === undefined) return undefined
  const after = sql<boolean>`${sql.id(key)} > ${typed(resource.key, last)}`
  if (order === "key") return after
  const micros = Instant.readMicros(changed)
  if (micros === undefined) return undefined
  const at = typed("TIMESTAMPTZ", Instant.fromMicros(micros))
  // The first condition can use an index.
  return sql<boolean>`_changed_at <= ${at} and (_changed_at < ${at} or ${after})`
}
