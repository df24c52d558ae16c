/**
 * What a change of the terms of posting leads to, in the transaction that stores them: IPCs are told what precedes
 * them, what waited because of the old terms is asked again or posted, and certificates are accrued.
 */
import type { Transaction } from "kysely"
import type { Instant } from "../Domain/Instant.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { nothing, record, type Recorded, together } from "./Books.ts"
import * as CertifiedOrder from "./CertifiedOrder.ts"
import type { HoldReason, Terms } from "./Fact.ts"
import type * as Messages from "./Outbox/Messages.ts"

type Tx = Transaction<StoreTables>

/** Other terms may answer these. */
export const endedByTerms: ReadonlyArray<HoldReason> = [
  "period-closed",
  "period-reopened",
  "changed-after-refusal",
  "currency-unknown",
  "previous-amount-unknown",
  "amount-not-positive",
  "amount-too-precise",
  "paid-amount-unclear",
  "over-payment"
]

/**
 * After a change of how certified amounts are interpreted: each IPC whose project is now cumulative is told what
 * precedes it.
 */
export const tellOrder = async (tx: Tx, terms: Terms, at: Instant, posting?: Messages.Posting): Promise<Recorded> => {
  let all = nothing
  for (const project of await CertifiedOrder.projects(tx, terms)) {
    for await (const told of CertifiedOrder.inProject(tx, project)) {
      const facts = told.map((each) => ({ kind: "preceding" as const, knownAt: at, ...each }))
      all = together(all, await record(tx, facts, terms, posting))
    }
  }
  return all
}

/** After a change of terms: what waited because of the old ones is asked again, or posted. */
export const askAgain = async (tx: Tx, terms: Terms, at: Instant, posting?: Messages.Posting): Promise<Recorded> => {
  const waiting = await tx
    .selectFrom("ledger_holds")
    .select("ipc_id")
    .distinct()
    .where("reason", "in", endedByTerms)
    .orderBy("ipc_id")
    .execute()
  const facts = waiting.map((row) => ({ kind: "terms" as const, ipcId: row.ipc_id, knownAt: at }))
  return record(tx, facts, terms, posting)
}

const ipcsAtOnce = 500

/** After a change of what is posted for certificates: applies to each IPC that has any. */
export const accrueAgain = async (tx: Tx, terms: Terms, at: Instant, posting?: Messages.Posting): Promise<Recorded> => {
  let all = nothing
  for (let after = ""; ;) {
    const certified = await tx
      .selectFrom("ledger_facts")
      .select("ipc_id")
      .distinct()
      .where("kind", "in", ["certificate", "looked-up"])
      .where("ipc_id", ">", after)
      .orderBy("ipc_id")
      .limit(ipcsAtOnce)
      .execute()
    const last = certified.at(-1)
    if (last === undefined) return all
    after = last.ipc_id
    const facts = certified.map((row) => ({ kind: "terms" as const, ipcId: row.ipc_id, knownAt: at }))
    all = together(all, await record(tx, facts, terms, posting))
  }
}
