/**
 * Writes within `atomically` are kept together or not at all, whichever service made them, even if the answer to the
 * COMMIT is lost.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Postgres, type PostgresError } from "../../../src/Stores/Postgres/Postgres.ts"
import { Store, writeMeta } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import type { Database } from "../../Postgres.ts"
import { certified } from "../Written.ts"
import type { AtCommit } from "./Proxy.ts"
import { ask, database, proxy, sessions, storesAt, until } from "./World.ts"

type Stores = Postgres | Store | Warehouse

const test = <E>(fact: string, body: (own: Database) => Effect.Effect<void, E, Stores>) =>
  it.live(fact, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        yield* Effect.provide(body(own), storesAt(own.url))
      })
    )
  )

const note = (key: string) => Effect.flatMap(Store, (store) => store.transaction((tx) => writeMeta(tx, key, "here")))

const notes = (own: Database) =>
  Effect.map(ask(own, "select key from siteledger.meta order by key"), (rows) => rows.map(({ key }) => key))

const failing = Effect.fail("on purpose" as const)

/** A statement that the server refuses. */
const wrong = Effect.flatMap(Postgres, ({ run }) =>
  run((db) =>
    db
      .insertInto("meta")
      .values({ key: "x", value: null as never })
      .execute()
  )
)

const entry = Effect.flatMap(Store, (store) =>
  store.transaction(async (tx) => {
    await tx
      .insertInto("ledger_facts")
      .values({ number: 1, ipc_id: "A", kind: "paid", known_at: "now", content: "{}" })
      .execute()
  })
)

const row = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [] })
)

const counts = `
  select (select count(*) from siteledger.meta) as notes, (select count(*) from ledger.ledger_facts) as facts,
    (select count(*) from construction.ipcs) as rows`

describe.skipIf(Databases.skipped !== undefined)("atomically", () => {
  test("store, books and warehouse are kept together", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const all = Effect.all([note("a"), entry, row], { discard: true })
      const early = yield* atomically(
        Effect.gen(function* () {
          yield* all
          return yield* ask(own, counts)
        })
      )
      assert.deepStrictEqual(early, [{ notes: "0", facts: "0", rows: "0" }])
      assert.deepStrictEqual(yield* ask(own, counts), [{ notes: "1", facts: "1", rows: "1" }])
    }))

  test("a failure undoes store, books and warehouse", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const all = Effect.all([note("a"), entry, row, failing], { discard: true })
      assert.strictEqual(yield* Effect.flip(atomically(all)), "on purpose")
      assert.deepStrictEqual(yield* ask(own, counts), [{ notes: "0", facts: "0", rows: "0" }])
    }))

  test("a nested failure undoes the nested writes, and nothing else", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const innermost = Effect.ignore(atomically(Effect.andThen(note("innermost"), failing)))
      const inner = Effect.ignore(atomically(Effect.all([note("inner"), innermost, failing], { discard: true })))
      const kept = atomically(Effect.andThen(note("kept"), innermost))
      yield* atomically(Effect.all([note("before"), inner, kept, note("after")], { discard: true }))
      assert.deepStrictEqual(yield* notes(own), ["after", "before", "kept"])
    }))

  test("a server error in a nested one leaves the outer one usable", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const error = yield* atomically(Effect.tap(Effect.flip(atomically(wrong)), () => note("outer")))
      assert.strictEqual(error.reason, "Refused")
      assert.deepStrictEqual(yield* notes(own), ["outer"])
    }))

  test("a nested one that swallows a server error fails, and the outer one doesn't", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const swallowing = atomically(Effect.andThen(note("inner"), Effect.ignore(wrong)))
      yield* atomically(Effect.andThen(Effect.flip(swallowing), note("outer")))
      assert.deepStrictEqual(yield* notes(own), ["outer"])
    }))

  test("one that swallows a server error fails: its writes are never reported as kept", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      yield* Effect.flip(atomically(Effect.andThen(note("outer"), Effect.ignore(wrong))))
      assert.deepStrictEqual(yield* notes(own), [])
    }))

  test("what waits for the commit runs once others can see all of it", (own) =>
    Effect.gen(function* () {
      const { afterCommit, atomically } = yield* Postgres
      const seen: Array<ReadonlyArray<string | null | undefined>> = []
      const look = Effect.map(notes(own), (all) => void seen.push(all))
      const inner = Effect.andThen(note("inner"), afterCommit(look))
      yield* atomically(Effect.all([atomically(inner), note("outer")], { discard: true }))
      assert.deepStrictEqual(seen, [["inner", "outer"]])
      yield* afterCommit(look)
      assert.lengthOf(seen, 2)
    }))

  test("what waits for the commit never runs if its writes are undone", (own) =>
    Effect.gen(function* () {
      const { afterCommit, atomically } = yield* Postgres
      const ran: Array<string> = []
      const run = (name: string) => afterCommit(Effect.sync(() => void ran.push(name)))
      const nested = Effect.ignore(atomically(Effect.all([note("nested"), run("nested"), failing])))
      yield* atomically(Effect.all([nested, note("kept"), run("kept")], { discard: true }))
      yield* Effect.ignore(atomically(Effect.all([run("failed"), failing])))
      yield* Effect.ignore(atomically(Effect.andThen(run("refused"), Effect.ignore(wrong))))
      assert.deepStrictEqual(ran, ["kept"])
      assert.deepStrictEqual(yield* notes(own), ["kept"])
    }))

  test("concurrent nested ones don't undo each other", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const nested = Array.from({ length: 8 }, (_, place) => {
        const body = Effect.andThen(note(`${place}`), Effect.sleep(place % 3))
        return Effect.ignore(atomically(place % 2 === 0 ? body : Effect.andThen(body, failing)))
      })
      yield* atomically(Effect.all(nested, { concurrency: "unbounded", discard: true }))
      assert.deepStrictEqual(yield* notes(own), ["0", "2", "4", "6"])
    }))

  test("an interrupted one is rolled back, and its connection is released", (own) =>
    Effect.gen(function* () {
      const { atomically } = yield* Postgres
      const fiber = yield* Effect.forkChild(atomically(Effect.andThen(note("a"), Effect.never)))
      const isOpen = Effect.map(sessions(own), (all) => all.some(({ state }) => state === "idle in transaction"))
      yield* until(isOpen)
      yield* Fiber.interrupt(fiber)
      assert.isFalse(yield* isOpen)
      assert.deepStrictEqual(yield* notes(own), [])
    }))
})

