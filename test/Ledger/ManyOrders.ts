/** The same property for many seeds, each with new books, on both engines. */
import { describe, it } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { patience, rounds } from "../Long.ts"
import { type Random, seeded } from "../Seeded.ts"
import { database, storesAt } from "../Stores/Postgres/World.ts"
import { folder } from "./Started.ts"

type Body = Effect.Effect<void, unknown, Ledger | Store>

export const inAnyOrder = (does: string, terms: Terms, property: (random: Random) => Body): void => {
  const many = <R>(count: number, world: (body: Body) => Effect.Effect<void, unknown, R>) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n + 1),
      (seed) =>
        Effect.catchCause(world(property(seeded(seed))), (cause) =>
          Effect.die(new Error(`seed ${seed}: ${Cause.pretty(cause)}`))
        ),
      { discard: true }
    )
  describe("any order of events", () => {
    it.effect(
      `${does}, in SQLite`,
      () =>
        many(rounds(30, 2000), (body) =>
          Effect.scoped(
            Effect.flatMap(folder, (path) =>
              Effect.provide(
                body,
                Layer.provideMerge(Ledger.layerWith(terms), Sqlite.layerAt(`${path}/store.sqlite`)),
                { local: true }
              )
            )
          )
        ),
      patience
    )

    it.effect(
      `${does}, in PostgreSQL`,
      () =>
        many(rounds(3, 100), (body) =>
          Effect.scoped(
            Effect.flatMap(database, ({ url }) =>
              Effect.provide(body, Layer.provideMerge(Ledger.layerWith(terms), storesAt(url)), { local: true })
            )
          )
        ),
      patience
    )
  })
}
