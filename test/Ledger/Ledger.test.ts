/**
 * The ledger over a real Store and a real warehouse: on disk at once, the same in any batches and across restarts,
 * append-only, copied and verified.
 */
import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { rounds } from "../Long.ts"
import { seeded } from "../Seeded.ts"
import {
  certified,
  copied,
  copy,
  folder,
  hear,
  holds,
  journal,
  paid,
  startedWhole,
  startedWholeOnce,
  verified
} from "./Started.ts"

describe("the ledger", () => {
  it.effect("posts to the last digit, balanced, and the warehouse has a copy", () =>
    startedWholeOnce(
      Effect.gen(function* () {
        const amount = "123456789012345678901234.5678"
        yield* hear([certified("A", 1, 2, amount), paid("A", 5, 6), paid("B", 5, 6)])
        assert.deepStrictEqual(
          (yield* journal).map((entry) => [entry.sequence, entry.ipc_id, entry.kind, entry.amount]),
          [[1, "A", "payment", amount]]
        )
        yield* copy
        assert.strictEqual((yield* copied("ledger_entries"))[0]?.["amount"], amount)
        assert.deepStrictEqual(
          (yield* copied("ledger_lines")).map(({ account, credit, debit }) => [account, debit, credit]),
          [
            ["bank", amount, "0.0000"],
            ["receivable", "0.0000", amount]
          ]
        )
        assert.deepStrictEqual(
          (yield* copied("ledger_holds")).map(({ ipc_id, reason }) => [ipc_id, reason]),
          [["B", "awaiting-certified-amount"]]
        )
        yield* hear([certified("B", 3, 7, "10.0000"), certified("A", 2, 8, "100.0000")])
        yield* copy
        assert.deepStrictEqual(yield* copied("ledger_holds"), [])
        assert.strictEqual((yield* copied("ledger_hold_decisions"))[0]?.["verdict"], "answered")
        const negative = (yield* copied("ledger_lines")).filter(
          ({ credit, debit }) => Number(credit) < 0 || Number(debit) < 0
        )
        assert.deepStrictEqual(negative, [])
        assert.deepInclude(yield* Effect.flatMap(Ledger, ({ status }) => status), { entries: 3, holds: 0 })
      })
    )
  )

  it.effect("is the same to the byte in any batches, with restarts between them and every batch heard twice", () =>
    Effect.gen(function* () {
      const random = seeded(7)
      const events = random.shuffle(
        Array.from({ length: rounds(11, 30) }, (_, index) => String(index % 9)).flatMap((id, index) => [
          certified(id, 1 + random.below(20), 100 + index, `${1 + random.below(5)}.0000`),
          paid(id, 10, 200 + index, `PAY-${id}-${random.chance(0.1) ? 2 : 1}`)
        ])
      )
      const journals: Array<string> = []
      for (const most of [1, 7, events.length]) {
        const path = yield* folder
        for (let from = 0; from < events.length; from += most) {
          const batch = events.slice(from, from + most)
          yield* startedWhole(path, Effect.andThen(hear(batch), Effect.andThen(hear(batch), copy)))
        }
        journals.push(JSON.stringify(yield* startedWhole(path, Effect.all([journal, holds]))))
        const { differences, facts } = yield* startedWhole(path, verified)
        assert.deepStrictEqual(differences, [])
        assert.isAbove(facts, 10)
      }
      assert.strictEqual(new Set(journals).size, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("gives a new warehouse the same entries with their ids and times", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const all = Effect.all([copied("ledger_entries"), copied("ledger_holds"), copied("ledger_hold_decisions")])
      const before = yield* startedWhole(
        path,
        Effect.andThen(
          hear([paid("A", 5, 6), certified("A", 1, 7, "5.0000"), paid("B", 1, 8), paid("A", 7, 9, "again")]),
          Effect.andThen(copy, all)
        )
      )
      assert.deepStrictEqual(
        before.map((rows) => rows.length),
        [1, 2, 1]
      )
      rmSync(`${path}/warehouse.duckdb`)
      assert.deepStrictEqual(yield* startedWhole(path, all), before)
    }).pipe(Effect.scoped)
  )

  /** A write that would include what is lacking, and fails. */
  const failed = Effect.scoped(
    Effect.flatMap(Copies, ({ lacking }) => Effect.map(lacking, ({ ledger }) => assert.isDefined(ledger)))
  )

  it.effect("copies with the next write what a failed one left out", () =>
    startedWholeOnce(
      Effect.gen(function* () {
        yield* copy
        yield* hear([paid("A", 5, 6), paid("B", 5, 6), certified("B", 1, 7, "5.0000")])
        yield* failed
        yield* copy
        const open = yield* copied("ledger_holds")
        assert.deepStrictEqual(
          open.map(({ ipc_id }) => ipc_id),
          ["A"]
        )
        yield* hear([certified("A", 1, 8, "5.0000")])
        yield* failed
        yield* copy
        assert.deepStrictEqual(yield* copied("ledger_holds"), [])
        assert.strictEqual((yield* copied("ledger_entries")).length, 2)
      })
    )
  )

  it.effect("copies at the next start what the warehouse lacks after a crash", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* startedWhole(path, hear([certified("A", 1, 2, "5.0000"), paid("A", 5, 6), paid("B", 5, 6)]))
      const [entries, open] = yield* startedWhole(path, Effect.all([copied("ledger_entries"), copied("ledger_holds")]))
      assert.deepStrictEqual([entries.length, open.length], [1, 1])
    }).pipe(Effect.scoped)
  )

  it.effect("can't be changed: the Store refuses, and a second payment under one reference too", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* startedWhole(path, hear([certified("A", 1, 2, "5.0000"), paid("A", 5, 6)]))
      const database = new DatabaseSync(`${path}/store.sqlite`)
      for (const table of ["ledger_entries", "ledger_facts", "ledger_terms"]) {
        assert.throws(() => database.exec(`delete from ${table}`), /append-only/)
      }
      assert.throws(() => database.exec("update ledger_entries set amount = '6.0000'"), /append-only/)
      database.exec("create temp table other as select * from ledger_entries")
      database.exec("update other set sequence = 2, entry_id = 'other'")
      assert.throws(() => database.exec("insert into ledger_entries select * from other"), /UNIQUE/)
      database.close()
    }).pipe(Effect.scoped)
  )

  it.effect("says what differs when the file was changed from outside", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* startedWhole(path, hear([certified("A", 1, 2, "5.0000"), paid("A", 5, 6), paid("B", 5, 6)]))
      const database = new DatabaseSync(`${path}/store.sqlite`)
      database.exec("drop trigger ledger_entries_no_update; update ledger_entries set amount = '6.0000'")
      database.exec("delete from ledger_holds")
      database.close()
      const { differences } = yield* startedWhole(path, verified)
      assert.strictEqual(differences.length, 3)
      assert.match(differences[0] ?? "", /^IPC A: entry \w+ has units "60000" in the books and "50000" by the facts\.$/)
      assert.match(differences[1] ?? "", /^IPC B: hold .* is missing in the books\.$/)
      assert.match(differences[2] ?? "", /^The chain breaks at fact 2: /)
    }).pipe(Effect.scoped)
  )
})
