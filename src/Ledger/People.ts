/**
 * What people do to the books: answer a hold, sign off opening certificates, add an entry, take one back, compare with
 * the accounting system. Each act is a fact under their name and their principal, and is posted when the call returns.
 */
import { Effect } from "effect"
import * as Amount from "../Domain/Amount.ts"
import * as Instant from "../Domain/Instant.ts"
import { named, Principal, signing } from "../Runtime/Principal.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { AccountingFile } from "./People/AccountingFile.ts"
import * as Agreed from "./Agreed.ts"
import * as Books from "./Books.ts"
import * as StoredBooks from "./StoredBooks.ts"
import * as Comparison from "./People/Comparison.ts"
import { type Posting, postingOf, reversalOf } from "./People/Corrections.ts"
import { type Decision, factOf, LedgerError } from "./People/Decide.ts"
import { type Foreseen, foreseen } from "./People/Foreseen.ts"
import * as Periods from "./People/Periods.ts"
import * as Release from "./People/Release.ts"
import type { Terms } from "./Fact.ts"
import { currencyOf } from "./Fold/Account.ts"
import { empty } from "./Fold/Known.ts"
import * as Look from "./Look.ts"
import type { Outbox } from "./Outbox.ts"
import * as NewTerms from "./NewTerms.ts"
import * as Compared from "./Outbox/Compared.ts"
import * as Halt from "./Outbox/Halt.ts"
import { toEntry } from "./Rows.ts"
import { tell } from "./Told.ts"

/** A certificate from before the events began. */
export interface Opening {
  readonly ipcId: string
  /** Canonical, more than zero. */
  readonly amount: string
  /** The certificate's name on paper. */
  readonly certificate: string
}

interface PeriodChanged {
  readonly recorded: Books.Recorded
  /** The first day of the open period. */
  readonly openFrom: string | null
}

interface Signed {
  readonly by: string
  readonly reason: string
}

type Done<A = Books.Recorded> = Effect.Effect<A, LedgerError | StoreError>

export interface ByPeople {
  readonly decide: (decision: Decision) => Done
  /** What the decision would do to the books as they are now; writes nothing. */
  readonly foresee: (decision: Decision) => Done<Foreseen>
  /** Opening certificates that a person vouches for; posts the payments that waited for them. */
  readonly signOff: (openings: ReadonlyArray<Opening>, by: string) => Done
  /** Adds an entry, or a hold for the second person. */
  readonly post: (posting: Posting) => Done
  /** Reverses an entry, given its id or the beginning of it. */
  readonly reverse: (entry: string, by: Signed) => Done
  /** Closes months of the books or opens them again, at once and for all workers. */
  readonly changePeriod: (change: Periods.Change) => Done<PeriodChanged>
  /** The differences; changes nothing. */
  readonly compare: (file: AccountingFile) => Done<Comparison.Comparison>
  /** Takes over what the accounting system has, and lets the outbox continue. */
  readonly takeOver: (file: AccountingFile, by: Signed) => Done
  /**
   * Releases drafts that were never sent, so that they go to the accounting system as posted: one, by its entry's id or
   * the beginning of that; undefined for all of them.
   */
  readonly release: (entry: string | undefined, by: Signed) => Done<Release.Released>
}

interface With {
  readonly store: Store["Service"]
  readonly terms: Terms
  readonly outbox: Outbox["Service"] | undefined
  readonly record: (facts: ReadonlyArray<Books.NewFact>) => Effect.Effect<Books.Recorded, StoreError>
  readonly now: Effect.Effect<Instant.Instant>
  /** Fails if a person would decide under terms other than those shown to them. */
  readonly beforeDeciding: Effect.Effect<void, LedgerError>
}

const refused = (message: string) => new LedgerError({ message })

export const byPeople = (given: With): ByPeople => {
  const record: With["record"] = (facts) => Effect.flatMap(signing, (signed) => given.record(facts.map(signed)))
  const recorder = { ...given, record }
  return {
    ...answering(recorder),
    ...correcting(recorder),
    ...closing(given),
    ...comparing(given),
    release: Release.releasing(given)
  }
}

const recording =
  ({ record }: With) =>
  (fact: Books.NewFact | string): Done =>
    typeof fact === "string" ? Effect.fail(refused(fact)) : record([fact])

/** Another worker may have started since, with other terms. */
const agreedBy = ({ store, terms }: With) => Effect.map(store.run(Agreed.newestIn), (newest) => newest ?? terms)

const booksOf = (store: Store["Service"], ipcId: string) =>
  Effect.map(
    store.run((db) => StoredBooks.read(db, [ipcId])),
    (all) => all.get(ipcId)
  )

const justClosed = refused("The hold has just been closed by an event.")

