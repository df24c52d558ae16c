/**
 * The fold: the books of one IPC, one more fact → new books, new entries, holds opened and closed. Pure.
 *
 * Guarantees: the same facts in the same order give the same entries to the byte. There is at most one `payment` entry
 * for an IPC and reference. Once no hold is open, the net of the IPC is the same for any order of its facts that begins
 * with the same payment, provided that the same question gets the same answer (docs/ledger.md lists the questions that
 * only some orders ask). An entry is the difference between what is posted and what is now known, and what was posted
 * for a question that went away is reversed. Unknown values are asked for, never guessed; what was refused is never
 * posted.
 */
import * as Amount from "../Domain/Amount.ts"
import { isAfter, never } from "../Domain/Version.ts"
import { changedProjects, currencyOf } from "./Fold/Account.ts"
import { accruals } from "./Fold/Accrued.ts"
import { opened, type Question } from "./Fold/Ask.ts"
import { added } from "./Fold/ByHand.ts"
import type { Entry, Fact, Hold, HoldReason, PaymentFact, Terms } from "./Fact.ts"
import { completed } from "./Fold/Decided.ts"
import { and, type Books, learn, noHolds } from "./Fold/Known.ts"
import { objectionTo } from "./Fold/LookedUp.ts"
import { baseOf } from "./Fold/Parts.ts"
import { isSaid } from "./Fold/Position.ts"
import { reach, type Turning } from "./Fold/Posted.ts"
import { nothingRefused, refusals } from "./Fold/Refusals.ts"
import { rulesOf } from "./Fold/Rules.ts"
import { isBeingTakenBack, unconfirmed } from "./Fold/SecondPerson.ts"
import { wants } from "./Fold/Wants.ts"

export interface Turn {
  readonly books: Books
  /** The fact as it is stored; undefined if it says nothing new and isn't stored. */
  readonly fact: Fact | undefined
  readonly entries: ReadonlyArray<Entry>
  /** Ids of entries that must not be sent, or no longer: see Added. */
  readonly settled: ReadonlyArray<string>
  readonly opened: ReadonlyArray<Hold>
  /** Open before and after, with a different amount. */
  readonly changed: ReadonlyArray<Hold>
  readonly closed: ReadonlyArray<Hold>
}

export const fold = (before: Books, given: Fact, terms: Terms): Turn => {
  const nothing = { books: before, fact: undefined, entries: [], settled: [], opened: [], changed: [], closed: [] }
  const fact = completed(before, given)
  if (!isNews(before, fact, terms)) return nothing
  // It concerns only the outbox.
  if (fact.kind === "release") return { ...nothing, fact }
  const known = learn(before, [fact])
  const { entries: own, settled } = added(known, fact, terms)
  const after = plus(known, own)
  const accrued = accruals(after, fact, terms)
  const { entries: others, questions } = post(plus(after, accrued), fact, terms)
  const entries = and(and(own, accrued), others)
  const books = plus(known, entries)
  const holds = holdsOf(books, questions, fact, terms)
  const turn = { books: { ...books, holds }, fact, entries, settled, ...between(before.holds, holds) }
  return fact.kind === "terms" && hasNoEffect(turn) ? nothing : turn
}

/** The books including these entries. */
const plus = (books: Books, more: ReadonlyArray<Entry>): Books =>
  more.length === 0 ? books : { ...books, entries: [...books.entries, ...more] }

type Holds = Books["holds"]

/** Which holds were opened, changed and closed: nearly always none. */
const between = (before: Holds, after: Holds): Pick<Turn, "changed" | "closed" | "opened"> =>
  before.size === 0 && after.size === 0
    ? unchanged
    : {
        opened: [...after.values()].filter(({ hold_id }) => !before.has(hold_id)),
        changed: [...after.values()].filter((hold) => (before.get(hold.hold_id) ?? hold) !== hold),
        closed: [...before.values()].filter(({ hold_id }) => !after.has(hold_id))
      }

const unchanged = { opened: [], changed: [], closed: [] }

const hasNoEffect = ({ changed, closed, entries, opened }: Turn): boolean =>
  entries.length + opened.length + changed.length + closed.length === 0

