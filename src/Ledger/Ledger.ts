/**
 * The Ledger posts every payment once, balanced, with the amount of its certificate, and asks a person if that isn't
 * known. Its input consists of facts in stored order (`Ledger/Fact`), never of merged rows.
 *
 * Facts, entries and holds are written in one Store transaction, committed before the rows of the same events, so an
 * entry is on disk within the batch that brought its event. The warehouse's tables are copies, written with the batch's
 * rows and compared with the books at every start. If the process dies in between, the books are right and the copies
 * are one step behind.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Transaction } from "kysely"
import { Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Books from "./Books.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import * as LookedUp from "./LookedUp.ts"
import type * as Messages from "./Outbox/Messages.ts"
import { LedgerError } from "./People/Decide.ts"
import { firstOpenDay } from "./People/Periods.ts"
import { factsOf, type AppliedEvent } from "./EventFacts.ts"
import { type Verified, verify } from "./Verify.ts"
import type { Terms } from "./Fact.ts"
import { agree, agreeIn, difference, newestIn, newestTerms } from "./Agreed.ts"
import * as NewTerms from "./NewTerms.ts"
import { Outbox } from "./Outbox.ts"
import * as StoredBooks from "./StoredBooks.ts"
import { type ByPeople, byPeople } from "./People.ts"
import * as Trace from "../Runtime/Trace.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import { Posted } from "./Posted.ts"
import { tell } from "./Told.ts"

export interface LedgerStatus {
  readonly entries: number
  readonly holds: number
  /** The hold that has waited longest. */
  readonly oldestHold: {
    readonly reason: string
    readonly since: string
    readonly ipcId: string
    /** Null if not known. */
    readonly amount: string | null
    readonly currency: string | null
  } | null
  /** The first day of the open period, in the books' time zone; null if nothing is closed. */
  readonly openFrom: string | null
  /** From received to posted, in milliseconds, over the last thousand entries that an event caused. */
  readonly postedMs: { readonly p50: number | null; readonly p99: number | null }
}

const make = (
  terms: Terms,
  outbox: Outbox["Service"] | undefined,
  { beforeDeciding, beforeRecording }: Guards = { beforeDeciding: Effect.void, beforeRecording: Effect.void }
) =>
  Effect.gen(function* () {
    const store = yield* Store
    const posted = new Posted()
    const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)

    const steps = yield* Trace.steps
    const within = Effect.fnUntraced(function* (body: Body) {
      const begunMs = yield* Clock.currentTimeMillis
      yield* beforeRecording
      const posting = yield* outbox?.posting ?? Effect.undefined
      const recorded = yield* store.transaction((tx) => body(tx, posting))
      if (outbox !== undefined && recorded.entries.length > 0) yield* store.afterCommit(outbox.news.open)
      yield* store.afterCommit(tell(recorded, { begunMs, steps }))
      return recorded
    })
    const record = (facts: ReadonlyArray<Books.NewFact>) =>
      within((tx, posting) => Books.record(tx, facts, terms, posting))

    const hear = Effect.fnUntraced(function* (events: ReadonlyArray<AppliedEvent>) {
      const facts = events.flatMap(factsOf)
      if (facts.length === 0) return
      const { entries } = yield* record(facts)
      yield* store.afterCommit(posted.measure(entries))
    })

    return Ledger.of({
      hear,
      lookedUp: (answer) => Effect.asVoid(within((tx, posting) => LookedUp.record(tx, answer, terms, posting))),
      ...byPeople({ store, terms, outbox, record, now, beforeDeciding }),
      verify: verify(store),
      status: Effect.gen(function* () {
        const totals = yield* StoredBooks.totals(store)
        const openFrom = firstOpenDay((yield* store.run(newestIn)) ?? terms)
        return { ...totals, openFrom, postedMs: yield* posted.ms }
      })
    })
  })

