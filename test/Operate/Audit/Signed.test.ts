/** The facts of the books match the signed bodies, and vice versa: anything that someone plants or removes is named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { type RawBuilder, sql } from "kysely"
import { TestClock } from "effect/testing"
import * as Instant from "../../../src/Domain/Instant.ts"
import type { Inbox } from "../../../src/Intake/Inbox.ts"
import { agreeIn } from "../../../src/Ledger/Agreed.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { signed } from "../../../src/Operate/Audit/Signed.ts"
import { before, begin, take } from "../../../src/Operate/Audit/Taking.ts"
import { Progress } from "../../../src/Runtime/Progress.ts"
import { Store, type StoreError } from "../../../src/Stores/Store.ts"
import { applying, certified, drained, made, now, offer, paid, permit } from "../../Intake/Apply/HearingWorld.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { Told } from "../../Told.ts"
import { engines } from "../../Stores/StoreEngines.ts"

const noTriggers: Readonly<Record<Store["Service"]["engine"], ReadonlyArray<string>>> = {
  sqlite: [
    "ledger_facts_no_update",
    "ledger_facts_no_delete",
    "ledger_entries_no_update",
    "ledger_entries_no_delete"
  ].map((name) => `drop trigger if exists ${name}`),
  postgres: ["ledger_facts", "ledger_entries"].map((table) => `alter table ${table} disable trigger user`)
}

/** As someone with the database's password would do it. */
const planted = (...statements: ReadonlyArray<RawBuilder<unknown>>) =>
  Effect.gen(function* () {
    const store = yield* Store
    for (const text of noTriggers[store.engine]) yield* store.run((db) => sql.raw(text).execute(db))
    for (const statement of statements) yield* store.run((db) => statement.execute(db))
  })

/** From the next fact on. */
const underRules = (rules: number) =>
  Effect.flatMap(Store, (store) => store.transaction((tx) => agreeIn(tx, { ...contractor, rules })))

/** Without threads, which take longer to start here than all else: worker/Ledger/Audit.test.ts has them. */
const audited = Effect.gen(function* () {
  const begun = yield* begin
  const { verified: _, ...found } = yield* signed(begun, 100)
  return found
}).pipe(
  Effect.scoped,
  Effect.updateService(Store, (store) => ({ ...store, readAt: undefined }))
)

const differences = Effect.map(audited, (found) => found.differences)

