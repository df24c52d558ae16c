/**
 * Posted entries never change: the ids of entries and holds, and the basis that an auditor reads, equal those in
 * `Bytes/rows.json` to the byte. That file is never regenerated.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Fact, Terms } from "../../src/Ledger/Fact.ts"
import { fold } from "../../src/Ledger/Fold.ts"
import { empty } from "../../src/Ledger/Fold/Known.ts"
import * as Rows from "../../src/Ledger/Rows.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  type Answer,
  answer,
  certificate,
  minute,
  opening,
  payment,
  project,
  reject,
  type ShortFact
} from "./Histories.ts"

const euros: Terms = { ...contractor, currency: "EUR" }
const big = 10n ** 28n - 1n

const histories: Readonly<Record<string, readonly [Terms, ...ReadonlyArray<ShortFact | Answer>]>> = {
  "a payment, corrected": [euros, project("7"), certificate(1, 5_000_000n), payment(5), certificate(3, 4_999_999n)],
  "an opening certificate": [contractor, payment(5, 'Zahlung "Ü" 7'), opening(12_500n), opening(big)],
  "a certificate accepted, and taken back": [
    euros,
    certificate(1, 100n),
    payment(5),
    certificate(10, 120n),
    accept("recertified-after-payment", 20n),
    certificate(4, 120n)
  ],
  "a second payment": [
    contractor,
    certificate(1, 5n),
    payment(5),
    payment(6, "Q"),
    accept("second-payment-reference", 3n)
  ],
  "no certificate": [contractor, payment(5), accept("awaiting-certified-amount", 77n), payment(6, "R")],
  "two certificates of one instant": [contractor, certificate(1, 5n, "https://c/a"), certificate(1, 6n), payment(5)],
  "a certificate of nothing": [euros, certificate(1, 0n), payment(5), reject("amount-not-positive")],
  "a closed period": [
    { ...euros, openFrom: minute(100) },
    certificate(1, 500n),
    payment(5),
    accept("period-closed"),
    certificate(2, 510n)
  ],
  "an unknown currency": [
    { ...euros, currencies: { "7": "USD" } },
    certificate(1, 100n),
    payment(5),
    { ...accept("currency-unknown"), currency: "CHF" },
    payment(8, "Q")
  ]
}

/** Everything posted and asked, in order, as written into the Store. */
const written = (terms: Terms, steps: ReadonlyArray<ShortFact | Answer>): ReadonlyArray<string> => {
  let books = empty("IPC-1")
  const rows: Array<string> = []
  for (const [index, step] of steps.entries()) {
    const short = "kind" in step ? step : answer(books, step)
    const number = index + 1
    const eventId = short.kind === "decision" || short.kind === "opening" ? {} : { eventId: `event-${number}` }
    const fact = { ...short, ...eventId, number, ipcId: "IPC-1", knownAt: minute(10_000 + number) } as Fact
    const turn = fold(books, fact, terms)
    books = turn.books
    for (const entry of turn.entries) {
      const { amount, basis, entry_id, part, reverses } = Rows.entryRow(entry, 1, fact, { epoch: 1, queued: null })
      rows.push([entry_id, amount, part, reverses, basis].join(" "))
    }
    for (const hold of turn.opened) {
      const { amount, basis, hold_id } = Rows.holdRow(hold)
      rows.push([hold_id, amount, basis].join(" "))
    }
  }
  return rows
}

const kept = JSON.parse(readFileSync(join(import.meta.dirname, "Bytes/rows.json"), "utf8")) as object

describe("ids and basis", () => {
  it.each(Object.entries(histories))("of %s never change", (name, [terms, ...steps]) => {
    for (const rules of [1, 2])
      assert.deepStrictEqual(
        written({ ...terms, rules }, steps),
        (kept as Readonly<Record<string, ReadonlyArray<string>>>)[name]
      )
  })
})
