/**
 * The product's rules against a second implementation of them (see Reference), over random histories of one IPC; and books
 * that were restored against the accounting system. A failure prints its seed and the history.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Entry, Hold } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
import { patience, rounds, seed } from "../Long.ts"
import { type Random, seeded } from "../Seeded.ts"
import { written } from "./Histories.ts"
import { Reference } from "./Reference.ts"
import { Recording } from "./Reference/Recording.ts"
import { restored } from "./Reference/Restored.ts"
import { isAtZero, randomTerms, steps } from "./Reference/Steps.ts"

/** Without what marks a move to another project. */
const lineOf = ({ part }: Entry | Hold): string => part.split("@")[0] ?? ""

/** Of each payment and each entry by hand, currency and project, where it isn't zero. */
const netsOf = ({ entries }: Books): ReadonlyArray<string> => {
  const subject = (entry: Entry) => (lineOf(entry).startsWith("hand:") ? lineOf(entry) : entry.payment_reference)
  return [...Map.groupBy(entries, (entry) => `${subject(entry)} ${entry.currency} ${entry.project_id}`)]
    .map(([of, each]) => [of, each.reduce((sum, { units }) => sum + units, 0n)] as const)
    .filter(([, units]) => units !== 0n)
    .map(([of, units]) => `${of} ${units}`)
    .toSorted()
}

/** What waits for a person. */
const asked = (reason: string, reference: string, units: bigint | null): string => `${reason} ${reference} ${units}`

const compared = (random: Random, lines: Array<string>): void => {
  const entryOf = (entryId: string): Entry =>
    recording.books.entries.find(({ entry_id }) => entry_id === entryId) ?? assert.fail("no such entry")
  const reference = new Reference(
    (entryId) => lineOf(entryOf(entryId)),
    (entryId) => entryOf(entryId).kind === "reversal" || !isAtZero(recording.books, entryOf(entryId))
  )
  const recording = new Recording(randomTerms(random), (fact, terms, hold, books) => {
    reference.learn(fact, terms, hold)
    assert.deepStrictEqual(netsOf(books), [...reference.nets].map(([of, units]) => `${of} ${units}`).toSorted())
    assert.deepStrictEqual(
      [...books.holds.values()].map((open) => asked(open.reason, open.payment_reference, open.units)).toSorted(),
      reference.asked.map((open) => asked(open.reason, open.reference, open.units)).toSorted()
    )
  })
  try {
    steps(recording, random, 5 + random.below(36))
    recording.end()
  } finally {
    lines.push(...recording.lines)
  }
}

const over = (count: number, check: (random: Random, lines: Array<string>) => void): void => {
  for (let round = 0; round < count; round++) {
    const lines: Array<string> = []
    try {
      check(seeded(seed + round), lines)
    } catch (cause) {
      const { actual, expected, message } = cause as { actual?: unknown; expected?: unknown; message: string }
      const values = expected === undefined ? [] : [`got ${written(actual)}`, `expected ${written(expected)}`]
      throw new Error([`SEED=${seed + round}: ${message}`, ...values, ...lines].join("\n"), { cause })
    }
  }
}

describe("over random histories", () => {
  it("each fact posts and asks what an accountant expects", () => over(rounds(400, 12_000), compared), patience)

  it(
    "after a restore, the accounting system and the books end at the same amounts",
    () => over(rounds(300, 6_000), restored),
    patience
  )
})
