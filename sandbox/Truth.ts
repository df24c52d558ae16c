/**
 * The true state of every entity after a number of steps, derived only from the events: the furthest status and the
 * last value of every field. It uses the column names of the worker's tables, so that a test can compare the two. It is
 * recomputed from the seed block by block (no life spans two), so it needs no memory until it is asked for.
 */
import type { Events } from "./Events.ts"
import * as EntityState from "./EntityState.ts"
import type { Entity } from "./Lifecycles.ts"

export interface EntityTruth {
  readonly entity: Entity
  readonly id: string
  readonly status: string
  /**
   * By column, as text. Money has exactly four decimals; `recipients` is JSON; `…_at` has microseconds. A
   * column is missing until an event has set it.
   */
  readonly fields: Readonly<Record<string, string>>
}

/** Columns whose name differs from the event's field. */
const columns: Readonly<Record<string, string>> = {
  "ipcs amount": "submitted_amount",
  "permits type": "permit_type"
}

const moneyColumns = new Set([
  "draft_amount",
  "submitted_amount",
  "certified_amount",
  "total_cost_impact",
  "final_amount"
])

const fourDecimals = (json: string): string => {
  const [whole = "", decimals = ""] = json.split(".")
  return `${whole}.${decimals.padEnd(4, "0")}`
}

const columnText = (column: string, json: string): string => {
  if (moneyColumns.has(column)) return fourDecimals(json)
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}

const truthOf = ({ contents, entity, id, status }: EntityState.EntityState): EntityTruth => {
  const fields: Record<string, string> = {}
  for (const [name, json] of [...contents].slice(1)) {
    const column = columns[`${entity} ${name}`] ?? name
    fields[column] = columnText(column, json)
  }
  return { entity, id, status, fields }
}

/** `steps`: how many events have been emitted. */
export function* entities(events: Events, steps: number): Generator<EntityTruth> {
  for (let number = 0; number * events.blockLength < steps; number++) {
    for (const state of EntityState.ofBlock(events, number, steps)) yield truthOf(state)
  }
}
