/** Every night the books are audited; a difference is a critical reason until an audit finds none, also after a restart. */
import { assert, describe, it } from "@effect/vitest"
import { Cron, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sql } from "kysely"
import { EventReader } from "../../../src/Domain/Event.ts"
import { audit } from "../../../src/Operate/Audit.ts"
import * as Nightly from "../../../src/Operate/Audit/Nightly.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { until } from "../../Intake/Uptime/World.ts"
import { folder, hear, payment, stores } from "../../Ledger/Started.ts"
import { Log } from "../../Logged.ts"

const utc = Cron.parseUnsafe("0 2 * * *", "UTC")

/** No delivery is in the inbox. */
const reader = Layer.succeed(
  EventReader,
  EventReader.of({ ledgerTypes: [], awaitedTypes: [], read: () => assert.fail("nothing is to be read") })
)

const critical = Effect.flatMap(Reasons, ({ all }) =>
  Effect.map(all, (reasons) => reasons.filter(({ level }) => level === "critical").map(({ sentence }) => sentence))
)

const audited = Effect.flatMap(Store, (store) =>
  store.run((db) =>
    db.selectFrom("schedule").select("last_scheduled_ms as ms").where("name", "=", "audit").executeTakeFirst()
  )
)

const night = (day: number) => Date.UTC(2026, 10, day, 2)

/** The clock goes on until the audit of that night is noted. */
const pass = (day: number) =>
  Effect.gen(function* () {
    yield* until(Effect.map(audited, (row) => row !== undefined))
    yield* TestClock.setTime(night(day) + 60_000)
    yield* until(
      Effect.andThen(
        TestClock.adjust(1000),
        Effect.map(audited, (row) => row?.ms === night(day))
      )
    )
  })

const started = <A, E>(
  path: string,
  body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof stores>> | EventReader | Reasons>
) =>
  Nightly.layerWith(utc).pipe(Layer.provideMerge(Layer.mergeAll(stores(path), reader, Reasons.layer)), (layer) =>
    Effect.scoped(Effect.provide(body, layer, { local: true }))
  )

/** The books, by other means than the worker's, and their copy. */
const emptied = Effect.gen(function* () {
  const tables = ["ledger_entries", "ledger_facts"] as const
  const store = yield* Store
  yield* store.run(async (db) => {
    for (const table of tables) await sql.raw(`drop trigger ${table}_no_delete`).execute(db)
    for (const table of tables) await db.deleteFrom(table).execute()
  })
  const warehouse = yield* Warehouse
  yield* warehouse.query((db) => db.deleteFrom("construction.ledger_entries").execute())
})

describe("the audit", () => {
  it.effect("runs every night, and what it finds is critical until it is mended", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 1))
      yield* started(
        path,
        Effect.gen(function* () {
          yield* pass(20)
          assert.deepStrictEqual(yield* critical, [])
          // Facts that no delivery tells of.
          yield* hear(payment("A"))
          yield* pass(21)
          assert.deepStrictEqual(yield* critical, [
            "The books don't agree with what was signed and stored. Fact 1 isn't what any signed delivery says. " +
              "and 1 more (`siteledger ledger verify` names them)"
          ])
        })
      )
      yield* started(
        path,
        Effect.gen(function* () {
          yield* until(Effect.map(critical, (found) => found.length === 1))
          yield* emptied
          yield* audit()
          assert.deepStrictEqual(yield* critical, [])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that can't be made now is postponed, which is in the log", () =>
    Effect.gen(function* () {
      const [path, log] = [yield* folder, new Log()]
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 1))
      const scene = Effect.gen(function* () {
        yield* until(Effect.map(audited, (row) => row !== undefined))
        const store = yield* Store
        yield* store.run((db) => sql.raw("alter table ledger_facts rename to ledger_gone").execute(db))
        yield* TestClock.setTime(night(20) + 60_000)
        yield* until(
          Effect.andThen(
            TestClock.adjust(1000),
            Effect.sync(() => log.written.length > 0)
          )
        )
        assert.match(String(log.saw("audit.postponed")["why"]), /ledger_facts/)
      })
      yield* Effect.provide(started(path, scene), log.layer)
    }).pipe(Effect.scoped)
  )
})
