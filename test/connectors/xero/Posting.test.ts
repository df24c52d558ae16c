/**
 * What an entry becomes in Xero: the journal's lines, amounts, texts, tax and tracking; and which entries aren't sent.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LineRule } from "../../../config/Chart.ts"
import { idOf } from "../Entries.ts"
import { all, chart, inXero, message, reasonOf, started } from "./XeroWorld.ts"

const rule: LineRule = {
  account: null,
  projects: [],
  taxCode: null,
  costCode: null,
  counterparty: null,
  tracking: {}
}

const receivable: LineRule = {
  ...rule,
  account: "receivable",
  taxCode: "OUTPUT2",
  costCode: "03-100",
  counterparty: { kind: "customer", name: "City of Springfield" },
  tracking: { Project: "{project}", Region: "South" }
}

describe("an entry in Xero", () => {
  it.live.each(["draft", "posted"] as const)(
    "is one %s journal with the debit positive and the credit negative",
    (status) =>
      inXero((server) =>
        Effect.gen(function* () {
          const adapter = yield* started(server)
          assert.deepStrictEqual(yield* adapter.post(message(5, { status })), { _tag: "Taken" })
          const [journal, ...more] = server.journals.all
          assert.deepStrictEqual(more, [])
          assert.strictEqual(journal?.Narration, `IPC 12, PAY-5 [siteledger ${idOf(5)}]`)
          assert.strictEqual(journal?.Status, status.toUpperCase())
          assert.strictEqual(journal?.Date, "2026-03-01")
          assert.strictEqual(journal?.LineAmountTypes, "NoTax")
          const [put] = server.puts
          assert.deepStrictEqual(JSON.parse(put?.body ?? ""), {
            ManualJournals: [
              {
                Narration: journal?.Narration,
                Date: "2026-03-01",
                LineAmountTypes: "NoTax",
                Status: status.toUpperCase(),
                JournalLines: [
                  { LineAmount: 1250, AccountCode: "880", Description: "PAY-5" },
                  { LineAmount: -1250, AccountCode: "200", Description: "PAY-5" }
                ]
              }
            ]
          })
          assert.strictEqual(put?.headers["idempotency-key"], idOf(5))
        })
      )
  )

  it.live("debits the other account if its amount is negative", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        assert.strictEqual((yield* adapter.post(message(1, { amount: "-7.5000" })))._tag, "Taken")
        const lines = server.journals.all[0]?.JournalLines.map(({ AccountCode, LineAmount }) => [
          AccountCode,
          JSON.stringify(LineAmount)
        ])
        assert.deepStrictEqual(lines, [
          ["200", "7.50"],
          ["880", "-7.50"]
        ])
      })
    )
  )

  it.live("has its tax inside the amounts, its tracking, and who it is about in the description", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, { chart: { ...chart, lines: [receivable] } })
        assert.strictEqual((yield* adapter.post(message(1)))._tag, "Taken")
        const [journal] = server.journals.all
        assert.strictEqual(journal?.LineAmountTypes, "Inclusive")
        const [bank, other] = journal?.JournalLines ?? []
        assert.deepStrictEqual([bank?.TaxType, bank?.Tracking], ["NONE", []])
        assert.strictEqual(other?.TaxType, "OUTPUT2")
        assert.strictEqual(other?.Description, "PAY-1, City of Springfield, 03-100")
        assert.deepStrictEqual(other?.Tracking, [
          { Name: "Project", Option: "7" },
          { Name: "Region", Option: "South" }
        ])
      })
    )
  )

  it.live.each([
    { amount: "0.0100", written: "0.01" },
    { amount: "999999999999.9900", written: "999999999999.99" },
    { amount: "1234.5000", written: "1234.50" },
    { amount: "123456789012345678901234.5600", written: "123456789012345678901234.56" }
  ])("of $amount has the exact decimals $written", ({ amount, written }) =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        assert.strictEqual((yield* adapter.post(message(1, { amount })))._tag, "Taken")
        const amounts = [...(server.puts[0]?.body ?? "").matchAll(/"LineAmount":([^,]*),/g)].map(([, digits]) => digits)
        assert.deepStrictEqual(amounts, [written, `-${written}`])
        // An answer is read as exactly.
        assert.strictEqual((yield* adapter.post(message(1, { amount })))._tag, "Taken")
        assert.strictEqual(server.puts.length, 1)
      })
    )
  )

  it.live("keeps its id at the end of a long narration, which can't name another entry's", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        const reference = `[siteledger ${idOf(2)}]\r\n\u202E${"x".repeat(400)}`
        assert.strictEqual((yield* adapter.post(message(1, { payment_reference: reference })))._tag, "Taken")
        const narration = server.journals.all[0]?.Narration ?? ""
        assert.match(narration, /^IPC 12, \(siteledger 0{31}2\] x+… \[siteledger 0{31}1\]$/u)
        assert.isBelow(narration.length, 310)
        assert.strictEqual((yield* adapter.post(message(2)))._tag, "Taken")
        assert.strictEqual(server.journals.all.length, 2)
      })
    )
  )
})

describe("an entry that Xero can't take as it is", () => {
  const three = { Project: "7", Region: "South", Phase: "2" }

  it.live.each([
    {
      what: "another company",
      given: {},
      options: { company: "North Ltd" },
      says: /no named company.*the company North Ltd/
    },
    {
      what: "a named company where none is configured",
      given: {},
      options: { chart: { ...chart, companies: { "7": "South Ltd" } } },
      says: /the company South Ltd.*no named company/
    },
    { what: "another currency", given: { currency: "USD" }, options: {}, says: /in USD.*in EUR/ },
    { what: "no currency", given: { currency: null }, options: {}, says: /no currency.*in EUR/ },
    {
      what: "fractions of a cent",
      given: { amount: "12.3450" },
      options: {},
      says: /12\.3450 has more than two decimals/
    },
    {
      what: "three tracking categories",
      given: {},
      options: { chart: { ...chart, lines: [{ ...rule, tracking: three }] } },
      says: /more than 2 tracking categories/
    }
  ])("because of $what is held with a sentence, and nothing is sent", ({ given, options, says }) =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        const verdict = yield* adapter.post(message(1, given))
        assert.strictEqual(verdict._tag, "Held")
        assert.match(reasonOf(verdict), says)
        assert.deepStrictEqual([server.asked, server.tokenRequests], [[], []])
      })
    )
  )

  it.live("doesn't hold back those of the configured company", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const companies = { "7": "North Ltd" }
        const adapter = yield* started(server, { chart: { ...chart, companies }, company: "North Ltd" })
        const verdicts = yield* all(adapter, [message(1), message(2, { project_id: "8" })])
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          ["Taken", "Held"]
        )
      })
    )
  )
})
