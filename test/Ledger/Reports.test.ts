/** Reports as of a day: they count what is posted by then, and add up to the books to the last digit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { report } from "../../src/Ledger/Reports.ts"
import { seeded } from "../Seeded.ts"
import { certifiedIn } from "./Cumulative/Projects.ts"
import { chart, day, happened, rowsOf, terms } from "./Reported.ts"
import { created, hear, holds, journal, paid, startedOnce } from "./Started.ts"

describe("a report", () => {
  it.effect("of accounts has what was debited and credited, by company and currency", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* happened
        assert.deepStrictEqual(yield* rowsOf("trial-balance"), [
          {
            company: "North",
            currency: "GBP",
            account: "bank",
            code: "1200",
            debit: "342.0000",
            credit: "0.0000",
            balance: "342.0000"
          },
          {
            company: "North",
            currency: "GBP",
            account: "receivable",
            code: "receivable",
            debit: "0.0000",
            credit: "342.0000",
            balance: "-342.0000"
          },
          {
            company: "South",
            currency: "EUR",
            account: "bank",
            code: "1200",
            debit: "50.0000",
            credit: "0.0000",
            balance: "50.0000"
          },
          {
            company: "South",
            currency: "EUR",
            account: "receivable",
            code: "receivable",
            debit: "0.0000",
            credit: "50.0000",
            balance: "-50.0000"
          }
        ])
        const debited = (asOf: string) =>
          Effect.map(rowsOf("trial-balance", asOf), (rows) => rows.map((row) => `${row["account"]} ${row["debit"]}`))
        assert.deepStrictEqual(yield* debited("2026-11-21"), [])
        assert.deepStrictEqual(yield* debited("2026-11-22"), ["bank 114.0000", "receivable 0.0000"])
        // B was paid in the last second of 30 November in UTC, when it was December in the books.
        assert.include(yield* debited("2026-11-30"), "bank 114.0000")
        assert.include(yield* debited("2026-12-01"), "bank 342.0000")
      }),
      terms
    )
  )

  it.effect("of projects has what is certified, held back, added, due, paid and open", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* happened
        const none = { released: "0.0000", unknown: 0 }
        const seven = { ...none, company: "North", project: "7", currency: "GBP" }
        assert.deepStrictEqual(yield* rowsOf("statement", "2026-11-30"), [
          {
            ...seven,
            ipcs: 2,
            certified: "300.0000",
            held_back: "15.0000",
            added: "57.0000",
            due: "342.0000",
            paid: "114.0000",
            open: "228.0000"
          },
          {
            ...none,
            company: "South",
            project: "8",
            currency: "EUR",
            ipcs: 2,
            certified: "130.0000",
            held_back: "0.0000",
            added: "0.0000",
            due: "130.0000",
            paid: "50.0000",
            open: "80.0000"
          }
        ])
        assert.deepInclude((yield* rowsOf("statement", "2026-11-21"))[0], { ipcs: 1, due: "114.0000", paid: "0.0000" })
      }),
      terms
    )
  )

  it.effect("of projects has what is paid where it is posted, also after a change of the project and by hand", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 11, 31, 12))
        yield* hear([certifiedIn("8", "A", day, 1, "100"), paid("A", 2 * day, 2), created("A", 3 * day, 3, "9")])
        const { decide, post } = yield* Ledger
        const by = { by: "Ana", reason: "checked" }
        yield* decide({ hold: (yield* holds)[0]?.hold_id ?? "", verdict: "accept", amount: undefined, ...by })
        const hand = { ipcId: "A", evidence: "letter", reference: "fee", ...by }
        yield* post({ ...hand, amount: "7", currency: "USD", debit: undefined, credit: undefined })
        yield* post({ ...hand, amount: "3", currency: "USD", debit: undefined, credit: "retention" })
        yield* post({
          ...hand,
          reference: "release",
          amount: "5",
          currency: "EUR",
          debit: "receivable",
          credit: "retention"
        })
        const shown = (yield* rowsOf("statement")).map((row) =>
          ["project", "currency", "due", "paid", "open"].map((name) => row[name]).join(" ")
        )
        assert.deepStrictEqual(shown, ["9 EUR 105.0000 100.0000 5.0000", "9 USD 0.0000 7.0000 -7.0000"])
        assert.match((yield* Effect.flip(report("statement", "9999-12-31", chart))).message, /Say the day/)
      }),
      { ...terms, currencies: {} }
    )
  )

  it.effect("of what is open has each IPC with its age, the oldest first", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* happened
        const aged = (asOf?: string) =>
          Effect.map(rowsOf("aged", asOf), (rows) =>
            rows.map((row) => ["ipc", "certified_on", "days", "age", "open"].map((name) => row[name]).join(" "))
          )
        assert.deepStrictEqual(yield* aged("2026-11-30"), [
          "D 2026-11-23 7 0-30 80.0000",
          "B 2026-11-25 5 0-30 228.0000"
        ])
        assert.deepStrictEqual(yield* aged(), ["D 2026-11-23 38 31-60 80.0000"])
        assert.deepStrictEqual(yield* aged("2027-02-22"), ["D 2026-11-23 91 over 90 80.0000"])
      }),
      terms
    )
  )

  it.effect("of what waits has its reasons, also of what was answered since", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* happened
        const waits = { reason: "awaiting-certified-amount", holds: 1, amount: "0.0000", unknown: 1 }
        const [first] = yield* rowsOf("unposted")
        assert.deepInclude(first, waits)
        const { decide } = yield* Ledger
        const hold = (yield* holds)[0]?.hold_id ?? ""
        yield* decide({ hold, verdict: "accept", amount: "5", by: "Ana", reason: "the bank says so" })
        assert.deepStrictEqual(yield* rowsOf("unposted"), [])
        assert.deepInclude((yield* rowsOf("unposted", "2026-12-30"))[0], waits)
        assert.deepStrictEqual(yield* rowsOf("unposted", "2026-11-19"), [])
      }),
      terms
    )
  )

  it.effect("adds up to the books, whatever is posted", () =>
    startedOnce(
      Effect.gen(function* () {
        const random = seeded(23)
        const { below, pick } = random
        yield* TestClock.setTime(Date.UTC(2027, 0, 1))
        for (let received = 1; received < 200; received++) {
          const [id, second] = [`IPC-${below(30)}`, below(30 * day)]
          yield* hear([
            pick([
              () => certifiedIn(pick(["7", "8", "9"]), id, second, received, String(1 + below(500))),
              () => paid(id, second, received),
              () => created(id, second, received, pick(["7", "8"]))
            ])()
          ])
        }
        const units = (text: unknown) => BigInt(String(text).replace(".", ""))
        const entries = yield* journal
        for (const asOf of ["2026-11-25", "2026-12-05", "2027-01-01"]) {
          const posted = entries.filter(({ posting_date }) => (posting_date ?? "") <= asOf)
          const sum = posted.reduce((total, { amount }) => total + units(amount), 0n)
          const trial = yield* rowsOf("trial-balance", asOf)
          const total = (of: ReadonlyArray<Readonly<Record<string, unknown>>>, name: string) =>
            of.reduce((all, row) => all + units(row[name]), 0n)
          assert.strictEqual(total(trial, "debit"), total(trial, "credit"))
          assert.strictEqual(
            total(
              trial.filter((row) => row["account"] === "bank"),
              "balance"
            ),
            sum
          )
          const statement = yield* rowsOf("statement", asOf)
          assert.strictEqual(total(statement, "paid"), sum, asOf)
          const open = statement.filter((row) => row["unknown"] === 0)
          assert.strictEqual(total(open, "due") - total(open, "paid"), total(open, "open"))
          assert.strictEqual(
            total(open, "certified") - total(open, "held_back") + total(open, "added"),
            total(open, "due")
          )
        }
        assert.isAbove(entries.length, 10)
      }),
      terms
    )
  )
})
