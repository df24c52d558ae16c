/**
 * How sure the copy is below each parent of a child list, by the same rules as for a list: a pass saw as many ids as
 * the service counts there, or the same ids as the previous pass. So a failure of one parent doesn't weaken the proof
 * of the others.
 */
import { Effect } from "effect"
import { type RawBuilder, sql, type Transaction } from "kysely"
import { listed } from "../Stores/Sql.ts"
import type { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { Numbered } from "./Sightings.ts"

type Tx = Transaction<StoreTables>

/** A parent that a pass has finished. */
export interface Finished {
  readonly parent: string
  /** absent: there is no such list (404). failed: it was refused, or isn't in the promised form. */
  readonly outcome: "read" | "absent" | "failed"
  readonly total: number
}

/** Runs in the transaction of the checkpoint that saves the parent's last page. */
export const finish = async (tx: Tx, { pass, resource }: Numbered, parents: ReadonlyArray<Finished>): Promise<void> => {
  if (parents.length === 0) return
  await tx
    .insertInto("walk_parents")
    .values(parents.map((each) => ({ ...each, resource, pass, agreed_pass: 0, proof: null })))
    .onConflict((conflict) =>
      conflict.columns(["resource", "parent"]).doUpdateSet((row) => ({
        pass,
        outcome: row.ref("excluded.outcome"),
        total: row.ref("excluded.total"),
        proof: null
      }))
    )
    .execute()
}

/** Which of these parents the pass has finished. */
export const finished = (store: Store["Service"], { pass, resource }: Numbered, parents: ReadonlyArray<string>) =>
  Effect.map(
    store.run((db) =>
      db
        .selectFrom("walk_parents")
        .select("parent")
        .where("resource", "=", resource)
        .where("pass", "=", pass)
        .where("parent", "in", listed(db, parents))
        .execute()
    ),
    (rows) => new Set(rows.map(({ parent }) => parent))
  )

/** What a complete pass proves below each parent. Forgets parents that two passes didn't find. */
export const judge = (store: Store["Service"], { pass, resource }: Numbered, isCounted: boolean) =>
  store.transaction(async (tx) => {
    await tx
      .deleteFrom("walk_parents")
      .where("resource", "=", resource)
      .where("pass", "<", pass - 1)
      .execute()
    const [sure, whole] = isCounted ? ["proven", "counts-agree"] : ["passes-agree", "unproven"]
    const [before, now] = [sql`cast(${pass - 1} as integer)`, sql`cast(${pass} as integer)`]
    const isWhole = isCounted ? sql`outcome = 'read' and shown = total` : sql`outcome = 'read'`
    await sql`
      update walk_parents as parents set
        proof = case when not is_whole then 'unproven'
          when judged.agreed_pass = ${before} and ${before} > 0 and others = 0 then cast(${sure} as text)
          else cast(${whole} as text) end,
        agreed_pass = case when is_whole then ${now} else judged.agreed_pass end
      from (
        select parent, agreed_pass, others, (${isWhole}) as is_whole
        from (
          select of_pass.parent, agreed_pass, outcome, total, coalesce(shown, 0) as shown, coalesce(others, 0) as others
          from walk_parents as of_pass left join (
            select parent, sum(case when last_pass = ${now} then 1 else 0 end) as shown,
              sum(case when last_pass = ${before} or (last_pass = ${now} and prior_pass <> ${before}) then 1 else 0 end)
                as others
            from sightings where resource = ${resource} and parent is not null group by parent
          ) as seen on seen.parent = of_pass.parent
          where resource = ${resource} and pass = ${now}
        ) as counted
      ) as judged
      where parents.resource = ${resource} and parents.parent = judged.parent`.execute(tx)
  })

export interface Summary {
  readonly parents: number
  /** Read completely in this pass. */
  readonly whole: number
  readonly sure: number
  /** Neither absent nor failed. */
  readonly read: number
  readonly failed: number
  /** Found by the previous pass but not by this one: the records below them aren't buried yet. */
  readonly gone: number
  /** By the service's count. */
  readonly total: number
}

/** Sums over a pass that is judged. */
export const summed = (store: Store["Service"], { pass, resource }: Numbered) =>
  Effect.map(
    store.run((db) => {
      const now = sql`pass = cast(${pass} as integer)`
      const count = (condition: RawBuilder<unknown>) => sql<number>`count(case when ${now} and ${condition} then 1 end)`
      return db
        .selectFrom("walk_parents")
        .select([
          count(sql`true`).as("parents"),
          count(sql`agreed_pass = pass`).as("whole"),
          count(sql`proof in ('proven', 'passes-agree')`).as("sure"),
          count(sql`outcome = 'read'`).as("read"),
          count(sql`outcome = 'failed'`).as("failed"),
          sql<number>`count(case when pass < cast(${pass} as integer) then 1 end)`.as("gone"),
          sql<number>`sum(case when ${now} then total else 0 end)`.as("total")
        ])
        .where("resource", "=", resource)
        .executeTakeFirstOrThrow()
    }),
    (row): Summary => ({
      parents: Number(row.parents),
      whole: Number(row.whole),
      sure: Number(row.sure),
      read: Number(row.read),
      failed: Number(row.failed),
      gone: Number(row.gone),
      total: Number(row.total ?? 0)
    })
  )

/**
 * At most `limit` ids that neither this pass nor the previous one showed, below parents for which both agree or that
 * are gone; with `all`, also ids whose parent isn't known.
 */
export const absent = (store: Store["Service"], { pass, resource }: Numbered, all: boolean, limit: number) =>
  Effect.map(
    store.run((db) =>
      sql<{ id: string }>`
        select cast(sightings.id as text) as id from sightings
        left join walk_parents on walk_parents.resource = sightings.resource
          and walk_parents.parent = sightings.parent
        where sightings.resource = ${resource} and last_pass < cast(${pass - 1} as integer) and case
          when sightings.parent is null then ${sql.lit(all ? 1 : 0)} = 1
          else walk_parents.parent is null or walk_parents.proof in ('proven', 'passes-agree') end
        limit ${sql.lit(limit)}`.execute(db)
    ),
    ({ rows }) => rows.map(({ id }) => id)
  )
