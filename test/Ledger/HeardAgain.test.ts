/**
 * Telling the ledger everything once more in a rebuild changes nothing, in batches of any size, on both engines: the
 * books equal those of one event after the other, and the books of IPCs with nothing new aren't even read.
 */
import { StatementSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { minorDigits } from "../../config/Currency.ts"
import type { AppliedEvent } from "../../src/Ledger/EventFacts.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { seed } from "../Long.ts"
import { type Random, seeded } from "../Seeded.ts"
import { database, storesAt } from "../Stores/Postgres/World.ts"
import { contractor } from "./Contractor.ts"
import { certified, created, folder, hear, paid, started } from "./Started.ts"

const terms = { ...contractor, currency: "EUR", currencies: { "7": "USD", "8": "GBP" } }

const ids = Array.from({ length: 20 }, (_, n) => `IPC "${n}"\\`)

const eventOf = ({ below, pick }: Random, received: number): AppliedEvent => {
  const [id, second] = [pick(ids), 1 + below(20)]
  return pick([
    () => created(id, second, received, pick(["7", "8", "9"])),
    () => certified(id, second, received, `${pick([5, 6, 7])}.0000`),
    () => paid(id, second, received, pick([`PAY-${id}`, "PAY-2"]))
  ])()
}

const books = Effect.flatMap(Store, (store) =>
  store.run(async (db) => ({
    facts: await db.selectFrom("ledger_facts").selectAll().orderBy("number").execute(),
    entries: await db.selectFrom("ledger_entries").selectAll().orderBy("sequence").execute(),
    holds: await db.selectFrom("ledger_holds").selectAll().orderBy("hold_id").execute(),
    decisions: await db.selectFrom("ledger_hold_decisions").selectAll().orderBy("number").execute()
  }))
)

/** Each batch is of this many at the most. */
const heardIn = Effect.fnUntraced(function* (events: ReadonlyArray<AppliedEvent>, most: () => number) {
  for (let from = 0; from < events.length;) {
    const count = most()
    yield* hear(events.slice(from, from + count))
    from += count
  }
})

/** The books, but for what differs between any two of them: when and in which epoch they were begun. */
const without = ({ entries, ...rest }: Effect.Success<typeof books>) => ({
  ...rest,
  entries: entries.map((entry) => ({ ...entry, epoch: 0 }))
})

const all = (random: Random) => Array.from({ length: 280 }, (_, n) => eventOf(random, 100 + n))

type Opened = <A, E>(body: Effect.Effect<A, E, Ledger | Store>) => Effect.Effect<A>

const changesNothing = Effect.fnUntraced(function* (opened: Opened) {
  const random = seeded(seed)
  const events = all(random)
  const known = 40 + random.below(150)
  const alone = yield* opened(
    Effect.andThen(
      heardIn(events, () => 1),
      books
    )
  )
  const again = yield* opened(
    Effect.gen(function* () {
      yield* heardIn(events.slice(0, known), () => 1 + random.below(9))
      // From the first one, as a rebuild does, in batches of which some are heard in part.
      yield* heardIn(events, () => 120 + random.below(200))
      const first = yield* books
      yield* heardIn(events, () => 500)
      assert.deepStrictEqual(yield* books, first, `seed ${seed}`)
      return first
    })
  )
  assert.deepStrictEqual(without(again), without(alone), `seed ${seed}`)
  assert.isAbove(again.entries.length, 10)
  assert.isAbove(again.holds.length, 0, `seed ${seed}`)
})

const inSqlite: Opened = (body) =>
  Effect.scoped(
    Effect.flatMap(folder, (path) =>
      Effect.provide(body, Layer.provideMerge(Ledger.layerWith(terms), Sqlite.layerAt(`${path}/store.sqlite`)), {
        local: true
      })
    )
  ).pipe(Effect.orDie)

const inPostgres: Opened = (body) =>
  Effect.scoped(
    Effect.flatMap(database, ({ url }) =>
      Effect.provide(body, Layer.provideMerge(Ledger.layerWith(terms), storesAt(url)), { local: true })
    )
  ).pipe(Effect.orDie)

/** The texts of SQLite's queries meanwhile. */
const queried = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<void, E, R>) {
  const texts: Array<string> = []
  const { all: original } = StatementSync.prototype
  const noting = function (this: StatementSync, ...given: ReadonlyArray<unknown>): never {
    texts.push(this.sourceSQL)
    return Reflect.apply(original, this, given) as never
  }
  Object.assign(StatementSync.prototype, { all: noting })
  yield* Effect.ensuring(
    work,
    Effect.sync(() => Object.assign(StatementSync.prototype, { all: original }))
  )
  return texts
})

describe("events that the ledger hears again", () => {
  it.live("change nothing in SQLite", () => changesNothing(inSqlite))

  it.live("change nothing in PostgreSQL", () => changesNothing(inPostgres))

  it.live("cost no reading of the books", () =>
    inSqlite(
      Effect.gen(function* () {
        const many = Array.from({ length: 50 }, (_, n) => `IPC ${n}`)
        const events = many.flatMap((id) => [
          created(id, 1, 100, "7"),
          certified(id, 2, 101, "5.0000"),
          paid(id, 3, 102)
        ])
        yield* hear(events)
        const { entries } = yield* books
        assert.lengthOf(entries, many.length)
        const texts = yield* queried(hear(events))
        assert.deepStrictEqual(
          texts.filter((text) => text.includes("ledger_entries")),
          []
        )
        assert.isNotEmpty(texts)
      })
    )
  )
})

describe("terms that change twice", () => {
  it.live("are told to many IPCs each time, though the second fact reads like the first", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const many = Array.from({ length: 120 }, (_, n) => `IPC ${n}`)
        const inCurrency = (currency: string) => ({ ...contractor, minorDigits, currency })
        const waiting = Effect.map(books, ({ holds }) => [...new Set(holds.map(({ reason }) => reason))])
        const begun = Effect.andThen(
          hear(many.flatMap((id) => [certified(id, 2, 101, "5.5000"), paid(id, 3, 102)])),
          waiting
        )
        assert.deepStrictEqual(yield* started(path, begun, inCurrency("JPY")), ["amount-too-precise"])
        assert.deepStrictEqual(yield* started(path, waiting, inCurrency("KRW")), ["amount-too-precise"])
        const { entries, facts, holds } = yield* started(path, books, inCurrency("EUR"))
        assert.lengthOf(
          facts.filter(({ kind }) => kind === "terms"),
          2 * many.length
        )
        assert.lengthOf(entries, many.length)
        assert.lengthOf(holds, 0)
      })
    )
  )
})
