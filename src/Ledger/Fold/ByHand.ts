/**
 * What people add to the books: an entry of their own, the reversal of an entry, and what the accounting system has
 * after a restore. Pure.
 *
 * It is posted exactly once, by its own fact or by the second person's confirmation. Nothing is erased: each is one
 * more balanced entry in the open period.
 */
import type { AccountingEntry, AccountingFact, Entry, Fact, Line, PostingFact, Terms } from "../Fact.ts"
import * as Lines from "../Lines.ts"
import type { Books } from "./Known.ts"
import * as Parts from "./Parts.ts"
import { inOpenPeriod, make } from "./Posted.ts"
import { confirmation, isInForce } from "./SecondPerson.ts"

const entryOf = ({ entries }: Books, id: string): Entry | undefined => entries.find(({ entry_id }) => entry_id === id)

export interface Added {
  readonly entries: ReadonlyArray<Entry>
  /** Those of these entries, and of earlier ones, that the accounting system already has or must never get. */
  readonly settled: ReadonlyArray<string>
}

const nothing: Added = { entries: [], settled: [] }

/** What the cause itself adds. */
export const added = (books: Books, cause: Fact, terms: Terms): Added => {
  if (cause.kind === "accounting") return compared(books, cause, terms)
  const fact =
    cause.kind === "decision" ? books.byHand.find((each) => confirmation(each).holdId === cause.holdId) : cause
  if (fact === undefined || (fact.kind !== "posting" && fact.kind !== "reversal")) return nothing
  if (!isInForce(books, fact)) return nothing
  const basis = fact === cause ? [fact] : [fact, cause]
  return {
    entries:
      fact.kind === "posting"
        ? [post(books, fact, cause, basis, terms)]
        : reverse(books, fact.entryId, cause, basis, terms),
    settled: []
  }
}

const accountFor = ({ project }: Books, currency: string | null, { creditAccount, debitAccount }: Terms) => ({
  certified_as: null,
  currency,
  debit_account: debitAccount,
  credit_account: creditAccount,
  project_id: project?.projectId ?? null
})

const accountOf = (books: Books, { credit, currency, debit }: PostingFact, terms: Terms) => {
  const account = accountFor(books, currency, terms)
  return {
    ...account,
    debit_account: debit ?? account.debit_account,
    credit_account: credit ?? account.credit_account
  }
}

const post = (books: Books, fact: PostingFact, cause: Fact, basis: ReadonlyArray<Fact>, terms: Terms): Entry =>
  make(books, terms, accountOf(books, fact, terms), basis, {
    kind: "adjustment",
    units: fact.units,
    lines: null,
    payment_reference: fact.reference,
    certificate_url: null,
    effective_at: inOpenPeriod(cause.knownAt, terms),
    known_at: cause.knownAt,
    event_id: null,
    reverses: null,
    part: Parts.byHand(fact.number)
  })

const reverse = (
  books: Books,
  entryId: string,
  cause: Fact,
  basis: ReadonlyArray<Fact>,
  terms: Terms
): ReadonlyArray<Entry> => {
  const entry = entryOf(books, entryId)
  if (entry === undefined) return []
  const { certificate_url, lines, part, payment_reference, units } = entry
  const reversal = make(books, terms, entry, basis, {
    kind: "reversal",
    units: -units,
    lines: lines === null ? null : Lines.negated(lines),
    payment_reference,
    certificate_url,
    effective_at: inOpenPeriod(cause.knownAt, terms),
    known_at: cause.knownAt,
    event_id: null,
    reverses: entryId,
    part
  })
  return [reversal]
}

/** Takes over what the accounting system has, under its ids, and reverses what it won't get. */
const compared = (books: Books, fact: AccountingFact, terms: Terms): Added => {
  const entries: Array<Entry> = []
  const now = (): Books => ({ ...books, entries: [...books.entries, ...entries] })
  // Done first, so that no reversal takes one of their ids.
  for (const one of fact.has) {
    if (entryOf(now(), one.entryId) === undefined) entries.push(takeOver(now(), one, fact, terms))
  }
  for (const id of fact.cancels) entries.push(...reverse(now(), id, fact, [fact], terms))
  return { entries, settled: [...fact.cancels, ...entries.map(({ entry_id }) => entry_id)] }
}

const takeOver = (books: Books, one: AccountingEntry, fact: AccountingFact, terms: Terms): Entry => {
  const { currency, effectiveAt, entryId, kind, reference, units } = one
  if (kind === "accrual") return takeOverAccrual(books, one, fact, terms)
  const entry = make(books, terms, accountFor(books, currency, terms), [fact], {
    kind: isPaid(books, reference) ? "adjustment" : "payment",
    units,
    lines: null,
    payment_reference: reference,
    certificate_url: null,
    effective_at: effectiveAt ?? inOpenPeriod(fact.knownAt, terms),
    known_at: fact.knownAt,
    event_id: null,
    reverses: null,
    part: Parts.knownOf(reference)
  })
  return { ...entry, entry_id: entryId }
}

const isPaid = ({ entries }: Books, reference: string): boolean =>
  entries.some(({ kind, payment_reference }) => kind === "payment" && payment_reference === reference)

/** The accrual's own accounts are among its lines. */
const takeOverAccrual = (books: Books, one: AccountingEntry, fact: AccountingFact, terms: Terms): Entry => {
  const { currency, effectiveAt, entryId, lines = [], units } = one
  const isDebited = (line: Line): boolean => line.units > 0n === units > 0n
  const account = {
    ...accountFor(books, currency, terms),
    debit_account: lines.find(isDebited)?.account ?? terms.debitAccount,
    credit_account: lines.find((line) => !isDebited(line))?.account ?? terms.creditAccount
  }
  const entry = make(books, terms, account, [fact], {
    kind: "accrual",
    units,
    lines,
    payment_reference: books.ipcId,
    certificate_url: null,
    effective_at: effectiveAt ?? inOpenPeriod(fact.knownAt, terms),
    known_at: fact.knownAt,
    event_id: null,
    reverses: null,
    part: Parts.accruedElsewhere(currency)
  })
  return { ...entry, entry_id: entryId }
}
