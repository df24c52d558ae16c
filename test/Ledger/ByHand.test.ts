/**
 * What people add: entries by hand, reversals, the second person, and what the accounting system has after a restore.
 */
import { assert, describe, it } from "@effect/vitest"
import { balanceOf } from "../../src/Ledger/Balance.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { fold } from "../../src/Ledger/Fold.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  answer,
  type Answer,
  certificate,
  history,
  minute,
  net,
  payment,
  reasons,
  record,
  reject,
  type ShortFact
} from "./Histories.ts"

const paid = [certificate(1, 500n), payment(5)]

const byHand = (units: bigint, needsSecond = false): ShortFact => ({
  kind: "posting",
  units,
  currency: null,
  reference: "P",
  evidence: "bank statement 14",
  needsSecond,
  by: "Ana",
  reason: "rejected by mistake"
})

const takeBack = (books: Books, place: number, needsSecond = false): ShortFact => {
  const entry = books.entries[place] ?? assert.fail("no such entry")
  const { currency, entry_id: entryId, payment_reference: reference, units } = entry
  return { kind: "reversal", entryId, units, currency, reference, needsSecond, by: "Ana", reason: "it bounced" }
}

const has = (...entries: ReadonlyArray<readonly [id: string, units: bigint, reference?: string]>) =>
  entries.map(([id, units, reference = "P"]) => ({
    entryId: id.repeat(32),
    units,
    currency: null,
    reference,
    effectiveAt: minute(5)
  }))

const accounting = (entries: ReturnType<typeof has>, cancels: ReadonlyArray<string> = []): ShortFact => ({
  kind: "accounting",
  has: entries,
  cancels,
  by: "Ana",
  reason: "restored"
})

const then = (books: Books, ...steps: ReadonlyArray<ShortFact | Answer>): Books =>
  steps.reduce<Books>(
    (now, step, index) => record(now, "kind" in step ? step : answer(now, step), 100 + books.entries.length + index),
    books
  )

const state = (books: Books) => [amounts(books), reasons(books)]

describe("an entry by hand", () => {
  it("is posted on the accounts that the person names, and counts as no payment there", () => {
    const released: ShortFact = { ...byHand(25n), debit: "bank", credit: "retention" } as ShortFact
    const books = then(history(paid), released, byHand(7n))
    assert.deepStrictEqual(
      books.entries.map(({ credit_account, debit_account, units }) => [debit_account, credit_account, units]),
      [
        ["bank", "receivable", 500n],
        ["bank", "retention", 25n],
        ["bank", "receivable", 7n]
      ]
    )
    assert.deepInclude(balanceOf(books, contractor), { paid: "0.0507" })
    const reversed = then(books, takeBack(books, 1))
    assert.deepInclude(reversed.entries.at(-1), { debit_account: "bank", credit_account: "retention", units: -25n })
  })

  it("is posted beside the others, and stays when the certificate changes", () => {
    const books = history([...paid, byHand(-80n)])
    assert.deepStrictEqual(amounts(books), ["payment 500", "adjustment -80"])
    assert.deepStrictEqual(amounts(then(books, certificate(2, 510n))).at(-1), "adjustment 10")
    assert.strictEqual(books.entries[1]?.effective_at, minute(10_003))
  })

  it("is posted on the first open day if that is later", () => {
    const terms: Terms = { ...contractor, openFrom: minute(20_000) }
    assert.strictEqual(record(history(paid), byHand(5n), 9, terms).entries.at(-1)?.effective_at, minute(20_000))
  })

  it("above the limit waits for a second person, whose rejection is final", () => {
    const waiting = history([...paid, byHand(80n, true)])
    assert.deepStrictEqual(state(waiting), [["payment 500"], ["second-person"]])
    assert.deepStrictEqual(
      [...waiting.holds.values()].map(({ units }) => units),
      [80n]
    )
    assert.deepStrictEqual(state(then(waiting, accept("second-person"))), [["payment 500", "adjustment 80"], []])
    assert.deepStrictEqual(state(then(waiting, reject("second-person"), certificate(2, 500n))), [["payment 500"], []])
  })
})

describe("an entry that was taken back", () => {
  const posted = history(paid)
  const bounced = then(posted, takeBack(posted, 0))

  it("isn't posted again by itself, and a change of its amount is asked about", () => {
    assert.deepStrictEqual(amounts(bounced), ["payment 500", "reversal -500"])
    assert.strictEqual(bounced.entries[1]?.reverses, posted.entries[0]?.entry_id)
    assert.deepStrictEqual(state(then(bounced, certificate(2, 500n))), [["payment 500", "reversal -500"], []])
    const asked = then(bounced, certificate(2, 520n))
    assert.deepStrictEqual(reasons(asked), ["changed-after-refusal"])
    assert.strictEqual(net(then(asked, accept("changed-after-refusal"))), 20n)
  })

  it("can't be taken back twice, but its reversal can", () => {
    assert.strictEqual(then(bounced, takeBack(posted, 0)), bounced)
    const undone = then(bounced, takeBack(bounced, 1))
    assert.strictEqual(net(undone), 500n)
    // As if nothing had happened: what is learned posts by itself again.
    assert.deepStrictEqual(state(then(undone, certificate(2, 520n)))[1], [])
    assert.strictEqual(net(then(undone, certificate(2, 520n))), 520n)
  })

  it("isn't taken back once more when a later certificate makes it void", () => {
    const books = history([...paid, certificate(9, 520n), accept("recertified-after-payment", 20n)])
    const gone = then(books, takeBack(books, 1), certificate(2, 520n))
    assert.deepStrictEqual([net(gone), reasons(gone)], [520n, []])
  })

  it("waits for no second person when there is nothing left of it", () => {
    const books = history([...paid, certificate(9, 520n), accept("recertified-after-payment", 20n)])
    const waiting = then(books, takeBack(books, 1, true), certificate(2, 520n))
    assert.deepStrictEqual([net(waiting), reasons(waiting)], [520n, []])
  })

  it("above the limit is posted until a second person accepts", () => {
    const waiting = then(posted, takeBack(posted, 0, true))
    assert.deepStrictEqual(state(waiting), [["payment 500"], ["second-person"]])
    assert.deepStrictEqual(amounts(then(waiting, accept("second-person"))), ["payment 500", "reversal -500"])
    const kept = then(waiting, reject("second-person"))
    assert.deepStrictEqual(amounts(then(kept, certificate(2, 510n))), ["payment 500", "adjustment 10"])
    assert.deepStrictEqual(amounts(then(kept, takeBack(kept, 0))), ["payment 500", "reversal -500"])
  })
})