/** One atomic write with this fate of its COMMIT; returns what was kept. */
const lost = (what: AtCommit) =>
  Effect.scoped(
    Effect.gen(function* () {
      const own = yield* database
      const network = yield* proxy(own.url)
      const write = Effect.gen(function* () {
        const { atomically } = yield* Postgres
        const isMet = yield* Effect.forkChild(Effect.promise(() => network.atNextCommit(what)))
        const outcome = yield* Effect.result(atomically(Effect.andThen(note("a"), row)))
        yield* Fiber.join(isMet)
        yield* atomically(note("works again"))
        const error: PostgresError["reason"] | undefined =
          outcome._tag === "Success" || outcome.failure._tag !== "PostgresError" ? undefined : outcome.failure.reason
        return { error, kept: yield* notes(own), counts: yield* ask(own, counts) }
      })
      return yield* Effect.provide(write, storesAt(network.url))
    })
  )

describe.skipIf(Databases.skipped !== undefined)("a COMMIT whose answer is lost", () => {
  it.live("has succeeded if the server executed it", () =>
    Effect.gen(function* () {
      const { counts: after, error, kept } = yield* lost("after")
      assert.isUndefined(error)
      assert.deepStrictEqual(kept, ["a", "works again"])
      assert.deepStrictEqual(after, [{ notes: "2", facts: "0", rows: "1" }])
    })
  )

  for (const [fact, what] of [
    ["the server never received it", "before"],
    ["the server still waits for it, holding locks", "held"]
  ] as const) {
    it.live(`has failed and can be retried if ${fact}`, () =>
      Effect.gen(function* () {
        const { counts: after, error, kept } = yield* lost(what)
        assert.strictEqual(error, "Failed")
        assert.deepStrictEqual(kept, ["works again"])
        assert.deepStrictEqual(after, [{ notes: "1", facts: "0", rows: "0" }])
      })
    )
  }
})
