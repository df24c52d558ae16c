/**
 * Histories of one IPC for tests of the fold: facts in short, told one after the other, and what the books then say.
 */
import { assert } from "@effect/vitest"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Fact, Hold, HoldReason, Terms } from "../../src/Ledger/Fact.ts"
import { type Books, empty, fold } from "../../src/Ledger/Fold.ts"
import { contractor } from "./Contractor.ts"

const start = Date.UTC(2026, 10, 20) * 1000
export const minute = (count: number) => Instant.fromMicros(start + count * 60_000_000)

export type Said = Fact extends infer One
  ? One extends Fact
    ? Omit<One, "number" | "ipcId" | "knownAt">
    : never
  : never

export const certificate = (at: number, units: bigint, url = `https://c/${at}`): Said => ({
  kind: "certificate",
  at: minute(at),
  units,
  url
})
export const payment = (at: number, reference = "P"): Said => ({ kind: "payment", at: minute(at), reference })
export const opening = (units: bigint): Said => ({ kind: "opening", units, certificate: "C-0", by: "Ana" })
export const project = (projectId = "7"): Said => ({ kind: "project", projectId })

export const decision = (
  holdId: string,
  verdict: "accept" | "reject",
  units: bigint | null = null,
  currency?: string
): Said => ({
  kind: "decision",
  holdId,
  verdict,
  units,
  ...(currency === undefined ? {} : { currency }),
  by: "Ana",
  reason: "checked"
})

/** The next fact after these books, wherever they come from. */
export const tell = (books: Books, said: Said, number: number, under: Terms = contractor): Books =>
  fold(books, { ...said, number, ipcId: "IPC-1", knownAt: minute(10_000 + number) }, under).books

export interface Answer {
  readonly reason: HoldReason
  readonly verdict: "accept" | "reject"
  readonly units?: bigint
  readonly currency?: string
}

/** Facts, and answers to the one open hold of that reason, one after the other. */
export const history = (said: ReadonlyArray<Said | Answer>, under: Terms = contractor): Books =>
  said.reduce<Books>(
    (books, one, index) => tell(books, "kind" in one ? one : answer(books, one), index + 1, under),
    empty("IPC-1")
  )

const answer = (books: Books, { currency, reason, units, verdict }: Answer): Said =>
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

/** Whole numbers of any size as text. */
export const written = (one: unknown): string =>
  JSON.stringify(one, (_, value) => (typeof value === "bigint" ? String(value) : value))
