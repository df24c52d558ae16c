/**
 * A person releases drafts that were never sent, so that they go to the accounting system as posted.
 *
 * Each release is a fact under the person's name and principal, so the chain covers it and it is never forgotten. The
 * fact is recorded in the transaction that changes the outbox. If the process dies in the middle of many, the earlier
 * ones stay released.
 */
import { Effect } from "effect"
import type { Instant } from "../../Domain/Instant.ts"
import { signing } from "../../Runtime/Principal.ts"
import { oneAtATime } from "../../Stores/Sql.ts"
import type { Store, StoreError } from "../../Stores/Store.ts"
import * as Books from "../Books.ts"
import type { Terms } from "../Fact.ts"
import * as Drafts from "../Outbox/Drafts.ts"
import type { Outbox } from "../Outbox.ts"
import { LedgerError } from "./Decide.ts"

export interface Released {
  readonly released: number
  /** About drafts that accounting may already have; null if there are none. */
  readonly others: string | null
}

interface With {
  readonly store: Store["Service"]
  readonly terms: Terms
  readonly outbox: Outbox["Service"] | undefined
  readonly now: Effect.Effect<Instant>
}

interface Signed {
  readonly by: string
  readonly reason: string
}

/** Per transaction. */
const draftsAtOnce = 500

const some = Effect.fnUntraced(function* ({ now, store, terms }: With, entry: string | undefined, by: Signed) {
  const knownAt = yield* now
  const signed = yield* signing
  return yield* store.transaction(async (tx) => {
    await oneAtATime(tx, "ledger")
    const drafts = await Drafts.releasable(tx, entry, draftsAtOnce)
    if (typeof drafts === "string") return drafts
    const ids = drafts.map(({ entry_id }) => entry_id)
    const facts = drafts.map(({ entry_id: entryId, ipc_id: ipcId }) =>
      signed({ kind: "release" as const, ipcId, knownAt, entryId, by: by.by, reason: by.reason })
    )
    await Books.record(tx, facts, terms)
    await Drafts.release(tx, ids, knownAt)
    return ids.length
  })
})

/** One draft, by its entry's id or the beginning of that; undefined for all of them. */
export const releasing = (given: With) =>
  Effect.fn("Ledger.release")(function* (
    entry: string | undefined,
    signed: Signed
  ): Effect.fn.Return<Released, LedgerError | StoreError> {
    if (signed.by.trim() === "" || signed.reason.trim() === "") {
      return yield* new LedgerError({ message: "Say who releases it (--by) and why (--reason)." })
    }
    let released = 0
    for (let last = draftsAtOnce; last === draftsAtOnce; released += last) {
      const done = yield* some(given, entry, signed)
      if (typeof done === "string") return yield* new LedgerError({ message: done })
      last = done
    }
    const { outbox, store } = given
    if (outbox !== undefined) yield* Effect.andThen(outbox.news.open, outbox.troubled.open)
    return { released, others: entry === undefined ? yield* store.run(Drafts.others) : null }
  })
