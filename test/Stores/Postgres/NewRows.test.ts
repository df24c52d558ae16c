/** Many rows that seem new are inserted a thousand at a time, while the next ones are merged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import type { Change } from "../../../src/Domain/Change.ts"
import { merge } from "../../../src/Domain/Merge.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { certified } from "../Written.ts"
import { ask, database, storesAt } from "./World.ts"

const count = 2500

const write = (changes: ReadonlyArray<Change>) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes, events: [] }))

const first = Array.from({ length: count }, (_, n) => certified(`I${n}`, n, `${n}.0000`))

const amounts = (own: Databases.Database) =>
  Effect.map(
    ask(own, "select id, certified_amount from construction.ipcs"),
    (rows) => new Map(rows.map(({ certified_amount: amount, id }) => [id, amount]))
  )

const amountOf = (changes: ReadonlyArray<Change>) => merge(byName("ipcs"), undefined, changes)?.["certified_amount"]

/** It is merged in turns, so the refusal comes while nobody waits for it. */
const large = (change: Change): Change => ({
  ...change,
  extra: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field${n}`, "1"]))
})

describe.skipIf(Databases.skipped !== undefined)("many rows that seem new", () => {
  it.live("are merged with those that a sample of their ids didn't show, and analysts are told", () =>
    Effect.gen(function* () {
      const own = yield* database
      const stored = [
        certified("I7", count + 1, "7777.0000"),
        certified("I1999", 0, "1.0000"),
        certified("I2499", count + 2, "9.0000")
      ]
      yield* Effect.gen(function* () {
        const { version } = yield* Warehouse
        yield* write(stored)
        yield* write(first)
        const before = yield* version
        yield* write(first.map((change) => ({ ...change, id: `other ${change.id}` })))
        assert.isAbove(yield* version, before)
      }).pipe(Effect.provide(storesAt(own.url)))
      const found = yield* amounts(own)
      assert.strictEqual(found.size, 2 * count)
      for (const { id } of [...stored, ...first.slice(0, 10)]) {
        assert.strictEqual(found.get(id), amountOf([...stored, ...first].filter((change) => change.id === id)), id)
      }
    }).pipe(Effect.scoped)
  )

  it.live("are inserted in the order of their keys, in which no two workers wait for each other", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.provide(write(first.toReversed()), storesAt(own.url))
      const lying = yield* ask(own, "select id from construction.ipcs order by ctid")
      assert.deepStrictEqual(
        lying.map(({ id }) => id),
        first.map(({ id }) => id)
      )
    }).pipe(Effect.scoped)
  )

  it.live("are all or none there, if the server refuses one of those in the middle", () =>
    Effect.gen(function* () {
      const own = yield* database
      const outcome = yield* Effect.gen(function* () {
        const { run } = yield* Postgres
        yield* run((db) =>
          sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$`.execute(
            db
          )
        )
        yield* run((db) =>
          sql`create trigger refuse before insert on construction.ipcs for each row when (new.id = 'I1200')
            execute function refuse()`.execute(db)
        )
        return yield* Effect.flip(write(first.map((change) => (change.id === "I2400" ? large(change) : change))))
      }).pipe(Effect.provide(storesAt(own.url)))
      assert.match(outcome.message, /not this one/)
      assert.strictEqual((yield* amounts(own)).size, 0)
    }).pipe(Effect.scoped)
  )
})
