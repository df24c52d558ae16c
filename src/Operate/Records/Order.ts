/**
 * In which order records come, and where a page of them begins: behind the end of the page before. In the order of keys that is
 * the key of its last row; in the order of changes, newest first, the time of that row's change comes before it. Pure.
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

/** Those behind the end of a page; undefined if no page ends so. */
export const behind = (order: Order, { key, resource }: EntityTable, end: string): RawBuilder<boolean> | undefined => {
  const [changed = "", ...rest] = order === "key" ? ["", end] : end.split(" ")
  const last = read(resource.key, rest.join(" "))
  if (last === undefined) return undefined
  const after = sql<boolean>`${sql.id(key)} > ${typed(resource.key, last)}`
  if (order === "key") return after
  const micros = Instant.readMicros(changed)
  if (micros === undefined) return undefined
  const at = typed("TIMESTAMPTZ", Instant.fromMicros(micros))
  // An index finds the first condition.
  return sql<boolean>`_changed_at <= ${at} and (_changed_at < ${at} or ${after})`
}
