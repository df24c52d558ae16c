/**
 * The learned columns of lists' tables. The Store holds them, so that all workers, a rebuilt warehouse and a moved
 * Store know the same ones; rows are only added. The review file that a person writes takes precedence.
 */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Resource } from "../Domain/Resource.ts"
import type { StoreTables } from "./StoreTables.ts"

export type LearnedColumn = Selectable<StoreTables["learned_columns"]>

/** In the order in which tables got them. */
export const all = (db: Kysely<StoreTables>): Promise<ReadonlyArray<LearnedColumn>> =>
  db.selectFrom("learned_columns").selectAll().orderBy("learned_at").orderBy("resource").orderBy("name").execute()

/** How many there are. Grows with each one; a server gives it as text. */
export const counted = sql<number | string>`(select count(*) from learned_columns)`

export const count = async (db: Kysely<StoreTables>): Promise<number> => {
  const { found } = await db.selectNoFrom(counted.as("found")).executeTakeFirstOrThrow()
  return Number(found)
}

/** An existing one stays as it is. */
export const add = async (db: Kysely<StoreTables>, columns: ReadonlyArray<LearnedColumn>): Promise<void> => {
  await db
    .insertInto("learned_columns")
    .values([...columns])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * The resource with its learned columns. If the review file also names a learned column's field, the column stays, but
 * nothing fills it any more.
 */
export const withLearned = (resource: Resource, learned: ReadonlyArray<LearnedColumn>): Resource => {
  const those = learned.filter((column) => column.resource === resource.name)
  if (those.length === 0) return resource
  const columns = { ...resource.columns }
  const byField = new Map<string, string>()
  const spills = new Map<string, string>()
  for (const { beside, field, name, type } of those) {
    if (Object.hasOwn(columns, name)) continue
    const isFilled = resource.fields?.has(field) !== true || beside !== null
    columns[name] = { type, says: isFilled ? saysOf(field, beside) : "No list fills it any more.", since: 1 }
    if (beside !== null) spills.set(beside, name)
    else if (isFilled) byField.set(field, name)
  }
  return { ...resource, columns, learned: byField, spills }
}

const saysOf = (field: string, beside: string | null): string =>
  beside === null
    ? `The value of the field /${field}.`
    : `What doesn't fit ${beside}: the value of the field /${field}.`