describe("after a restore, what the accounting system has", () => {
  it("is taken over under its ids, before the lost events come again, in whatever steps", () => {
    const restored = then(history([]), accounting(has(["a", 400n], ["b", 100n])))
    assert.deepStrictEqual(amounts(restored), ["payment 400", "adjustment 100"])
    assert.deepStrictEqual(state(then(restored, ...paid)), [["payment 400", "adjustment 100"], []])
    const partly = then(restored, payment(5), certificate(1, 400n))
    assert.deepStrictEqual(reasons(partly), ["differs-from-accounting"])
    assert.deepStrictEqual(state(then(partly, certificate(2, 500n))), [["payment 400", "adjustment 100"], []])
  })

  it("replaces what was posted since and wasn't sent", () => {
    const since = history(paid)
    const [entry] = since.entries
    assert.isDefined(entry)
    const fact = { ...accounting(has(["a", 400n], ["b", 100n]), [entry.entry_id]), number: 9, ipcId: "IPC-1" }
    const turn = fold(since, { ...fact, knownAt: minute(10_009) } as Parameters<typeof fold>[1], contractor)
    assert.deepStrictEqual(state(turn.books), [
      ["payment 500", "adjustment 400", "adjustment 100", "reversal -500"],
      []
    ])
    assert.sameMembers(
      [...turn.settled],
      turn.books.entries.map(({ entry_id }) => entry_id)
    )
  })

  it("is asked about if it differs, and kept if that is rejected", () => {
    const differs = then(history([]), accounting(has(["a", 530n])), ...paid)
    assert.deepStrictEqual(state(differs), [["payment 530"], ["differs-from-accounting"]])
    assert.strictEqual(net(then(differs, accept("differs-from-accounting"))), 500n)
    assert.deepStrictEqual(state(then(differs, reject("differs-from-accounting"), certificate(2, 500n))), [
      ["payment 530"],
      []
    ])
  })

  it("says which payment is the first, whichever comes first again", () => {
    const before = then(history([]), accounting(has(["a", 500n])), certificate(1, 500n), payment(9, "Q"))
    assert.deepStrictEqual(state(before), [["payment 500"], ["second-payment-reference"]])
    assert.deepStrictEqual(state(then(before, payment(5))), [["payment 500"], ["second-payment-reference"]])
    const since = history([certificate(1, 500n), payment(9, "Q")])
    const cancelled = then(since, accounting(has(["a", 500n]), [since.entries[0]?.entry_id ?? ""]), payment(5))
    assert.deepStrictEqual(state(cancelled), [
      ["payment 500", "payment 500", "reversal -500"],
      ["second-payment-reference"]
    ])
  })

  it("is the payment, so what is posted beside it is an adjustment", () => {
    const books = then(history([]), accounting(has(["a", 200n])), certificate(1, 300n), payment(3))
    assert.deepStrictEqual(amounts(then(books, accept("differs-from-accounting"))), ["payment 200", "adjustment 100"])
  })

  it("covers a later certificate that is accepted again, and a second payment that is rejected is asked about", () => {
    const books = then(history([]), accounting(has(["a", 300n], ["b", 20n])), certificate(1, 300n), payment(3))
    assert.deepStrictEqual(reasons(books), ["differs-from-accounting"])
    const accepted = then(books, certificate(9, 320n), accept("recertified-after-payment", 20n))
    assert.deepStrictEqual([net(accepted), reasons(accepted)], [320n, []])
    const second = then(history([]), accounting(has(["a", 500n], ["b", 70n, "Q"])), ...paid, payment(9, "Q"))
    const none = then(second, reject("second-payment-reference"))
    assert.deepStrictEqual(reasons(none), ["differs-from-accounting"])
    assert.strictEqual(net(then(none, accept("differs-from-accounting"))), 500n)
  })

  it("counts for its own payment only, and once", () => {
    const books = then(history([]), accounting(has(["a", 500n], ["b", 70n, "Q"])))
    const second = then(books, ...paid, payment(9, "Q"))
    assert.deepStrictEqual(reasons(second), ["second-payment-reference"])
    assert.strictEqual(net(then(second, accept("second-payment-reference", 70n))), 570n)
    assert.strictEqual(then(books, accounting(has(["a", 500n]))), books)
  })
})