export class Ledger extends Context.Service<
  Ledger,
  ByPeople & {
    /** Records the facts of applied events, in stored order; their entries are on disk when it returns. */
    readonly hear: (events: ReadonlyArray<AppliedEvent>) => Effect.Effect<void, StoreError>
    /**
     * Records what a look-up found for a payment that waits for its certificate, or notes why the answer doesn't settle
     * the payment.
     */
    readonly lookedUp: (answer: LookedUp.LookedUp) => Effect.Effect<void, StoreError>
    readonly verify: Effect.Effect<Verified, StoreError>
    readonly status: Effect.Effect<LedgerStatus, StoreError>
  }
>()("siteledger/Ledger") {
  /** Includes the outbox, which the ledger fills. */
  static readonly layer: Layer.Layer<Ledger | Outbox, StoreError, Settings | Store> = Layer.unwrap(
    Effect.zipWith(Settings, Outbox, ({ ledger }, outbox) => Ledger.layerWith(ledger, outbox))
  ).pipe(Layer.provideMerge(Outbox.layer))

  /**
   * For a verb without a worker: posts by the newest worker's terms, not by the shell's, and leaves these terms as they
   * are.
   */
  static readonly layerAlone: Layer.Layer<Ledger | Outbox, StoreError, Settings | Store> = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { ledger: terms } = yield* Settings
      const store = yield* Store
      const agreed = yield* newestTerms(store)
      const differs = agreed === undefined ? "" : difference(agreed, terms)
      return yield* make(agreed ?? terms, yield* Outbox, {
        // If no worker has started yet, these become the first terms.
        beforeRecording: agreed === undefined ? agree(store, terms) : Effect.void,
        beforeDeciding: differs === "" ? Effect.void : otherTerms(differs)
      })
    })
  ).pipe(Layer.provideMerge(Outbox.layerAlone))

  /** Without an outbox, entries aren't sent. */
  static readonly layerWith = (terms: Terms, outbox?: Outbox["Service"]): Layer.Layer<Ledger, StoreError, Store> =>
    Layer.effect(
      Ledger,
      Effect.gen(function* () {
        yield* begin(terms, outbox)
        return yield* make(terms, outbox)
      })
    )
}

/**
 * Other terms may end what holds waited for. These are asked again, or posted, in the transaction that stores the
 * terms.
 */
const begin = Effect.fnUntraced(function* (terms: Terms, outbox: Outbox["Service"] | undefined) {
  const store = yield* Store
  // Refuses books that a newer program wrote.
  yield* newestTerms(store)
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const posting = yield* outbox?.posting ?? Effect.undefined
  const recorded = yield* store.transaction(async (tx) => {
    await oneAtATime(tx, "ledger")
    const before = await agreeIn(tx, terms)
    await CertifiedOrder.ensure(tx)
    if (before === undefined || difference(before, terms) === "") return undefined
    const steps = [
      ...(differsIn(before, terms, "certificates") ? [NewTerms.tellOrder] : []),
      NewTerms.askAgain,
      ...(differsIn(before, terms, "accrual") ? [NewTerms.accrueAgain] : [])
    ]
    let recorded = Books.nothing
    for (const step of steps) recorded = Books.together(recorded, await step(tx, terms, at, posting))
    return recorded
  })
  if (recorded === undefined || recorded.facts === 0) return
  const { closed, entries, opened } = recorded
  yield* tell(recorded)
  yield* LogLine.write("terms.changed", { closed: closed.length, opened: opened.length, posted: entries.length })
})

const differsIn = (before: Terms, terms: Terms, name: "accrual" | "certificates"): boolean =>
  JSON.stringify(before[name]) !== JSON.stringify(terms[name])

type Body = (tx: Transaction<StoreTables>, posting: Messages.Posting | undefined) => Promise<Books.Recorded>

interface Guards {
  readonly beforeRecording: Effect.Effect<void, StoreError>
  /** A person must not decide under terms other than those shown to them. */
  readonly beforeDeciding: Effect.Effect<void, LedgerError>
}

const otherTerms = (differs: string) =>
  Effect.fail(
    new LedgerError({
      message:
        `The settings here are not the worker's (they differ in ${differs}): give this command the worker's ` +
        "SITELEDGER_LEDGER_* settings, or run it while the worker is running."
    })
  )