const answering = (given: With): Pick<ByPeople, "decide" | "foresee" | "signOff"> => {
  const { beforeDeciding, now, record, store } = given
  const recorded = recording(given)
  const currencyFor = Effect.fnUntraced(function* (hold: Look.HoldLike | undefined, terms: Terms) {
    const books = hold && (yield* booksOf(store, hold.ipc_id))
    const payment = books?.payments.find(({ reference }) => reference === hold?.payment_reference)
    return books === undefined || payment === undefined ? null : currencyOf(books, payment, terms)
  })
  const asFact = Effect.fnUntraced(function* (decision: Decision) {
    yield* beforeDeciding
    const open = yield* store.run((db) => Look.holdsLike(db, decision.hold))
    const terms = yield* agreedBy(given)
    const currency = yield* currencyFor(open[0], terms)
    const decided = { ...decision, principal: yield* Principal }
    return { fact: factOf(decided, open, { currency, terms }, yield* now), terms }
  })
  return {
    decide: Effect.fn("Ledger.decide")(function* (decision) {
      const { fact } = yield* asFact(decision)
      const done = yield* recorded(fact)
      return done.facts === 0 ? yield* justClosed : done
    }),
    foresee: Effect.fn("Ledger.foresee")(function* (decision) {
      const { fact, terms } = yield* asFact(decision)
      if (typeof fact === "string") return yield* refused(fact)
      const signed = (yield* signing)(fact)
      return (yield* store.transaction((tx) => foreseen(tx, signed, terms))) ?? (yield* justClosed)
    }),
    signOff: Effect.fn("Ledger.signOff")(function* (openings, by) {
      yield* beforeDeciding
      const knownAt = yield* now
      return yield* record(
        openings.map(({ ipcId, amount, certificate }) => ({
          kind: "opening" as const,
          ipcId,
          knownAt,
          units: Amount.toUnits(amount),
          certificate,
          by
        }))
      )
    })
  }
}

const correcting = (given: With): Pick<ByPeople, "post" | "reverse"> => {
  const { beforeDeciding, now, store } = given
  const recorded = recording(given)
  const agreed = agreedBy(given)
  const entryLike = Effect.fnUntraced(function* (start: string) {
    const [found, another] = yield* store.run((db) => Look.entriesLike(db, start))
    if (found === undefined) return yield* refused(`There is no entry ${start}.`)
    if (another !== undefined) return yield* refused(`Several entries begin with ${start}: give more of the id.`)
    return toEntry(found)
  })
  return {
    post: Effect.fn("Ledger.post")(function* (posting) {
      yield* beforeDeciding
      const books = yield* booksOf(store, posting.ipcId)
      return yield* recorded(postingOf(posting, books, yield* agreed, yield* now))
    }),
    reverse: Effect.fn("Ledger.reverse")(function* (start, by) {
      yield* beforeDeciding
      const entry = yield* entryLike(start)
      const books = (yield* booksOf(store, entry.ipc_id)) ?? empty(entry.ipc_id)
      const done = yield* recorded(reversalOf(by, entry, books, yield* agreed, yield* now))
      return done.facts === 0 ? yield* refused("The entry has just been taken back.") : done
    })
  }
}

const closing = ({ beforeDeciding, now, outbox, store, terms }: With): Pick<ByPeople, "changePeriod"> => ({
  changePeriod: Effect.fn("Ledger.changePeriod")(function* (change) {
    yield* beforeDeciding
    const at = yield* now
    const signed = yield* signing
    const posting = yield* outbox?.posting ?? Effect.undefined
    const done = yield* store.transaction(async (tx) => {
      await oneAtATime(tx, "ledger")
      const closed = Periods.changed(change, (await Agreed.newestIn(tx)) ?? terms, at)
      if (typeof closed === "string") return closed
      const next = await Agreed.close(tx, signed(closed), terms)
      const recorded = await NewTerms.askAgain(tx, next, at, posting)
      return { recorded, openFrom: Periods.firstOpenDay(next) }
    })
    if (typeof done === "string") return yield* refused(done)
    if (outbox !== undefined && done.recorded.entries.length > 0) yield* outbox.news.open
    yield* tell(done.recorded)
    return done
  })
})

const comparing = ({ beforeDeciding, now, outbox, store, terms }: With): Pick<ByPeople, "compare" | "takeOver"> => ({
  compare: ({ lines }) => store.run((db) => Comparison.compare(db, lines)),
  takeOver: Effect.fn("Ledger.takeOver")(function* ({ lines }, by) {
    yield* beforeDeciding
    const at = yield* now
    const [signed, who] = [yield* signing, yield* named(by.by)]
    const posting = yield* outbox?.posting ?? Effect.undefined
    const done = yield* store.transaction(async (tx) => {
      await oneAtATime(tx, "ledger")
      const comparison = await Comparison.compare(tx, lines)
      const { different, settles, takesOver } = comparison
      if (different.length > 0) return different.slice(0, mostShown).join(" ")
      // An entry in flight could be cancelled here and still arrive.
      if (takesOver.length > 0 && (await Halt.haltOf(tx)) === undefined) return notPaused
      await Compared.settle(tx, settles, { ...by, by: who, knownAt: at })
      const facts = Comparison.factsOf(comparison, { ...by, at }).map(signed)
      const all = await Books.record(tx, facts, terms, posting)
      await Halt.resume(tx)
      return all
    })
    if (typeof done === "string") return yield* refused(`Nothing was taken over. ${done}`)
    if (outbox !== undefined) yield* Effect.andThen(outbox.news.open, outbox.troubled.open)
    yield* tell(done)
    return done
  })
})

const notPaused =
  "Accounting has entries that the books lack, and sending goes on meanwhile: run `siteledger ledger sink pause` first, " +
  "export again, and compare."

/** The most differences in a message. */
const mostShown = 5
