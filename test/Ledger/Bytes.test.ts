/**
 * What was posted once stays as it is: the ids of entries and holds, and the basis that an auditor reads, are to the byte
 * those of `Bytes/rows.json`. That file is never made again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Fact, Terms } from "../../src/Ledger/Fact.ts"
import { empty, fold } from "../../src/Ledger/Fold.ts"
import * as Rows from "../../src/Ledger/Rows.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  type Answer,
  certificate,
  decision,
  holdFor,
  minute,
  opening,
  payment,
  project,
  reject,
  type Said
} from "./Histories.ts"

const euros: Terms = { ...contractor, currency: "EUR" }
const big = 10n ** 28n - 1n

const histories: Readonly<Record<string, readonly [Terms, ...ReadonlyArray<Said | Answer>]>> = {
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

/** All that was posted and asked, in its order, as it is written into the Store. */
const written = (terms: Terms, said: ReadonlyArray<Said | Answer>): ReadonlyArray<string> => {
  let books = empty("IPC-1")
  const rows: Array<string> = []
  for (const [index, one] of said.entries()) {
    const told =
      "kind" in one ? one : decision(holdFor(books, one.reason).hold_id, one.verdict, one.units ?? null, one.currency)
    const number = index + 1
    const eventId = told.kind === "decision" || told.kind === "opening" ? {} : { eventId: `event-${number}` }
    const fact = { ...told, ...eventId, number, ipcId: "IPC-1", knownAt: minute(10_000 + number) } as Fact
    const turn = fold(books, fact, terms)
    books = turn.books
    for (const entry of turn.entries) {
      const { amount, basis, entry_id, part, reverses } = Rows.entryRow(entry, 1, fact)
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
  it.each(Object.entries(histories))("of %s are what they always were", (name, [terms, ...said]) => {
    assert.deepStrictEqual(written(terms, said), (kept as Readonly<Record<string, ReadonlyArray<string>>>)[name])
  })
})
