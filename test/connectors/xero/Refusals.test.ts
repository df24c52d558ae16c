/** What Xero refuses, and the sentence that a person gets: with Xero's own messages, on one line, without secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { idOf } from "../Entries.ts"
import { chart, inXero, message, reasonOf, started } from "./XeroWorld.ts"

const to = (receivable: string) => ({ chart: { ...chart, accounts: { bank: "880", receivable } } })

describe("an entry that Xero refuses", () => {
  it.live.each([
    {
      what: "an unknown account",
      options: to("999"),
      answers400: false,
      says: "Account code '999' is not a valid code"
    },
    {
      what: "an unknown account",
      options: to("999"),
      answers400: true,
      says: "Account code '999' is not a valid code"
    },
    { what: "a bank account", options: to("090"), answers400: true, says: "Account code '090' is not a valid code" },
    { what: "a system account", options: to("610"), answers400: false, says: "Account code '610' is not a valid code" }
  ])("for $what is refused in Xero's words (as a 400: $answers400)", ({ answers400, options, says }) =>
    inXero((server) =>
      Effect.gen(function* () {
        server.journals.answers400 = answers400
        const adapter = yield* started(server, options)
        const verdict = yield* adapter.post(message(1))
        assert.strictEqual(verdict._tag, "Refused")
        assert.match(reasonOf(verdict), /^Xero refused the journal( \(400\))?: /)
        assert.include(reasonOf(verdict), says)
        assert.strictEqual(server.journals.all.length, 0)
      })
    )
  )

  it.live("although the answer is a 200 is refused, whichever field says so", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        const journal = { ManualJournalID: "d312dd5e-a53e-46d1-9d51-c569ef4570b7", Narration: "x", JournalLines: [] }
        const total = "The total debits (100.00) must equal total credits (-10.00)"
        const said = [
          { ValidationErrors: [{ Message: total }] },
          { StatusAttributeString: "ERROR", ValidationErrors: [{ Message: total }] },
          { HasErrors: true }
        ]
        for (const each of said) {
          server.fault = ({ method }) =>
            method === "PUT" ? { status: 200, body: { ManualJournals: [{ ...journal, ...each }] } } : undefined
          const verdict = yield* adapter.post(message(1))
          const why = "HasErrors" in each ? " and gave no reason." : `: ${total}`
          assert.deepStrictEqual(verdict, { _tag: "Refused", reason: `Xero refused the journal${why}` })
        }
      })
    )
  )

  it.live(
    "with an unknown tracking option is stored without it, which is told, and taken once a person has added it",
    () =>
      inXero((server) =>
        Effect.gen(function* () {
          const rule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null }
          const lines = [{ ...rule, tracking: { Project: "Unknown" } }]
          const adapter = yield* started(server, { chart: { ...chart, lines } })
          const verdict = yield* adapter.post(message(1))
          assert.strictEqual(verdict._tag, "Refused")
          assert.match(reasonOf(verdict), /other lines.*The tracking category 'Project' has been removed/)
          const [journal] = server.journals.all
          if (journal === undefined) return assert.fail("no journal")
          journal.JournalLines = journal.JournalLines.map((line) => ({
            ...line,
            Tracking: [{ Name: "project", Option: "UNKNOWN" }]
          }))
          assert.strictEqual((yield* adapter.post(message(1)))._tag, "Taken")
          assert.strictEqual(server.journals.all.length, 1)
        })
      )
  )

  it.live("in one long line is cut, without control characters and secrets", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        server.fault = ({ headers, method }) => {
          const token = headers.authorization?.slice("Bearer ".length)
          const Message = `Line one\r\nuses ${token} of ${server.clientSecret}\u202E ${"y".repeat(1000)}`
          const answer = server.journals.invalid([Message])
          return method === "PUT" ? answer : undefined
        }
        const reason = reasonOf(yield* adapter.post(message(1)))
        assert.match(reason, /^Xero refused the journal \(400\): Line one uses \[secret\] of \[secret\] y+…$/)
        assert.isAtMost(reason.length, 540)
        server.fault = ({ headers }) => ({
          status: 500,
          body: { Detail: `${headers.authorization} ${server.clientSecret}` }
        })
        const outage = reasonOf(yield* adapter.post(message(1)))
        assert.strictEqual(outage, "Xero can't take entries for now (500): Bearer [secret] [secret]")
      })
    )
  )

  it.live("because it knows the key with another form of the entry, is sent again later", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const wrong = yield* started(server, to("999"))
        assert.strictEqual((yield* wrong.post(message(1)))._tag, "Refused")
        const mended = yield* started(server)
        const verdict = yield* mended.post(message(1))
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.include(reasonOf(verdict), "an earlier form of this entry")
        server.remembersKeys = false
        assert.strictEqual((yield* mended.post(message(1)))._tag, "Taken")
        assert.strictEqual(server.puts.at(-1)?.headers["idempotency-key"], idOf(1))
      })
    )
  )

  it.live.each(["", "<html>", "[]", '{"ManualJournals":[]}', '{"ManualJournals":[{"Narration":"x"}]}'])(
    "isn't known to be there when the answer is %s: Xero is asked again",
    (body) =>
      inXero((server) =>
        Effect.gen(function* () {
          const adapter = yield* started(server)
          server.fault = ({ method }) => (method === "PUT" ? { status: 200, body } : undefined)
          assert.strictEqual((yield* adapter.post(message(1)))._tag, "Unavailable")
          server.fault = () => undefined
          assert.strictEqual((yield* adapter.post(message(1)))._tag, "Taken")
          assert.strictEqual(server.journals.all.length, 1)
        })
      )
  )
})
