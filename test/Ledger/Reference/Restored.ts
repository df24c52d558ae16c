/**
 * An older backup is restored: the accounting system has entries that the books lack. A person has them compared, and the
 * lost events come again in another order.
 */
import { assert } from "@effect/vitest"
import type { Entry, Fact } from "../../../src/Ledger/Fact.ts"
import type { Random } from "../../Seeded.ts"
import { isByHand } from "../../../src/Ledger/Fold/Parts.ts"
import type { ShortFact } from "../Histories.ts"
import { Reference } from "../Reference.ts"
import { Recording, short } from "./Recording.ts"
import { answer, oneStep, randomTerms, steps } from "./Steps.ts"

export const restored = (random: Random, lines: Array<string>): void => {
  const lost = new Recording(randomTerms(random))
  // Only for the payment's amount, which doesn't change when an entry is taken back.
  const reference = new Reference(
    () => "none",
    () => true,
    (payment) => recording.books.entries.find(isOf(payment))?.currency
  )
  const recording = new Recording(lost.terms, (fact, terms, hold) => reference.learn(fact, terms, hold))
  try {
    steps(lost, random, 5 + random.below(20))
    const cut = random.below(lost.kept.length + 1)
    recording.restore(lost.kept.slice(0, cut))
    const restoredEntries = recording.books.entries.length
    const all = lost.books.entries
    const more = random.chance(0.5) ? all.length : random.below(all.length - restoredEntries + 1)
    const received = new Map(all.slice(0, restoredEntries + more).map((entry) => [entry.entry_id, entry]))
    if (random.chance(0.7)) steps(recording, random, random.below(8))
    recording.record(comparison(recording, restoredEntries, received))
    for (const { fact } of random.shuffle(lost.kept.slice(cut).filter(isEvent))) {
      recording.record(fact)
      if (random.chance(0.3)) oneStep(recording, random)
    }
    answerAll(recording, random)
    for (const entry of recording.books.entries) {
      if (!recording.settled.has(entry.entry_id) && !received.has(entry.entry_id)) received.set(entry.entry_id, entry)
    }
    assert.strictEqual(totals([...received.values()]), totals(recording.books.entries), "as in the accounting system")
    if (isAgreed(recording)) assert.strictEqual(paid(recording), reference.owed ?? 0n, "the payment, once")
    recording.end()
  } finally {
    lines.push(...lost.lines, "restored, with what is kept of it:", ...recording.lines)
  }
}

/** Entries posted since the restore are cancelled only if the accounting system has others instead. */
const comparison = ({ books }: Recording, restoredEntries: number, received: ReadonlyMap<string, Entry>): ShortFact => {
  const own = new Set(books.entries.map(({ entry_id }) => entry_id))
  const lacking = [...received.values()].filter(({ entry_id }) => !own.has(entry_id))
  const since = books.entries.slice(restoredEntries).map(({ entry_id }) => entry_id)
  return {
    kind: "accounting",
    has: lacking.map(
      ({ currency, effective_at: effectiveAt, entry_id: entryId, payment_reference: reference, units }) => ({
        entryId,
        units,
        currency,
        reference,
        effectiveAt
      })
    ),
    cancels: lacking.length === 0 ? [] : since.filter((id) => !received.has(id)),
    by: "Ana",
    reason: "compared"
  }
}

const answerAll = (recording: Recording, random: Random): void => {
  for (let count = 0; recording.holds.length > 0; count++) {
    assert.isBelow(count, 200, "the questions don't end")
    recording.record(answer(random.pick(recording.holds), random))
  }
}

/** There is one payment, and no person refused, took back or moved anything. */
const isAgreed = ({ books, kept }: Recording): boolean =>
  books.payments.length === 1 &&
  books.entries.every(
    ({ part, payment_reference }) => isByHand(part) || payment_reference === books.payments[0]?.reference
  ) &&
  kept.every(
    ({ fact }) =>
      fact.kind !== "reversal" &&
      (fact.kind !== "decision" ||
        (fact.about?.reason === "project-changed"
          ? fact.verdict === "reject"
          : fact.verdict === "accept" || !ofDifferences.has(fact.about?.reason ?? "")))
  )

const ofDifferences: ReadonlySet<string> = new Set([
  "period-closed",
  "period-reopened",
  "changed-after-refusal",
  "differs-from-accounting"
])

const isOf =
  (payment: string) =>
  ({ part, payment_reference }: Entry): boolean =>
    payment_reference === payment && !isByHand(part)

/** For the payment, without what people added. */
const paid = ({ books: { entries } }: Recording): bigint =>
  entries.filter(({ part }) => !isByHand(part)).reduce((sum, { units }) => sum + units, 0n)

const isEvent = ({ fact: { kind } }: { readonly fact: Fact }): boolean =>
  kind === "certificate" || kind === "payment" || kind === "project" || kind === "opening"

/** For each payment and currency. */
const totals = (entries: ReadonlyArray<Entry>): string =>
  short(
    [...Map.groupBy(entries, (entry) => `${entry.payment_reference} ${entry.currency}`)]
      .map(([of, each]) => [of, each.reduce((sum, { units }) => sum + units, 0n)] as const)
      .filter(([, units]) => units !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
