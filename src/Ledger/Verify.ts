/**
 * Compares the books with what follows from them. `refolded`: all facts are folded again, and every entry to the byte and in
 * its order, every open hold and how each other hold was closed must be the same. `joined`: all numbers, the chain, what was
 * queued for the accounting system, and the answers that facts of look-ups rest on. A hundred IPCs, or some hundred rows, at
 * a time, so memory doesn't grow with the books.
 */
import { Effect } from "effect"
import type { Reader } from "../Stores/Store.ts"
import { asOfNow } from "../Stores/Sql.ts"
import { broken } from "../Stores/Erasures.ts"
import * as Agreed from "./Agreed.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import type { Fact } from "./Fact.ts"
import * as StoredBooks from "./StoredBooks.ts"
import { chained, type Head } from "./Verify/Chained.ts"
import { evidenced } from "./Verify/Evidence.ts"
import { folded } from "./Verify/Folded.ts"
import { numbered } from "./Verify/Numbers.ts"
import { places, strangers } from "./Verify/Order.ts"
import { queued } from "./Verify/Queued.ts"

/** What is wrong, in words: the first hundred. */
type Differences = ReadonlyArray<string>

export interface Refolded {
  readonly ipcs: number
  readonly facts: number
  readonly entries: number
  readonly holds: number
  readonly differences: Differences
}

export interface Joined {
  /** Of the chain: kept elsewhere, it can be given to a later verify. */
  readonly head: string | null
  /** The books aren't those of `since`; undefined: they are, or it wasn't given. */
  readonly others: string | undefined
  readonly differences: Differences
}

export type Verified = Refolded & Joined

/** For who compares the facts with something else: all of them, in the order of an IPC. */
type OnFacts = (facts: ReadonlyArray<Fact>) => void

export interface VerifyOptions {
  /** What someone has kept of the books as they were. */
  readonly since?: Head | undefined
}

export const mostDifferences = 100

/**
 * Young objects are copied for as long as they live: of a few IPCs, most are dead before the first time. With 250, a fifth of all
 * processor time went into collecting what had become old meanwhile.
 */
const ipcsAtOnce = 100

const first = (all: Differences): Differences => all.slice(0, mostDifferences)

/** Of both parts. */
export const whole = (books: Refolded, between: Joined): Verified => ({
  ...books,
  ...between,
  differences: first([...books.differences, ...between.differences])
})

/** The books of each IPC for itself. */
export const refolded = Effect.fn("Ledger.refolded")(function* (store: Reader, onFacts?: OnFacts) {
  const terms = yield* store.run(Agreed.agreed)
  const newest = terms.at(-1)?.terms
  const total = { ipcs: 0, facts: 0, entries: 0, holds: 0 }
  const differences: Array<string> = []
  yield* StoredBooks.eachIpc(
    store,
    (ids) =>
      Effect.map(
        // Events keep coming meanwhile.
        store.transaction(async (tx) => {
          await asOfNow(tx)
          return { kept: await StoredBooks.whole(tx, ids), standing: await CertifiedOrder.standing(tx, ids) }
        }),
        ({ kept, standing }) => {
          const made = kept.map((each) => folded(each, terms))
          const ordered =
            standing === undefined
              ? []
              : places(
                  made.map(({ books }) => books),
                  standing,
                  newest
                )
          const found = [...made.flatMap((each) => each.differences), ...ordered]
          differences.push(...found.slice(0, mostDifferences - differences.length))
          for (const { entries, facts, holds } of kept) {
            onFacts?.(facts)
            total.ipcs++
            total.facts += facts.length
            total.entries += entries.length
            total.holds += holds.length
          }
        }
      ),
    ipcsAtOnce
  )
  return { ...total, differences } satisfies Refolded
})

/** What goes across IPCs. */
export const joined = Effect.fn("Ledger.joined")(function* (store: Reader, since?: Head) {
  const strange = yield* store.run((db) => strangers(db, mostDifferences))
  const numbers = yield* store.run((db) => numbered(db, mostDifferences))
  const outbox = yield* store.run((db) => queued(db, mostDifferences))
  const evidence = yield* store.run((db) => evidenced(db, mostDifferences))
  const tombstones = yield* store.run((db) => broken(db, mostDifferences))
  const { differences, head, others } = yield* store.run((db) => chained(db, since, mostDifferences))
  const all = [...strange, ...numbers, ...outbox, ...evidence, ...tombstones, ...differences]
  return { head, others, differences: first(all) } satisfies Joined
})

export const verify = Effect.fn("Ledger.verify")(function* (store: Reader, { since }: VerifyOptions = {}) {
  return whole(yield* refolded(store), yield* joined(store, since))
})
