/**
 * The books of an IPC as the Store has them equal those made from all of its facts, on both engines: also with projects
 * that are named in any order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { empty, learn } from "../../src/Ledger/Fold/Known.ts"
import { factsOf, read } from "../../src/Ledger/StoredBooks.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { type Random, seeded } from "../Seeded.ts"
import { database, storesAt } from "../Stores/Postgres/World.ts"
import { contractor } from "./Contractor.ts"
import { certified, created, folder, hear, paid } from "./Started.ts"

const ids = ["A", "B", "C"]
const terms = { ...contractor, currency: "EUR", currencies: { "7": "USD", "8": "GBP" } }

const eventOf = ({ below, pick }: Random, received: number) => {
  const [id, second] = [pick(ids), 1 + below(50)]
  return pick([
    () => created(id, second, received, pick(["7", "8", "9"])),
    () => created(id, second, received, pick(["7", "8", "9"])),
    () => certified(id, second, received, `${pick([5, 6])}.0000`),
    () => paid(id, second, received)
  ])()
}

const isWhole = Effect.gen(function* () {
  const store = yield* Store
  const random = seeded(17)
  let most = 0
  for (let batch = 0; batch < 60; batch++) {
    yield* hear(Array.from({ length: 1 + random.below(3) }, (_, n) => eventOf(random, 100 + batch * 10 + n)))
    const { books, facts } = yield* store.run(async (db) => ({
      books: await read(db, ids),
      facts: await factsOf(db, ids)
    }))
    for (const [ipcId, each] of books) {
      const known = learn(empty(ipcId), facts.get(ipcId) ?? [])
      assert.deepStrictEqual({ ...known, entries: each.entries, holds: each.holds }, each, `batch ${batch}`)
      most = Math.max(most, (facts.get(ipcId) ?? []).filter(({ kind }) => kind === "project").length)
    }
  }
  assert.isAbove(most, 3)
})

const ledger = Ledger.layerWith(terms)

describe("stored books", () => {
  it.effect("are what all facts make, in SQLite", () =>
    Effect.flatMap(folder, (path) =>
      Effect.provide(isWhole, Layer.provideMerge(ledger, Sqlite.layerAt(`${path}/store.sqlite`)))
    )
  )

  it.effect("are what all facts make, in PostgreSQL", () =>
    Effect.flatMap(database, ({ url }) => Effect.provide(isWhole, Layer.provideMerge(ledger, storesAt(url))))
  )
})
