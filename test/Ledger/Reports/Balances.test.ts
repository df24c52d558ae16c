/**
 * Balances by account, project and month: the movements of a month are brought forward into the next, to the last
 * digit.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { report } from "../../../src/Ledger/Reports.ts"
import type { Only } from "../../../src/Ledger/Reports/Balances.ts"
import { seeded } from "../../Seeded.ts"
import { certifiedIn } from "../Cumulative/Projects.ts"
import { chart, day, happened, terms } from "../Reported.ts"
import { created, hear, journal, paid, startedOnce } from "../Started.ts"

const shown = (only: Only = {}, asOf?: string) =>
  Effect.map(report("balances", asOf, chart, only), ({ columns, rows }) =>
    rows.map((row) => columns.map((name) => row[name]).join(" "))
  )

describe("balances", () => {
  it.effect("are of each account, project and month, with what was brought forward", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* happened
        // B was paid in the last second of November in UTC, when it was December in the books.
        const bank = [
          "North 7 GBP bank 1200 2026-11 0.0000 114.0000 0.0000 114.0000",
          "North 7 GBP bank 1200 2026-12 114.0000 228.0000 0.0000 342.0000"
        ]
        const all = yield* shown()
        assert.deepStrictEqual(all, [
          ...bank,
          "North 7 GBP receivable receivable 2026-11 0.0000 0.0000 114.0000 -114.0000",
          "North 7 GBP receivable receivable 2026-12 -114.0000 0.0000 228.0000 -342.0000",
          "South 8 EUR bank 1200 2026-11 0.0000 50.0000 0.0000 50.0000",
          "South 8 EUR receivable receivable 2026-11 0.0000 0.0000 50.0000 -50.0000"
        ])
        assert.deepStrictEqual(yield* shown({ project: "7", account: "bank" }), bank)
        assert.deepStrictEqual(yield* shown({ project: "7", account: "1200" }), bank)
        assert.deepStrictEqual(yield* shown({ project: "7", account: "1200" }, "2026-11-30"), bank.slice(0, 1))
        // Also what didn't move in that month has a balance.
        assert.deepStrictEqual(yield* shown({ account: "bank", month: "2026-12" }), [
          bank[1],
          "South 8 EUR bank 1200 2026-12 50.0000 0.0000 0.0000 50.0000"
        ])
        assert.deepStrictEqual(yield* shown({ month: "2026-10" }), [])
        assert.deepStrictEqual(yield* shown({ project: "none" }), [])
        const why = (name: "balances" | "aged", only: Only) =>
          Effect.map(Effect.flip(report(name, undefined, chart, only)), ({ message }) => message)
        assert.match(
          yield* Effect.map(
            Effect.flip(report("balances", "2026-11-30", chart, { month: "2026-12" })),
            ({ message }) => message
          ),
          /2026-12 comes after 2026-11-30/
        )
        for (const month of ["2026-13", "11.2026", ""]) assert.match(yield* why("balances", { month }), /Say the month/)
        assert.match(yield* why("aged", { project: "7" }), /Only the report balances can be limited to a project/)
      }),
      terms
    )
  )

  it.effect("add up to the trial balance of any month's end, whatever is posted", () =>
    startedOnce(
      Effect.gen(function* () {
        const { below, pick } = seeded(29)
        yield* TestClock.setTime(Date.UTC(2027, 3, 1))
        for (let received = 1; received < 200; received++) {
          const [id, second] = [`IPC-${below(30)}`, below(120 * day)]
          yield* hear([
            pick([
              () => certifiedIn(pick(["7", "8", "9"]), id, second, received, String(1 + below(500))),
              () => paid(id, second, received),
              () => created(id, second, received, pick(["7", "8"]))
            ])()
          ])
        }
        assert.isAbove((yield* journal).length, 10)
        const units = (text: unknown) => BigInt(String(text).replace(".", ""))
        const sums = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
          const found = new Map<string, bigint>()
          for (const { account, balance, company, currency } of rows) {
            const key = JSON.stringify([company, currency, account])
            found.set(key, (found.get(key) ?? 0n) + units(balance))
          }
          return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
        }
        for (const [month, end] of [
          ["2026-12", "2026-12-31"],
          ["2027-01", "2027-01-31"],
          ["2027-03", "2027-03-31"]
        ] as const) {
          const { rows } = yield* report("balances", undefined, chart, { month })
          const trial = (yield* report("trial-balance", end, chart)).rows
          assert.deepStrictEqual(sums(rows), sums(trial), month)
        }
      }),
      terms
    )
  )
})
