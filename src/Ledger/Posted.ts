/**
 * What takes a part of an IPC's books to its target: an entry for the difference, a question for a person, or nothing.
 * Pure.
 *
 * Guarantees: everything posted for one payment is in one currency on one pair of accounts; a currency is never guessed;
 * nothing goes into a closed period unasked; and an id stands for one thing: entries of different amounts, kinds,
 * currencies, days or references have different ids in any two histories.
 */
import * as Amount from "../Domain/Amount.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { DecisionFact, Entry, Fact, PaymentFact, Terms } from "./Fact.ts"
import { ask, basisOf, identify, type Known, type Question } from "./Settlement.ts"

export interface Posted extends Known {
  readonly projectId: string | null
  readonly entries: ReadonlyArray<Entry>
}

/** A part of the books as it should be. */
export interface Target extends Pick<Entry, "certificate_url" | "effective_at" | "part"> {
  /** What the part's entries must add up to. */
  readonly units: bigint
  /** The kind of its first entry. */
  readonly first: "payment" | "adjustment"
  readonly payment: PaymentFact
  readonly basis: ReadonlyArray<Fact>
}

type Outcome = { readonly entry: Entry } | { readonly question: Question } | undefined

export const reach = (books: Posted, target: Target, cause: Fact, terms: Terms): Outcome => {
  const { basis, certificate_url, part, payment } = target
  const posted = books.entries.filter((entry) => entry.part === part)
  const net = posted.reduce((sum, { units }) => sum + units, 0n)
  // What doesn't fit one entry goes into the next.
  const units = Amount.fitting(target.units - net)
  if (units === 0n) return undefined
  const account = accountOf(books, payment, terms)
  if ("question" in account) return { question: { ...account.question, units } }
  // With the number of entries: the books can return to a net at which the same was asked before.
  const step = [part, String(posted.length), String(net), String(units)]
  const period = periodOf(books, target, units, step, terms)
  if (period === undefined || "question" in period) return period
  const kind = posted.length === 0 ? target.first : target.units === 0n ? "reversal" : "adjustment"
  const { credit_account, currency, debit_account } = account
  const { effective_at } = period
  return {
    entry: {
      entry_id: identify(
        "entry",
        books.ipcId,
        part,
        String(books.entries.length),
        kind,
        String(units),
        currency ?? "",
        effective_at,
        payment.reference
      ),
      ipc_id: books.ipcId,
      project_id: books.projectId,
      kind,
      units,
      currency,
      payment_reference: payment.reference,
      certificate_url,
      debit_account,
      credit_account,
      effective_at,
      known_at: cause.knownAt,
      event_id: (kind === "payment" ? payment : cause).eventId ?? null,
      reverses: kind === "reversal" ? reversed(posted) : null,
      part,
      basis: basisOf([...basis, ...account.basis, ...period.basis])
    }
  }
}

/** The entry that a reversal takes back: the first since the last reversal. */
const reversed = (posted: ReadonlyArray<Entry>): string | null =>
  posted[posted.findLastIndex(({ kind }) => kind === "reversal") + 1]?.entry_id ?? null

type Account = Pick<Entry, "currency" | "debit_account" | "credit_account"> & { readonly basis: ReadonlyArray<Fact> }

/** Of what would be posted for the payment; null if none is configured, or while a person is asked for it. */
export const currencyOf = (books: Posted, payment: PaymentFact, terms: Terms): string | null => {
  const account = accountOf(books, payment, terms)
  return "question" in account ? null : account.currency
}

/** As in the payment's first entry; otherwise by the terms, with the currency that a person gave. */
const accountOf = (books: Posted, payment: PaymentFact, terms: Terms): Account | { readonly question: Question } => {
  const first = books.entries.find(({ payment_reference }) => payment_reference === payment.reference)
  if (first !== undefined) return { ...first, basis: [] }
  const { creditAccount: credit_account, currencies, debitAccount: debit_account } = terms
  const question = ask("currency-unknown", payment, [], [])
  const decision = books.decisions.get(question.holdId)
  if (decision?.currency !== undefined) {
    return { currency: decision.currency, debit_account, credit_account, basis: [decision] }
  }
  if (books.projectId === null && Object.keys(currencies).length > 0) return { question }
  return { currency: currencies[books.projectId ?? ""] ?? terms.currency, debit_account, credit_account, basis: [] }
}

interface Period {
  readonly effective_at: Instant
  readonly basis: ReadonlyArray<DecisionFact>
}

/** An entry effective in a closed period goes into the open one, or a person is asked first. */
const periodOf = (
  books: Posted,
  { basis, effective_at, payment }: Target,
  units: bigint,
  step: ReadonlyArray<string>,
  { inClosedPeriod, openFrom }: Terms
): Period | { readonly question: Question } | undefined => {
  if (openFrom === null || effective_at >= openFrom) return { effective_at, basis: [] }
  if (inClosedPeriod === "post") return { effective_at: openFrom, basis: [] }
  const question = ask("period-closed", payment, step, basis, units)
  const decision = books.decisions.get(question.holdId)
  if (decision === undefined) return { question }
  return decision.verdict === "accept" ? { effective_at: openFrom, basis: [decision] } : undefined
}
