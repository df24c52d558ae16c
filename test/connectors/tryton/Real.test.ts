/**
 * Against a real trytond: the moves and the trial balance in Tryton's own API agree with the vouchers to the last
 * digit, however answers get lost.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type * as Tryton from "../../../connectors/tryton/Tryton.ts"
import { markOf } from "../../../connectors/tryton/TrytonMove.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import { voucherOf } from "../../../src/Ledger/Voucher.ts"
import { Between } from "./Between.ts"
import { chart, entries, movesOf, shapesOf, trialBalance, units, untilLater } from "./RealMoves.ts"
import { missing, password, RealTryton } from "./RealTryton.ts"
import { idOf } from "../Entries.ts"
import { message, reasonOf, started, taken } from "./TrytonWorld.ts"

if (missing !== undefined) process.stderr.write(`skipped: entries in a real Tryton: ${missing}\n`)

describe.skipIf(missing !== undefined)("in a real Tryton", () => {
  let tryton: RealTryton
  let between: Between
  /** Of all that was taken, in the order of their numbers. */
  const sent: Array<OutboxMessage> = []

  beforeAll(async () => {
    tryton = await RealTryton.open()
    between = await Between.open(tryton.url)
  })
  afterAll(async () => {
    await between?.close()
    await tryton?.close()
  })

  const start = (options: Partial<Tryton.TrytonOptions> = {}) =>
    started({ url: between.url }, { password: Redacted.make(password), journal: "CASH", chart, ...options })

  const using = NodeHttpClient.layerUndici

  /** As the Sink does, without its pauses; gives the verdicts. */
  const untilTaken = (each: OutboxMessage) =>
    Effect.gen(function* () {
      const tags: Array<string> = []
      while (tags.at(-1) !== "Taken" && tags.length < 5) {
        const verdict = yield* (yield* start())(each)
        reasonOf(verdict)
        tags.push(verdict._tag)
      }
      sent.push(each)
      return tags
    })

  const moves = (number: number) => Effect.promise(() => movesOf(tryton, number))

  it.live.each(entries)("$amount is a $status move", ({ number, status, ...given }) =>
    Effect.gen(function* () {
      const each = message(number, { ...given, status, credit_account: "receivable" })
      assert.deepStrictEqual(yield* untilTaken(each), ["Taken"])
      const [move, ...others] = yield* moves(number)
      assert.lengthOf(others, 0)
      const voucher = voucherOf(each, chart)
      assert.isDefined(move)
      assert.strictEqual(move.state, status)
      assert.strictEqual(move["journal."].code, "CASH")
      assert.deepStrictEqual(move.date, { __class__: "date", year: 2026, month: 3, day: 1 })
      assert.strictEqual(move.description, `${voucher.narration} ${markOf(voucher.id)}`)
      const lines = move["lines."].map((line) => ({
        account: line["account."].code,
        units: units(line.debit) - units(line.credit),
        party: line["party."]?.name ?? null,
        description: line.description
      }))
      assert.sameDeepMembers(
        lines,
        voucher.lines.map((line) => ({
          account: line.account,
          units: line.units,
          party: line.account === "1400" ? "City of Springfield" : null,
          description: line.account === "1400" ? "Site: 7" : "City of Springfield; Site: 7"
        }))
      )
    }).pipe(Effect.provide(using))
  )

  it.live.each([
    { number: 11, method: "account.move.create" },
    { number: 12, method: "account.move.write" },
    { number: 13, method: "account.move.post" }
  ])("the lost answer to $method leads to no second move", ({ method, number }) =>
    Effect.gen(function* () {
      between.fault = { method, how: "lost" }
      assert.deepStrictEqual(yield* untilTaken(message(number)), ["Unavailable", "Taken"])
      assert.deepStrictEqual(shapesOf(yield* moves(number)), [["posted", 2]])
    }).pipe(Effect.provide(using))
  )

  it.live("lines that arrive after the request was given up are refused by Tryton", () =>
    Effect.gen(function* () {
      between.fault = { method: "account.move.write", how: "late" }
      const draft = message(14, { status: "draft" })
      assert.strictEqual((yield* (yield* start())(draft))._tag, "Unavailable")
      yield* Effect.promise(() => untilLater(tryton, 14))
      assert.deepStrictEqual(yield* untilTaken(draft), ["Taken"])
      const [answer = ""] = yield* Effect.promise(() => between.letThrough())
      assert.include(answer, "ConcurrencyException")
      assert.deepStrictEqual(shapesOf(yield* moves(14)), [["draft", 2]])
    }).pipe(Effect.provide(using))
  )

  it.live("a move that arrives after the request was given up stays empty, and can't be posted", () =>
    Effect.gen(function* () {
      between.fault = { method: "account.move.create", how: "late" }
      assert.deepStrictEqual(yield* untilTaken(message(15)), ["Unavailable", "Taken"])
      yield* Effect.promise(() => between.letThrough())
      const post = yield* start()
      assert.deepStrictEqual(yield* post(message(15)), taken)
      const found = yield* moves(15)
      assert.deepStrictEqual(shapesOf(found).toSorted(), [
        ["draft", 0],
        ["posted", 2]
      ])
      const empty = found.find((move) => move["lines."].length === 0)
      const posting = yield* Effect.promise(() => tryton.call("account.move.post", [[empty?.id]]).catch(String))
      assert.include(String(posting), "UserError")
    }).pipe(Effect.provide(using))
  )

  it.live("what a person posted, or cancelled, isn't sent again", () =>
    Effect.gen(function* () {
      const draft = message(16, { status: "draft" })
      yield* untilTaken(draft)
      const [move] = yield* moves(16)
      yield* Effect.promise(() => tryton.call("account.move.post", [[move?.id]]))
      const post = yield* start()
      assert.deepStrictEqual(yield* post(draft), taken)
      const cancelling = { description: `again ${markOf(idOf(16))}`, origin: `account.move,${move?.id}` }
      yield* Effect.promise(() => tryton.call("account.move.copy", [[move?.id], cancelling]))
      assert.deepStrictEqual(yield* post(draft), taken)
      assert.deepStrictEqual((yield* moves(16)).map(({ state }) => state).toSorted(), ["draft", "posted"])
      // The copy is the test's own, and no entry of the ledger.
      const copy = (yield* moves(16)).find(({ state }) => state === "draft")
      yield* Effect.promise(() => tryton.call("account.move.delete", [[copy?.id]]))
    }).pipe(Effect.provide(using))
  )

  it.live("the trial balance is that of the vouchers, to the last digit", () =>
    Effect.gen(function* () {
      const expected: Record<string, readonly [debit: bigint, credit: bigint]> = {}
      for (const { account, units } of sent.flatMap((each) => voucherOf(each, chart).lines)) {
        const [debit, credit] = expected[account] ?? [0n, 0n]
        expected[account] = units > 0n ? [debit + units, credit] : [debit, credit - units]
      }
      assert.isAbove(sent.length, 8)
      assert.deepStrictEqual(yield* Effect.promise(() => trialBalance(tryton)), expected)
    }).pipe(Effect.provide(using))
  )

  it.live.each([
    {
      what: "a closed period",
      given: { posting_date: "2026-01-15" },
      tag: "Refused",
      says: "no open period that contains 2026-01-15"
    },
    {
      what: "an unknown account",
      given: { debit_account: "9999" },
      tag: "Refused",
      says: 'no active account with the code "9999"'
    }
  ] as const)("$what is told in a sentence", ({ given, says, tag }) =>
    Effect.gen(function* () {
      const verdict = yield* (yield* start())(message(21, given))
      assert.strictEqual(verdict._tag, tag)
      assert.include(reasonOf(verdict), says)
    }).pipe(Effect.provide(using))
  )

  it.live.each([
    {
      what: "a user without rights",
      options: { user: "guest" },
      tag: "Unavailable",
      says: "Tryton doesn't let siteledger's user do this: You are not allowed to"
    },
    {
      what: "a wrong password",
      options: { password: Redacted.make("hush-wrong") },
      tag: "Unavailable",
      says: "SITELEDGER_TRYTON_PASSWORD"
    },
    { what: "an unknown database", options: { database: "others" }, tag: "Unavailable", says: "SITELEDGER_TRYTON_URL" },
    {
      what: "a journal that isn't there",
      options: { journal: "NONE" },
      tag: "Unavailable",
      says: "SITELEDGER_TRYTON_JOURNAL"
    },
    {
      what: "another company's name",
      options: { company: "South KK" },
      tag: "Unavailable",
      says: "SITELEDGER_TRYTON_PARTY"
    },
    { what: "a company in yen", options: { user: "south" }, tag: "Held", says: "Tryton keeps these books in JPY" }
  ] as const)("$what is told in a sentence", ({ options, says, tag }) =>
    Effect.gen(function* () {
      const { database, ...given } = { database: "books", ...options }
      const verdict = yield* (yield* start({ ...given, url: new URL(`/${database}`, between.url) }))(message(22))
      assert.strictEqual(verdict._tag, tag)
      assert.include(reasonOf(verdict), says)
      assert.lengthOf(yield* moves(22), 0)
    }).pipe(Effect.provide(using))
  )

  it.live("what Tryton refuses is quoted, and taken once a person has seen to it", () =>
    Effect.gen(function* () {
      const post = yield* start({ journal: "STO" })
      const verdict = yield* post(message(31, { posting_date: "2026-02-15" }))
      assert.strictEqual(verdict._tag, "Refused")
      assert.match(reasonOf(verdict), /^Tryton refused the entry: .*Stock - 2026-02/)
      assert.deepStrictEqual(shapesOf(yield* moves(31)), [["draft", 0]])
      yield* Effect.promise(async () => {
        const closed = await tryton.rows<{ readonly id: number }>(
          "account.journal.period",
          [["state", "=", "close"]],
          ["id"]
        )
        await tryton.call("account.journal.period.reopen", [closed.map(({ id }) => id)])
      })
      assert.deepStrictEqual(yield* post(message(31, { posting_date: "2026-02-15" })), taken)
      assert.deepStrictEqual(shapesOf(yield* moves(31)), [["posted", 2]])
    }).pipe(Effect.provide(using))
  )

  it.live("a company in yen takes whole yen", () =>
    Effect.gen(function* () {
      const post = yield* start({ user: "south", company: "South KK", books: { company: null, currency: "JPY" } })
      assert.deepStrictEqual(yield* post(message(23, { currency: "JPY", amount: "125000.0000" })), taken)
      const fine = yield* post(message(24, { currency: "JPY", amount: "0.5000" }))
      assert.strictEqual(fine._tag, "Held")
    }).pipe(Effect.provide(using))
  )
})
