/**
 * Histories of one IPC for tests of the fold: short facts, recorded one after the other, and the resulting books.
 */
import { assert } from "@effect/vitest"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Version from "../../src/Domain/Version.ts"
import type { Fact, Hold, HoldReason, Terms } from "../../src/Ledger/Fact.ts"
import { fold } from "../../src/Ledger/Fold.ts"
import { type Books, empty } from "../../src/Ledger/Fold/Known.ts"
import type { Random } from "../Seeded.ts"
import { contractor } from "./Contractor.ts"

const start = Date.UTC(2026, 10, 20) * 1000
export const minute = (count: number) => Instant.fromMicros(start + count * 60_000_000)

export type ShortFact = Fact extends infer One
  ? One extends Fact
    ? Omit<One, "number" | "ipcId" | "knownAt">
    : never
  : never

export const certificate = (at: number, units: bigint, url = `https://c/${at}`): ShortFact => ({
  kind: "certificate",
  at: minute(at),
  units,
  url
})
export const payment = (at: number, reference = "P", units?: bigint): ShortFact => ({
  kind: "payment",
  at: minute(at),
  reference,
  ...(units === undefined ? {} : { units })
})
export const opening = (units: bigint): ShortFact => ({ kind: "opening", units, certificate: "C-0", by: "Ana" })
/** Named by an event of this minute. */
export const project = (projectId = "7", at = 1): ShortFact => ({
  kind: "project",
  projectId,
  version: Version.make(start + at * 60_000_000, 0, "a".repeat(64))
})

export const decision = (
  holdId: string,
  verdict: "accept" | "reject",
  units: bigint | null = null,
  currency?: string
): ShortFact => ({
  kind: "decision",
  holdId,
  verdict,
  units,
  ...(currency === undefined ? {} : { currency }),
  by: "Ana",
  reason: "checked"
})

/** These books with one more fact. */
export const record = (books: Books, fact: ShortFact, number: number, under: Terms = contractor): Books =>
  fold(books, { ...fact, number, ipcId: "IPC-1", knownAt: minute(10_000 + number) }, under).books

export interface Answer {
  readonly reason: HoldReason
  readonly verdict: "accept" | "reject"
  readonly units?: bigint
  readonly currency?: string
}

/** Facts, and answers to the only open hold of that reason, one after the other. */
export const history = (steps: ReadonlyArray<ShortFact | Answer>, under: Terms = contractor): Books =>
  steps.reduce<Books>(
    (books, step, index) => record(books, "kind" in step ? step : answer(books, step), index + 1, under),
    empty("IPC-1")
  )

/** The payment that comes first is *the* payment; everything else comes in any order, some of it twice. */
export const anyOrder = (
  facts: ReadonlyArray<ShortFact>,
  { below, pick, shuffle }: Random
): ReadonlyArray<ShortFact> => {
  const others = shuffle(facts.filter(({ kind }) => kind !== "payment"))
  const at = below(others.length + 1)
  const later = facts.filter(({ kind }) => kind === "payment")
  return [...others.slice(0, at), payment(5), ...shuffle([...others.slice(at), ...later, pick(facts)])]
}

export const answer = (books: Books, { currency, reason, units, verdict }: Answer): ShortFact =>
  decision(holdFor(books, reason).hold_id, verdict, units ?? null, currency)

export const holdFor = (books: Books, reason: HoldReason): Hold => {
  const [hold, ...others] = [...books.holds.values()].filter((open) => open.reason === reason)
  assert.isDefined(hold, `no hold ${reason}`)
  assert.deepStrictEqual(others, [])
  return hold
}

export const accept = (reason: HoldReason, units?: bigint): Answer => ({
  reason,
  verdict: "accept",
  ...(units === undefined ? {} : { units })
})
export const reject = (reason: HoldReason): Answer => ({ reason, verdict: "reject" })

export const amounts = (books: Books) => books.entries.map(({ kind, units }) => `${kind} ${units}`)
export const inCurrencies = (books: Books) =>
  books.entries.map(({ currency, kind, units }) => `${kind} ${units} ${currency}`)
export const reasons = (books: Books) => [...books.holds.values()].map(({ reason }) => reason).toSorted()
export const net = (books: Books) => books.entries.reduce((sum, { units }) => sum + units, 0n)

/** Bigints become text. */
export const written = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner))
