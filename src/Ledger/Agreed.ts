/**
 * The terms of posting. They are stored at each start with changed terms, and whenever a person closes or opens a
 * period. So they are part of the stored order, and folding all facts again gives the same entries, including account
 * and currency. Several workers on one database all post by the terms of the one that started last.
 */
import type { ExpressionBuilder, Kysely, Transaction } from "kysely"
import { Effect } from "effect"
import { type Store, StoreError } from "../Stores/Store.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { Closed } from "../../config/Ledger.ts"
import { unsaid } from "../../config/Certificates.ts"
import type { Naming } from "../Domain/Event.ts"
import type { Terms } from "./Fact.ts"
import { objectionTo } from "./Fold/Rules.ts"

/** These terms apply from the next fact on. */
export const agree = (store: Store["Service"], terms: Terms): Effect.Effect<void, StoreError> =>
  store.transaction(async (tx) => {
    await oneAtATime(tx, "ledger")
    await agreeIn(tx, terms)
  })

/** Runs in the caller's turn at the ledger. Returns the previous terms if they were different. */
export const agreeIn = async (tx: Transaction<StoreTables>, terms: Terms): Promise<Terms | undefined> => {
  const before = await newest(tx)
  // What people have closed stays closed.
  const closed = before === undefined ? undefined : parsed(before).closed
  const content = JSON.stringify(closed === undefined ? terms : { ...terms, closed })
  if (before === content) return undefined
  await replace(tx, content)
  return before === undefined ? undefined : parsed(before)
}

/**
 * Stores what a person closes, in the caller's turn at the ledger. Otherwise the newest terms stay in force, or these
 * if there are none.
 */
export const close = async (tx: Transaction<StoreTables>, closed: Closed, terms: Terms): Promise<Terms> => {
  const content = (await newest(tx)) ?? JSON.stringify(terms)
  const after = JSON.stringify({ ...(JSON.parse(content) as Terms), closed })
  await replace(tx, after)
  return parsed(after)
}

const replace = async (tx: Transaction<StoreTables>, content: string): Promise<void> => {
  const fact = await tx
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("most"))
    .executeTakeFirst()
  await tx
    .insertInto("ledger_terms")
    .values({ from_fact: Number(fact?.most ?? 0) + 1, content })
    .execute()
}

/** As a subquery, so that a caller that reads more needs one round trip. */
export const newestContent = (from: ExpressionBuilder<StoreTables, never>) =>
  from.selectFrom("ledger_terms").select("content").orderBy("number", "desc").limit(1)

const newest = async (db: Kysely<StoreTables>): Promise<string | undefined> => {
  const row = await db.selectNoFrom((from) => newestContent(from).as("content")).executeTakeFirst()
  return row?.content ?? undefined
}

/**
 * Terms that a person decides by, and in which settings may differ. How deliveries are read, and by which rules,
 * concerns the worker alone.
 */
const inWords: Readonly<Record<Exclude<keyof Terms, "closed" | "minorDigits" | "reading" | "rules">, string>> = {
  debitAccount: "the account that is debited",
  creditAccount: "the account that is credited",
  currency: "the currency",
  currencies: "the projects' currencies",
  certificates: "what certified amounts are",
  accrual: "what is posted of certificates",
  settles: "whose books they are",
  openFrom: "where the open period begins",
  inClosedPeriod: "what happens to entries in a closed period",
  timezone: "the books' time zone",
  confirmAbove: "the amount that a second person confirms"
}

/** A version that didn't store one of these posted as if it had this value. */
const unkept: Pick<Terms, "certificates" | "confirmAbove" | "minorDigits" | "reading" | "rules" | "timezone"> = {
  rules: 1,
  timezone: "UTC",
  confirmAbove: null,
  minorDigits: null,
  certificates: unsaid,
  reading: null
}

export const parsed = (content: string): Terms => ({ ...unkept, ...(JSON.parse(content) as Terms) })

/** Undefined if no worker has started yet. */
export const newestIn = async (db: Kysely<StoreTables>): Promise<Terms | undefined> => {
  const kept = await newest(db)
  return kept === undefined ? undefined : parsed(kept)
}

/** Fails if a newer program wrote the books. */
export const newestTerms = (store: Store["Service"]): Effect.Effect<Terms | undefined, StoreError> =>
  Effect.flatMap(store.run(newestIn), (terms) => {
    const objection = terms === undefined ? undefined : objectionTo(terms)
    return objection === undefined
      ? Effect.succeed(terms)
      : Effect.fail(new StoreError({ reason: "Foreign", message: objection }))
  })

/** The differences in words; empty if there are none. */
export const difference = (before: Terms, terms: Terms): string =>
  (Object.keys(inWords) as ReadonlyArray<keyof typeof inWords>)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(terms[name]))
    .map((name) => inWords[name])
    .join(", ")

export interface Agreed {
  readonly fromFact: number
  readonly terms: Terms
}

/** How deliveries were read since the books began, as far as the terms say. */
export const namings = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<Naming>> =>
  (await agreed(db)).flatMap(({ terms }) => terms.reading ?? [])

/** In order. If two apply from the same fact, the later one wins. */
export const agreed = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<Agreed>> =>
  (await db.selectFrom("ledger_terms").selectAll().orderBy("number").execute()).map(({ content, from_fact }) => ({
    fromFact: from_fact,
    terms: parsed(content)
  }))
