/**
 * What brings a part of an IPC's books to its target: an entry for the difference, a question for a person, or nothing.
 * Pure.
 *
 * Guarantees: a currency is never guessed; nothing goes into a closed period without asking; what a person refused is
 * never posted; and an id stands for one thing: entries with different amounts, kinds, currencies, days or references
 * have different ids in any two histories.
 */
import { dateIn, firstInstantOf } from "../../Domain/CalendarDay.ts"
import * as Instant from "../../Domain/Instant.ts"
import { type Account, accountOf, type Move } from "./Account.ts"
import { ask, basisOf, identify, type Question } from "./Ask.ts"
import type { DecisionFact, Entry, Fact, HoldReason, PayableGround, PaymentFact, Terms } from "../Fact.ts"
import * as Lines from "../Lines.ts"
import type { Books } from "./Known.ts"
import * as Layout from "./Layout.ts"
import { baseOf, markOf, moved } from "./Parts.ts"
import { fits, fitting, minorUnit } from "./Precision.ts"
import type { Refusal } from "./Refusals.ts"
import { rulesOf } from "./Rules.ts"

/** A part of the books as it should be. */
export interface Target extends Pick<Entry, "certificate_url" | "effective_at"> {
  /** What the part's entries must add up to. */
  readonly units: bigint
  /** Its part, without the mark of a move. */
  readonly base: string
  readonly move: Move
  /** Another part whose entries count too: what the accounting system had for the payment. */
  readonly besides?: string
  /**
   * Which refusals count: all of them; only people's answers, for what is no longer owed (what they reversed is already
   * gone); or none, for what a move left behind.
   */
  readonly counts?: "answers" | "nothing"
  /** The kind of its first entry. */
  readonly first: "payment" | "adjustment"
  readonly payment: PaymentFact
  readonly basis: ReadonlyArray<Fact>
  /** It also covers the date, so there is no question about a closed period. */
  readonly consent?: DecisionFact | undefined
}

/** What a turn of the fold knows besides the books. */
export interface Turning {
  readonly cause: Fact
  readonly terms: Terms
  readonly refused: ReadonlyMap<string, ReadonlyArray<Refusal>>
  /** The parts, without marks, that have an open hold about their date or their difference. */
  readonly waiting: ReadonlySet<string>
}

type Outcome =
  | {
      readonly entry: Entry
      /** With this entry, the part is at its target. */
      readonly isReached: boolean
    }
  | { readonly questions: ReadonlyArray<Question> }

/** If it returns neither a question nor an entry, nothing is missing. */
export const reach = (books: Books, target: Target, turning: Turning): Outcome => {
  const { base, basis, besides, certificate_url, move, payment } = target
  const { cause, terms } = turning
  const part = moved(base, move.mark)
  const posted = books.entries.filter((entry) => entry.part === part)
  const had = besides === undefined ? [] : books.entries.filter((entry) => entry.part === besides)
  const account = accountOf(books, payment, move, terms)
  const unit = "question" in account ? 1n : minorUnit(account.currency, terms)
  const refused = refusedOf(target, turning, unit)
  const stand = { base, known: sum(had), refused }
  const net = sum(posted) + stand.known + refused.units
  const left = posted.length === 0 ? carriedTo(target, books) : 0n
  // What a move carries over was agreed with the move, unless it isn't a valid amount in the new currency. The rest is
  // a separate step.
  const carried = fits(left, unit) ? left : 0n
  // What doesn't fit one entry goes into the next.
  const units = fitting(carried === 0n ? target.units - net : carried, unit)
  if (units === 0n) return nothing
  // Includes the number of entries and refusals: the books can return to a net amount at which the same was asked
  // before.
  const about = [part, String(posted.length + refused.count), String(net), String(units)]
  const reason = carried === 0n ? reasonToAsk(target, stand, turning) : undefined
  const question = reason === undefined ? undefined : ask(reason, payment, about, basis, { part, units })
  const decision = question === undefined ? undefined : books.decisions.get(question.holdId)
  const dated = question === undefined || decision !== undefined ? [] : [question]
  if ("question" in account) {
    // An open question about the date stays open.
    const others = turning.waiting.has(base) ? dated : []
    return { questions: [{ ...account.question, part, units }, ...others] }
  }
  if (dated.length > 0) return { questions: dated }
  if (decision?.verdict === "reject") return nothing
  const kind = kindOf(target, posted, books)
  const consents = decision === undefined ? [] : [decision]
  const entry = make(books, terms, account, [...basis, ...account.basis, ...consents], {
    kind,
    units,
    lines: Layout.ofPayment(account, { posted, units, unit }, terms),
    payment_reference: payment.reference,
    certificate_url,
    effective_at: inOpenPeriod(target.effective_at, terms),
    known_at: cause.knownAt,
    event_id: (kind === "payment" ? payment : cause).eventId ?? null,
    reverses: kind === "reversal" ? reversed(posted) : null,
    part
  })
  return { entry, isReached: net + units === target.units }
}

