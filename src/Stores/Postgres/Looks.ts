/**
 * Checks for what other workers may have changed. An idle worker makes a dozen such looks every second or two, at the
 * same moments (`Runtime/Beat`), and each statement costs it half a millisecond regardless of its content. So the looks
 * of one moment become one statement.
 *
 * Each result is as of a time after the look was requested. If one of them fails, all do. Within a transaction, a look
 * is a separate statement.
 */
import { setTimeout } from "node:timers/promises"
import { Effect, Exit, Request, RequestResolver } from "effect"
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Shared } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"

/** Timers for the same moment fire within two milliseconds, on the machine's clock. */
const gathering = Effect.promise(() => setTimeout(3))

type Run<E> = <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, E>

class Look<E> extends Request.Class<{ readonly value: RawBuilder<unknown> }, unknown, E> {}

/** `isAlone`: true within a transaction. */
export const make = <E>(run: Run<E>, isAlone: Effect.Effect<boolean>) => {
  const values = (all: ReadonlyArray<RawBuilder<unknown>>) =>
    run(async (db) => {
      const columns = all.map((value, n) => sql`(${value}) as ${sql.id(String(n))}`)
      const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(db)
      return all.map((_, n) => rows[0]?.[n])
    })
  const all = RequestResolver.make<Look<E>>((entries) =>
    Effect.gen(function* () {
      const asked = [...new Set(entries.map(({ request }) => request.value))]
      const found = yield* values(asked)
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(found[asked.indexOf(entry.request.value)]))
    })
  )
  const together = RequestResolver.setDelayEffect(all, gathering)
  return <A>(value: RawBuilder<A>): Effect.Effect<A, E> =>
    Effect.flatMap(isAlone, (alone) =>
      alone
        ? Effect.map(values([value]), ([found]) => found as A)
        : (Effect.request(new Look<E>({ value }), together) as Effect.Effect<A, E>)
    )
}

/** A row's place together with the transaction that wrote it is unique. */
const stampOf = (table: Shared): RawBuilder<string> => sql`
  select count(*)::text || ' ' || coalesce(sum(hashtextextended(ctid::text || ' ' || xmin::text, 0)), 0)::text
  from ${sql.table(table)}`

/** Changes once a row of the table was written. */
export const stamps: Readonly<Record<Shared, RawBuilder<string>>> = {
  subscriptions: stampOf("subscriptions"),
  walks: stampOf("walks"),
  webhook_secrets: stampOf("webhook_secrets")
}
