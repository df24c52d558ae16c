/**
 * An entry is one journal in Xero, although answers are lost, the worker dies, Xero forgets keys, and people change journals.
 * The stand-in forgets keys at once, unless a test says otherwise.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import type { StandIn } from "./StandIn.ts"
import { all, idOf, inXero, message, reasonOf, started, until } from "./XeroWorld.ts"

const inForgetfulXero: typeof inXero = (body) =>
  inXero((server) => {
    server.remembersKeys = false
    return body(server)
  })

const ownIn = ({ journals }: StandIn, number: number) =>
  journals.all.filter(({ Narration }) => Narration.includes(idOf(number)))

const mark = (number: number) => `[siteledger ${idOf(number)}]`

const lines = (amount: number, account = "200") => [
  { LineAmount: amount, AccountCode: "880" },
  { LineAmount: -amount, AccountCode: account }
]

const middle = (number: number) => `8${idOf(number).slice(1)}`

/** Journals of others; Xero's ids of ours may be before, after or between theirs. */
const enterOthers = ({ journals }: StandIn, count: number): void => {
  for (let number = 1; number <= count; number++) {
    journals.enter({ ManualJournalID: middle(number * 2), Narration: `Accrual ${number}` })
  }
}

const tag = (adapter: Adapter, number: number) => Effect.map(adapter.post(message(number)), ({ _tag }) => _tag)

describe("an entry whose answer is lost", () => {
  it.live("is found by the next attempt, and not posted again", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        server.fault = ({ method }) => (method === "PUT" ? "lost" : undefined)
        const verdict = yield* adapter.post(message(1))
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.match(reasonOf(verdict), /^Xero can't be reached: /)
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(server.puts.length, 1)
        assert.strictEqual(server.journals.all.length, 1)
      })
    )
  )

  it.live("because the worker dies, is found by the next worker, for which it is the first attempt", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.fault = ({ method }) => (method === "PUT" ? "silence" : undefined)
        const dying = yield* started(server)
        const fiber = yield* Effect.forkChild(dying.post(message(1)))
        yield* until("Xero has the journal", () => server.journals.all.length === 1)
        yield* Fiber.interrupt(fiber)
        server.fault = () => undefined
        const adapter = yield* started(server)
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(server.journals.all.length, 1)
      })
    )
  )

  it.live("and that can't be seen in Xero yet, is one journal by its key", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        server.journals.isBehind = true
        server.fault = ({ method }) => (method === "PUT" ? "lost" : undefined)
        assert.strictEqual(yield* tag(adapter, 1), "Unavailable")
        server.fault = () => undefined
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(server.puts.length, 2)
        assert.strictEqual(server.journals.all.length, 1)
      })
    )
  )

  it.live("is found although the reading that goes on began before Xero stored it", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        enterOthers(server, 250)
        // Before those of all others.
        server.journals.nextId = () => idOf(1)
        const adapter = yield* started(server)
        server.fault = ({ method }) => (method === "PUT" ? "late" : undefined)
        assert.strictEqual(yield* tag(adapter, 1), "Unavailable")
        server.fault = ({ url }) => (url.searchParams.get("page") === "2" ? { status: 503 } : undefined)
        assert.strictEqual(yield* tag(adapter, 1), "Unavailable")
        server.catchUp()
        server.fault = () => undefined
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        assert.strictEqual(ownIn(server, 1).length, 1)
      })
    )
  )
})

describe("Xero's journals", () => {
  it.live.each([true, false])("are all looked through when there are more than 100 on a day (pages said: %s)", (says) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.journals.saysPages = says
        enterOthers(server, 200)
        const taken = [`0${idOf(1).slice(1)}`, middle(201), `f${idOf(1).slice(1)}`]
        taken.forEach((ManualJournalID, index) =>
          server.journals.enter({ ManualJournalID, Narration: `IPC 12 ${mark(index)}`, JournalLines: lines(1250) })
        )
        const adapter = yield* started(server)
        for (let number = 0; number < 3; number++) assert.strictEqual(yield* tag(adapter, number), "Taken")
        assert.strictEqual(server.puts.length, 0)
        assert.strictEqual(server.journals.all.length, 203)
      })
    )
  )

  it.live("are read once at the start, then only as far as they changed, and show what another worker posted", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        enterOthers(server, 250)
        for (const journal of server.journals.all) journal.updatedMs -= 86_400_000
        const [here, there] = [yield* started(server), yield* started(server)]
        assert.strictEqual(yield* tag(here, 1), "Taken")
        assert.strictEqual(yield* tag(there, 2), "Taken")
        const before = server.gets.length
        assert.strictEqual(before, 6)
        assert.strictEqual(yield* tag(here, 2), "Taken")
        assert.strictEqual(server.gets.length, before + 1)
        assert.match(String(server.gets.at(-1)?.headers["if-modified-since"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        assert.strictEqual(server.puts.length, 2)
      })
    )
  )

  it.live("haven't changed when the answer is a 304", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        assert.strictEqual(yield* tag(adapter, 1), "Taken")
        server.fault = ({ method }) => (method === "GET" ? { status: 304 } : undefined)
        assert.strictEqual(yield* tag(adapter, 2), "Taken")
        server.fault = () => undefined
        assert.strictEqual(yield* tag(adapter, 2), "Taken")
        assert.strictEqual(server.puts.length, 2)
      })
    )
  )

  it.live("are read once for all entries that wait", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server)
        const numbers = Array.from({ length: 30 }, (_, index) => index)
        const verdicts = yield* all(
          adapter,
          numbers.map((number) => message(number))
        )
        assert.isTrue(verdicts.every(({ _tag }) => _tag === "Taken"))
        assert.isAtMost(server.gets.length, 2)
        assert.strictEqual(server.journals.all.length, 30)
      })
    )
  )
})

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
