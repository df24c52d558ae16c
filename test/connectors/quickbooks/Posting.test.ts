/**
 * What QuickBooks gets of an entry: the journal entry, its references, and how few requests they cost.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Chart, LineRule } from "../../../config/Chart.ts"
import { chart, entryId, lists, message, named, number, other, reasonOf, taken, within } from "./World.ts"

const rule = (given: Partial<LineRule>): LineRule => ({
  account: null,
  projects: [],
  taxCode: null,
  costCode: null,
  counterparty: null,
  tracking: {},
  ...given
})

const charted = (accounts: Chart["accounts"], ...lines: ReadonlyArray<LineRule>): Chart => ({
  ...chart,
  accounts: { ...chart.accounts, ...accounts },
  lines
})

describe("a posted entry", () => {
  it.effect("is a balanced journal entry on its posting date, with its id and its texts", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.lengthOf(quickBooks.entries, 1)
        assert.deepStrictEqual(quickBooks.entries[0]?.entry, {
          TxnDate: "2026-11-19",
          DocNumber: number,
          PrivateNote: `IPC IPC-0042, PAY-2026-0042 (siteledger ${entryId})`,
          Line: [
            {
              Amount: "1250000.00",
              Description: "IPC IPC-0042, PAY-2026-0042",
              DetailType: "JournalEntryLineDetail",
              JournalEntryLineDetail: { PostingType: "Debit", AccountRef: { value: "35" } }
            },
            {
              Amount: "1250000.00",
              Description: "IPC IPC-0042, PAY-2026-0042",
              DetailType: "JournalEntryLineDetail",
              JournalEntryLineDetail: { PostingType: "Credit", AccountRef: { value: "91" } }
            }
          ]
        })
      })
    )
  )

  it.effect("is no draft: a draft is held without a request, with a sentence that says what to do", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        const held = yield* post({ ...message({ currency: "GBP" }, "draft"), isKept: true })
        assert.strictEqual(held._tag, "Held")
        assert.match(reasonOf(held), /^QuickBooks has no drafts.*`siteledger ledger sink release ENTRY --reason WHY`/)
        const handed = yield* post(message({}, "draft"))
        assert.strictEqual(handed._tag, "Held")
        assert.match(reasonOf(handed), /Another system may have it: release it there.*`siteledger ledger sink settle`/)
        assert.deepStrictEqual(quickBooks.came, [])
      })
    )
  )

  it.effect("has its accounts change sides if its amount is below zero", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        assert.deepStrictEqual(yield* post(message({ amount: "-7.5000" })), taken)
        assert.deepStrictEqual(
          quickBooks.entries[0]?.entry.Line.map(({ Amount, JournalEntryLineDetail: { AccountRef, PostingType } }) => [
            PostingType,
            AccountRef.value,
            Amount
          ]),
          [
            ["Debit", "91", "7.50"],
            ["Credit", "35", "7.50"]
          ]
        )
      })
    )
  )

  it.effect.each([
    { kind: "customer", name: "O'Brien \\ Sons", entity: { Type: "Customer", EntityRef: { value: "1" } } },
    { kind: "vendor", name: "steel & co", entity: { Type: "Vendor", EntityRef: { value: "56" } } }
  ] as const)("names the $kind $name on its line", ({ entity, kind, name }) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const lines = rule({ account: "receivable", counterparty: { kind, name } })
        const accounts = kind === "customer" ? { receivable: "1100" } : {}
        const post = yield* started({ chart: charted(accounts, lines) })
        assert.deepStrictEqual(yield* post(message()), taken)
        const [bank, receivable] = quickBooks.entries[0]?.entry.Line ?? []
        assert.isUndefined(bank?.JournalEntryLineDetail.Entity)
        assert.deepStrictEqual(receivable?.JournalEntryLineDetail.Entity, entity)
      })
    )
  )

  it.effect("has its class, its location and its cost code", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const tracking = { Class: "Bridges:North", Location: "Yard" }
        const post = yield* started({
          chart: charted({}, rule({ account: "receivable", costCode: "03-100", tracking }))
        })
        assert.deepStrictEqual(yield* post(message()), taken)
        const income = quickBooks.entries[0]?.entry.Line[1]
        assert.deepStrictEqual(income?.JournalEntryLineDetail.ClassRef, { value: "5000000000000007431" })
        assert.deepStrictEqual(income?.JournalEntryLineDetail.DepartmentRef, { value: "3" })
        assert.strictEqual(income?.Description, "IPC IPC-0042, PAY-2026-0042 (cost code 03-100)")
      })
    )
  )

  it.effect("names its currency where QuickBooks keeps several", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        quickBooks.currencies.isMulti = true
        const post = yield* started()
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.deepStrictEqual(quickBooks.entries[0]?.entry.CurrencyRef, { value: "EUR" })
      })
    )
  )

  it.effect("waits as long as QuickBooks keeps its books in another currency", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        quickBooks.currencies.home = "GBP"
        const verdict = yield* (yield* started())(message())
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.include(reasonOf(verdict), "GBP")
        assert.lengthOf(quickBooks.entries, 0)
      })
    )
  )

  it.effect("costs three requests once its names are known", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        quickBooks.came.splice(0)
        assert.deepStrictEqual(yield* post(other(2)), taken)
        assert.deepStrictEqual(
          quickBooks.came.map(({ what }) => what),
          ["GET query", "POST journalentry", "GET journalentry"]
        )
      })
    )
  )
})

describe("an account", () => {
  it.effect.each([
    { by: "number", code: "4010", id: "92" },
    { by: "full name", code: "Contract income:Retention", id: "92" },
    { by: "name, in any case", code: "contract INCOME", id: "91" }
  ])("is found by its $by", ({ code, id }) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ chart: charted({ receivable: code }) })
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.strictEqual(quickBooks.entries[0]?.entry.Line[1]?.JournalEntryLineDetail.AccountRef.value, id)
      })
    )
  )

  it.effect("is found beyond the first thousand", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const [any] = lists().Account
        assert.isDefined(any)
        const many = Array.from({ length: 2000 }, (_, nth) => ({
          ...any,
          Id: String(1000 + nth),
          AcctNum: `X${nth}`,
          FullyQualifiedName: `Account ${nth}`
        }))
        quickBooks.lists.Account = [...many, ...lists().Account]
        assert.deepStrictEqual(yield* (yield* started())(message()), taken)
      })
    )
  )

  it.effect("whose name is that of several is refused, and nothing is posted", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started({ chart: charted({ receivable: "Retention" }) }))(message())
        assert.strictEqual(verdict._tag, "Refused")
        assert.match(reasonOf(verdict), /several accounts "Retention".*Parent:Child/)
        assert.lengthOf(quickBooks.entries, 0)
      })
    )
  )

  it.effect("that an entry was refused for is looked up again", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        // A person makes the account inactive and gives its number to a new one.
        const replaced = { AcctNum: "4000", Name: "Income", FullyQualifiedName: "Income", AccountType: "Income" }
        quickBooks.lists.Account = [
          ...lists().Account.filter(({ Id }) => Id !== "91"),
          { ...replaced, Id: "99", Active: true }
        ]
        yield* TestClock.adjust("1 minute")
        const refusal = yield* post(other(2))
        assert.strictEqual(refusal._tag, "Refused")
        assert.include(reasonOf(refusal), "Accounts element id 91 not found")
        assert.deepStrictEqual(yield* post({ ...other(2), attempts: 1, refusals: 1 }), taken)
      })
    )
  )
})

describe("a name that QuickBooks doesn't have", () => {
  const unknown = rule({ account: "receivable", counterparty: { kind: "customer", name: "Absent Ltd" } })

  it.effect("refuses the entry by name, and is asked for once a minute", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ chart: charted({ receivable: "1100" }, unknown) })
        const asked = () =>
          quickBooks.came.filter(({ url }) => url.searchParams.get("query")?.includes("Customer") === true).length
        for (const each of [message(), other(2), other(3)]) {
          const verdict = yield* post(each)
          assert.strictEqual(verdict._tag, "Refused")
          assert.include(reasonOf(verdict), 'no active customer "Absent Ltd"')
        }
        assert.strictEqual(asked(), 1)
        quickBooks.lists.Customer = [...lists().Customer, named("9", "Absent Ltd")]
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.strictEqual(asked(), 2)
        assert.lengthOf(quickBooks.entries, 1)
      })
    )
  )
})
