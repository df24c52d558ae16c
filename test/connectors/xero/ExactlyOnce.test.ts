/**
 * An entry is one journal in Xero, although answers are lost, the worker dies, Xero forgets keys, and people change journals.
 * The stand-in forgets keys at once, unless a test says otherwise.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { StandIn } from "./StandIn.ts"
import { idOf } from "../Entries.ts"
import {
  all,
  inForgetfulXero,
  inXero,
  lines,
  mark,
  message,
  ownIn,
  reasonOf,
  started,
  tag,
  until
} from "./XeroWorld.ts"

const middle = (number: number) => `8${idOf(number).slice(1)}`

/** Journals of others, 100 on a page; Xero's ids of ours may be before, after or between theirs. */
const enterOthers = ({ journals }: StandIn, count: number, after = 0): void => {
  journals.mostPerPage = 100
  for (let number = after + 1; number <= after + count; number++) {
    journals.enter({ ManualJournalID: middle(number * 2), Narration: `Accrual ${number}` })
  }
}

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

  it.live("are found although people change others while the pages are read", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        enterOthers(server, 100)
        server.journals.enter({
          ManualJournalID: `f${idOf(1).slice(1)}`,
          Narration: mark(1),
          JournalLines: lines(1250)
        })
        enterOthers(server, 50, 100)
        const [first] = server.journals.all
        server.fault = ({ url }) => {
          // It has become the last that changed.
          if (url.searchParams.get("page") === "2" && first !== undefined) first.updatedMs += 1000
          return undefined
        }
        assert.strictEqual(yield* tag(yield* started(server), 1), "Taken")
        assert.strictEqual(server.puts.length, 0)
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
