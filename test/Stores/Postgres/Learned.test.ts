/**
 * Two workers on one database: one adds columns, in the transaction in which they are learned; the other notices before
 * its next write. While someone holds the table, nothing is learned, and nothing waits long.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as LearnedColumns from "../../../src/Stores/LearnedColumns.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { columns, orders, page } from "../DuckDb/EvolvingOrders.ts"
import { ask, database, storesAt } from "./World.ts"

const worker = (url: string) =>
  Effect.gen(function* () {
    const layer = Layer.fresh(storesAt(url)).pipe(Layer.provide(Layer.succeed(Resources, [orders])))
    const context = yield* Layer.build(layer)
    const within = <A, E>(effect: Effect.Effect<A, E, Store | Warehouse>) => Effect.provideContext(effect, context)
    return {
      within,
      write: (second: number) =>
        within(Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes: page(second), events: [] }))),
      learn: within(
        Effect.gen(function* () {
          const [store, warehouse] = [yield* Store, yield* Warehouse]
          yield* store.atomically(
            Effect.andThen(
              store.transaction((tx) => LearnedColumns.add(tx, columns)),
              warehouse.evolve
            )
          )
        })
      )
    }
  })

const amounts = `
  select count(*)::text as rows, count(amount)::text as amounts, count(*) filter (where title = 'title 3')::text as third,
    count(*) filter (where _extra::text = '{"rest":1}')::text as plain from construction.orders`

const none = "select count(*)::text as count from siteledger.learned_columns"

describe.skipIf(Databases.skipped !== undefined)("two workers on PostgreSQL", () => {
  it.live("know a column that one of them has learned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const [one, other] = [yield* worker(own.url), yield* worker(own.url)]
        yield* other.write(1)
        yield* one.learn
        yield* other.write(2)
        const [noticed] = yield* ask(own, amounts)
        assert.deepStrictEqual(noticed, { rows: "3000", amounts: "3000", third: "0", plain: "3000" })
        yield* one.write(3)
        const [after] = yield* ask(own, amounts)
        assert.deepStrictEqual(after, { rows: "3000", amounts: "3000", third: "3000", plain: "3000" })
      })
    )
  )

  it.live("show it with its table, already within the transaction that adds it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const [one, other] = [yield* worker(own.url), yield* worker(own.url)]
        const named = Effect.map(
          Effect.flatMap(Warehouse, ({ table }) => table("orders")),
          (table) => table.columns.map(({ name }) => name)
        )
        const added = columns.map(({ name }) => name)
        const adding = Effect.gen(function* () {
          const [{ atomically, transaction }, { evolve }] = [yield* Store, yield* Warehouse]
          const add = transaction((tx) => LearnedColumns.add(tx, columns))
          return yield* atomically(Effect.andThen(Effect.andThen(add, evolve), named))
        })
        assert.notIncludeMembers(yield* other.within(named), added)
        assert.includeMembers(yield* one.within(adding), added)
        assert.includeMembers(yield* other.within(named), added)
      })
    )
  )

  it.live("leave all as it is while a table is held, and can try again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const [one, other] = [yield* worker(own.url), yield* worker(own.url)]
        yield* other.write(1)
        const failure = yield* other.within(
          Effect.flatMap(Store, (store) =>
            // Not in the transaction of the other.
            store.atomically(
              Effect.andThen(
                other.write(2),
                Effect.promise(() => Effect.runPromise(Effect.flip(one.learn)))
              )
            )
          )
        )
        assert.include(failure.message, "lock")
        assert.deepStrictEqual(yield* ask(own, none), [{ count: "0" }])
        yield* one.learn
        assert.deepStrictEqual(yield* ask(own, none), [{ count: String(columns.length) }])
        yield* other.write(3)
        assert.deepStrictEqual(yield* ask(own, amounts), [
          { rows: "3000", amounts: "3000", third: "3000", plain: "3000" }
        ])
      })
    )
  )
})