/** Only the first entry of a payment is its `payment`, wherever it was posted. */
const kindOf = (target: Target, posted: ReadonlyArray<Entry>, { entries }: Books): Entry["kind"] => {
  if (posted.length > 0) return target.units === 0n ? "reversal" : "adjustment"
  const { reference } = target.payment
  const isPaid = entries.some((entry) => entry.kind === "payment" && entry.payment_reference === reference)
  return isPaid ? "adjustment" : target.first
}

const nothing: Outcome = { questions: [] }

interface Refused {
  readonly units: bigint
  readonly count: number
  /** Some amounts were refused in another currency and aren't valid in this one. They are only a reason to ask. */
  readonly hasForeign: boolean
}

const refusedOf = ({ base, counts }: Target, { refused }: Turning, unit: bigint): Refused => {
  const all = counts === "nothing" ? [] : (refused.get(base) ?? [])
  const own = all.filter(({ units }) => fits(units, unit))
  const counting = counts === "answers" ? own.filter(({ isTakenBack }) => !isTakenBack) : own
  return { units: sum(counting), count: all.length, hasForeign: own.length < all.length }
}

const sum = (entries: ReadonlyArray<Pick<Entry, "units">>): bigint =>
  entries.reduce((total, { units }) => total + units, 0n)

/** What is posted where the payment was before. It is reversed after this. */
const carriedTo = ({ base, move, payment }: Target, { entries }: Books): bigint =>
  move.decision === undefined
    ? 0n
    : sum(
        entries.filter(
          ({ part, payment_reference }) =>
            payment_reference === payment.reference && baseOf(part) === base && markOf(part) !== move.mark
        )
      )

interface Stand {
  readonly base: string
  /** What the accounting system had for it. */
  readonly known: bigint
  readonly refused: Refused
}

/** Why a person has to agree before the difference is posted. */
const reasonToAsk = (target: Target, stand: Stand, { terms, waiting }: Turning): HoldReason | undefined => {
  if (target.consent !== undefined) return undefined
  const isAsking = terms.inClosedPeriod === "hold"
  if (stand.known !== 0n) return "differs-from-accounting"
  if (isAsking && isInClosedPeriod(target.effective_at, terms)) return "period-closed"
  if (stand.refused.units !== 0n || stand.refused.hasForeign) return "changed-after-refusal"
  return isAsking && rulesOf(terms).areRefusalsFinal && waiting.has(stand.base) ? "period-reopened" : undefined
}

/** The first instant of the open period, set by the configuration or by a person, whichever is later. */
export const openFromOf = ({ closed, openFrom, timezone }: Terms): Instant.Instant | null => {
  if (closed === undefined) return openFrom
  const byPerson = firstInstantOf(closed.openFrom, timezone)
  return openFrom === null || byPerson > openFrom ? byPerson : openFrom
}

/** The time itself, or the beginning of the open period if that is later. */
export const inOpenPeriod = (at: Instant.Instant, terms: Terms): Instant.Instant => {
  const openFrom = openFromOf(terms)
  return openFrom !== null && at < openFrom ? openFrom : at
}

const isInClosedPeriod = (at: Instant.Instant, terms: Terms): boolean => inOpenPeriod(at, terms) !== at

/** The entry that a reversal reverses: the first since the last reversal. */
const reversed = (posted: ReadonlyArray<Entry>): string | null =>
  posted[posted.findLastIndex(({ kind }) => kind === "reversal") + 1]?.entry_id ?? null

type Draft = Omit<
  Entry,
  "basis" | "entry_id" | "ipc_id" | "posting_date" | Exclude<keyof Account, "basis" | "withheld">
>

export const make = (
  books: Books,
  terms: Terms,
  { certified_as, credit_account, currency, debit_account, project_id }: Omit<Account, "basis" | "withheld">,
  basis: ReadonlyArray<Fact | PayableGround>,
  draft: Draft
): Entry => {
  const { certificate_url, effective_at, event_id, kind, known_at, lines, part, payment_reference, reverses, units } =
    draft
  const others = lines === null ? [] : [Lines.toText(lines)]
  const about = [kind, String(units), currency ?? "", effective_at, payment_reference, ...others]
  return {
    entry_id: freeId(books, part, about),
    ipc_id: books.ipcId,
    project_id,
    kind,
    units,
    currency,
    payment_reference,
    certificate_url,
    debit_account,
    credit_account,
    effective_at,
    known_at,
    event_id,
    reverses,
    part,
    certified_as,
    lines,
    posting_date: rulesOf(terms).arePostingDatesKept ? dateIn(effective_at, terms.timezone) : null,
    basis: basisOf(basis)
  }
}

/** Includes its place in the books. Entries from before a restore have places of their own, which may be further on. */
const freeId = ({ entries, ipcId }: Books, part: string, about: ReadonlyArray<string>): string => {
  for (let place = entries.length; ; place++) {
    const id = identify("entry", ipcId, part, String(place), ...about)
    if (!entries.some(({ entry_id }) => entry_id === id)) return id
  }
}
