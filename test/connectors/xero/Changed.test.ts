/**
 * What people do to journals in Xero, and what becomes of the entry when it is sent again. The stand-in forgets keys at once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chart, inForgetfulXero, lines, mark, message, ownIn, reasonOf, started, tag } from "./XeroWorld.ts"

describe("a journal that people changed", () => {
  it.live("is still the entry's with another date, a longer narration, more tracking, and as posted", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        yield* (yield* started(server)).post(message(1))
        const [journal] = server.journals.all
        if (journal === undefined) return assert.fail("no journal")
        journal.Date = "2026-04-01"
        journal.Narration = `Checked: ${journal.Narration} (AB)`
        journal.Status = "POSTED"
        journal.JournalLines = journal.JournalLines.toReversed().map((line) => ({
          ...line,
          Tracking: [{ Name: "Region", Option: "South" }]
        }))
        assert.strictEqual(yield* tag(yield* started(server), 1), "Taken")
        assert.strictEqual(server.journals.all.length, 1)
      })
    )
  )

  it.live.each([
    { what: "amount", JournalLines: lines(1250.01) },
    { what: "account", JournalLines: lines(1250, "200x") },
    { what: "number of lines", JournalLines: [...lines(1250), ...lines(1)] }
  ])("in its $what refuses the entry until it is corrected", ({ JournalLines }) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const journal = server.journals.enter({ Narration: `IPC 12 ${mark(1)}`, JournalLines })
        const adapter = yield* started(server)
        const verdict = yield* adapter.post(message(1))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), `other lines (${journal.ManualJournalID})`)
        journal.JournalLines = lines(1250)
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(server.puts.length, 0)
      })
    )
  )

  it.live("in its tax code refuses the entry, as far as one was sent", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const JournalLines = lines(1250).map((line) => ({ ...line, TaxType: "NONE" }))
        server.journals.enter({ Narration: mark(1), JournalLines })
        assert.strictEqual(yield* tag(yield* started(server), 1), "Taken")
        const rule = { account: null, projects: [], costCode: null, counterparty: null, tracking: {} }
        const taxed = { ...chart, lines: [{ ...rule, taxCode: "OUTPUT2" }] }
        assert.strictEqual(yield* tag(yield* started(server, { chart: taxed }), 1), "Refused")
        assert.strictEqual(server.puts.length, 0)
      })
    )
  )

  it.live.each(["DELETED", "VOIDED"])("to %s isn't posted again, unless its lines weren't the entry's", (Status) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.journals.enter({ Narration: mark(1), Status, JournalLines: lines(1250) })
        server.journals.enter({ Narration: mark(2), Status, JournalLines: lines(9) })
        const adapter = yield* started(server)
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(yield* tag(adapter, 2), "Taken")
        assert.strictEqual(ownIn(server, 1).length, 1)
        assert.strictEqual(ownIn(server, 2).length, 2)
      })
    )
  )

  it.live("by a reversal or a copy with its narration is still the entry's", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.journals.enter({ Narration: `Reversal: IPC 12 ${mark(1)}`, JournalLines: lines(-1250) })
        server.journals.enter({ Narration: `IPC 12 ${mark(1)}`, JournalLines: lines(1250) })
        assert.strictEqual(yield* tag(yield* started(server), 1), "Taken")
        assert.strictEqual(server.puts.length, 0)
      })
    )
  )
})