/** False if everything that the fact says is already known. For facts from events, this then stays so forever. */
export const isNews = (books: Books, fact: Fact, terms: Terms): boolean => {
  switch (fact.kind) {
    case "certificate":
      return !books.certificates.some(
        ({ at, units, url }) => at === fact.at && units === fact.units && url === fact.url
      )
    case "looked-up":
      return objectionTo(books, fact, terms) === undefined
    case "payment":
      return fact.units === undefined
        ? books.payments.every(({ reference }) => reference !== fact.reference)
        : books.amounts.every(({ reference, units }) => reference !== fact.reference || units !== fact.units)
    case "project":
      return rulesOf(terms).isNewestProjectValid
        ? books.project === undefined || isAfter(fact.version ?? never, books.project.version)
        : books.project === undefined
    case "decision":
      return fact.about !== undefined
    case "reversal":
      return isThere(books, fact.entryId) && !isBeingTakenBack(books, fact.entryId)
    case "release":
      return isThere(books, fact.entryId)
    case "accounting":
      return fact.has.some(({ entryId }) => !isThere(books, entryId)) || fact.cancels.length > 0
    case "preceding":
      return fact.preceding !== undefined && !isSaid(books, fact.preceding)
    case "opening":
    case "posting":
    case "terms":
      return true
  }
}

const isThere = ({ entries }: Books, entryId: string): boolean => entries.some(({ entry_id }) => entry_id === entryId)

interface Posting {
  readonly entries: ReadonlyArray<Entry>
  readonly questions: ReadonlyArray<Question>
}

/** Once asked about, a part isn't posted without an answer. */
const aboutDates: ReadonlySet<HoldReason> = new Set(["period-closed", "period-reopened", "changed-after-refusal"])

/** What has to be posted and asked now. */
const post = (books: Books, cause: Fact, terms: Terms): Posting => {
  if (books.payments.length === 0 && books.byHand.length === 0) return { entries: [], questions: [] }
  const { areRefusalsFinal } = rulesOf(terms)
  const turning: Turning = {
    cause,
    terms,
    refused: areRefusalsFinal ? refusals(books) : nothingRefused,
    waiting: books.holds.size === 0 ? nothingWaits : waitingIn(books.holds)
  }
  const entries: Array<Entry> = []
  const questions: Array<Question> = []
  for (const wanted of wants(books, terms)) {
    if ("holdId" in wanted) questions.push(wanted)
    else {
      // Includes this turn's entries: two certificates of the same instant and amount want the same part, once.
      const next = () => reach(plus(books, entries), wanted, turning)
      let outcome = next()
      while ("entry" in outcome) {
        entries.push(outcome.entry)
        if (outcome.isReached) break
        outcome = next()
      }
      if ("questions" in outcome) questions.push(...outcome.questions)
    }
  }
  const after = plus(books, entries)
  questions.push(...unconfirmed(after), ...changedProjects(after, terms))
  return { entries, questions }
}

const nothingWaits: Turning["waiting"] = new Set()

const waitingIn = (holds: Holds): Turning["waiting"] =>
  new Set([...holds.values()].filter(({ reason }) => aboutDates.has(reason)).map(({ part }) => baseOf(part)))

const holdsOf = (books: Books, questions: ReadonlyArray<Question>, { knownAt }: Fact, terms: Terms): Holds => {
  if (questions.length === 0) return noHolds
  const holds = new Map<string, Hold>()
  const currencies = new Map<PaymentFact, string | null>()
  for (const question of questions) {
    const { holdId, part, subject, units } = question
    // One question may concern several parts of a payment. Its hold shows the amount of the first part, the settlement.
    if (holds.has(holdId)) continue
    if (subject.kind === "payment" && !currencies.has(subject))
      currencies.set(subject, currencyOf(books, subject, terms))
    const currency = subject.kind === "payment" ? (currencies.get(subject) ?? null) : subject.currency
    const shown = { units: shownUnits(units), part, currency: units === null ? null : currency }
    const open = books.holds.get(holdId)
    if (open === undefined) holds.set(holdId, { ...opened(question, knownAt, shown.currency), units: shown.units })
    else holds.set(holdId, isShowing(open, shown) ? open : { ...open, ...shown })
  }
  return holds
}

/** The amount due may be more than an amount can hold; then a hold shows none. */
const shownUnits = (units: bigint | null): bigint | null =>
  units === null || Amount.ofUnits(units) === undefined ? null : units

const isShowing = (hold: Hold, { currency, part, units }: Pick<Hold, "currency" | "part" | "units">): boolean =>
  hold.units === units && hold.currency === currency && hold.part === part