describe.each(engines)("with a Store in $name", ({ isSkipped, name, place }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Effect.Services<typeof differences> | Inbox>) =>
    it.effect.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Instant.toMicros(now) / 1000)
        const { layer } = yield* place
        yield* Effect.gen(function* () {
          yield* offer(certified("1"), paid("1"), permit(1), certified("2"), paid("2"), paid("2"), paid("3"))
          yield* drained
          const told = new Told()
          const first = yield* Effect.provideService(audited, Progress, told)
          assert.deepStrictEqual(first, { bodies: 6, differences: [] })
          assert.match(told.lines.join(), /ledger verify: (\d+) of \1 deliveries/)
          yield* body
        }).pipe(Effect.provide(Layer.provideMerge(applying(made(), Ledger.layerWith(contractor)), layer)))
      }).pipe(Effect.scoped)
    )

  test(
    "a payment that is gone with its facts is missed",
    Effect.gen(function* () {
      yield* planted(
        sql`delete from ledger_entries where ipc_id = '2'`,
        sql`delete from ledger_facts where ipc_id = '2'`
      )
      assert.deepStrictEqual(yield* differences, [
        "IPC 2: event c2 (delivery 4) tells of a certificate that the books don't have.",
        "IPC 2: event p2 (delivery 5) tells of a payment that the books don't have."
      ])
    })
  )

  test(
    "what waits in quarantine isn't missed, as it has left no facts yet",
    Effect.gen(function* () {
      yield* planted(
        sql`delete from ledger_entries where ipc_id = '2'`,
        sql`delete from ledger_facts where ipc_id = '2'`,
        sql`insert into quarantine (sequence, reason, event_type) values (5, 'label-only', 'ipc.paid')`
      )
      assert.deepStrictEqual(yield* differences, [
        "IPC 2: event c2 (delivery 4) tells of a certificate that the books don't have."
      ])
    })
  )

  test(
    "a fact that was changed together with its entry is named, and so is what it was",
    Effect.gen(function* () {
      yield* planted(
        sql`update ledger_facts set content = replace(content, '1000000', '9000000') where ipc_id = '1'`,
        sql`update ledger_entries set amount = '900.0000' where ipc_id = '1'`
      )
      assert.deepStrictEqual(yield* differences, [
        "IPC 1: event c1 (delivery 1) tells of a certificate that the books don't have.",
        "Fact 1 isn't what any signed delivery says."
      ])
    })
  )

  test(
    "a fact that was made up is named",
    Effect.gen(function* () {
      yield* planted(sql`
        insert into ledger_facts (number, ipc_id, kind, known_at, content)
        select 99, '7', kind, known_at, content from ledger_facts where number = 2`)
      assert.deepStrictEqual(yield* differences, ["Fact 99 isn't what any signed delivery says."])
    })
  )

  const said = Effect.andThen(offer(paid("4", { more: { amount: 60 } })), drained)

  test(
    "an amount that was paid and changed is named",
    Effect.gen(function* () {
      yield* said
      assert.deepStrictEqual(yield* differences, [])
      yield* planted(sql`update ledger_facts set content = replace(content, '600000', '700000') where ipc_id = '4'`)
      assert.deepStrictEqual(yield* differences, [
        "IPC 4: event p4 (delivery 8) tells of a payment that the books don't have.",
        "Fact 6 isn't what any signed delivery says."
      ])
    })
  )

  const stripped = planted(
    sql`update ledger_facts set content = replace(content, ',"units":"600000"', '') where ipc_id = '4'`
  )

  test(
    "an amount that was paid and is gone from its fact is named, also if an earlier version kept none",
    Effect.gen(function* () {
      yield* underRules(2)
      yield* underRules(3)
      yield* said
      yield* stripped
      assert.deepStrictEqual(yield* differences, ["Fact 6 isn't what any signed delivery says."])
    })
  )

  test(
    "an amount isn't missed in a fact of a version that kept none",
    Effect.gen(function* () {
      yield* underRules(2)
      yield* said
      yield* stripped
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  /** What happens once the bodies were read, before the facts are. */
  const meanwhile = (body: Effect.Effect<void, StoreError, Effect.Services<typeof differences> | Inbox>) =>
    Effect.gen(function* () {
      const store = yield* Store
      const areRead = yield* Latch.make(false)
      let passes = 0
      const stored = (after: number) => {
        if (after === 0) passes++
        return Effect.tap(store.deliveries.stored(after), areRead.open)
      }
      const known = yield* before
      const taken = areRead.await.pipe(
        Effect.andThen(body),
        Effect.andThen(take(store, [], known.key)),
        Effect.provideService(Store, store)
      )
      const { bodies, differences } = yield* signed({ ...known, taken }, 100).pipe(
        Effect.provideService(Store, { ...store, deliveries: { ...store.deliveries, stored } })
      )
      return { bodies, differences, passes }
    })

  test(
    "a fact of what arrives meanwhile is known to be signed",
    Effect.gen(function* () {
      const found = yield* meanwhile(Effect.andThen(offer(certified("8"), paid("8")), drained))
      assert.deepStrictEqual(found, { bodies: 8, differences: [], passes: 1 })
    })
  )

  if (name === "PostgreSQL") {
    test(
      "so is one of a body that is stored after others that are numbered after it",
      Effect.gen(function* () {
        const { run } = yield* Store
        const { rows } = yield* run((db) =>
          sql<{ readonly free: number }>`select nextval('inbox_sequence_seq') as free`.execute(db)
        )
        yield* offer(permit(2))
        yield* drained
        const found = yield* meanwhile(
          Effect.gen(function* () {
            yield* run((db) => sql`select setval('inbox_sequence_seq', ${rows[0]!.free}, false)`.execute(db))
            yield* offer(certified("8"))
            yield* drained
          })
        )
        assert.deepStrictEqual(found, { bodies: 8, differences: [], passes: 2 })
      })
    )
  }

  test(
    "what waits, and what is in quarantine, isn't missed",
    Effect.gen(function* () {
      const later = Instant.fromMicros(Instant.toMicros(now) + 40 * 60 * 60 * 1_000_000)
      yield* offer(paid("8", { at: later }))
      yield* drained
      // By now it could be read, but nobody has.
      yield* TestClock.setTime(Instant.toMicros(later) / 1000)
      assert.deepStrictEqual(yield* differences, [])
    })
  )
})
