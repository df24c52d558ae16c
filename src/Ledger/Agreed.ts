/**
 * The terms of posting as they were agreed at each start: configuration becomes part of the stored order, so that
 * folding all facts again gives the same entries, accounts and currency included.
 */
import type { Kysely } from "kysely"
import { Effect } from "effect"
import type { Store, StoreError } from "../Store.ts"
import type { StoreTables } from "../Store/Tables.ts"
import type { Terms } from "./Fact.ts"

/** From the next fact on, these terms hold. */
export const agree = (store: Store["Service"], terms: Terms): Effect.Effect<void, StoreError> =>
  store.transaction(async (tx) => {
    const content = JSON.stringify(terms)
    const newest = await tx
      .selectFrom("ledger_terms")
      .select("content")
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst()
    if (newest?.content === content) return
    const fact = await tx
      .selectFrom("ledger_facts")
      .select((of) => of.fn.max("number").as("most"))
      .executeTakeFirst()
    await tx
      .insertInto("ledger_terms")
      .values({ from_fact: Number(fact?.most ?? 0) + 1, content })
      .execute()
  })

export interface Agreed {
  readonly fromFact: number
  readonly terms: Terms
}

/** In their order; of two with the same first fact, the later one holds. */
export const agreed = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<Agreed>> =>
  (await db.selectFrom("ledger_terms").selectAll().orderBy("number").execute()).map(({ content, from_fact }) => ({
    fromFact: from_fact,
    terms: JSON.parse(content) as Terms
  }))
