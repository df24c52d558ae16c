/** Projects whose certificates are cumulative, and one whose aren't; and what is posted and asked there. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Certificates } from "../../../config/Certificates.ts"
import type { AppliedEvent } from "../../../src/Ledger/EventFacts.ts"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { contractor } from "../Contractor.ts"
import { certified, holds, journal, verified } from "../Started.ts"

export const as = (certificates: Certificates): Terms => ({ ...contractor, certificates })

/** In project 7 nothing was certified before; in 8 something was; in 9 nobody has said; 10 isn't cumulative. */
export const terms = as({
  standard: "cumulative",
  payable: [],
  byProject: {
    "7": { amounts: null, certifiedBefore: "0.0000", payable: null },
    "8": { amounts: null, certifiedBefore: "1000.0000", payable: null },
    "10": { amounts: "each", certifiedBefore: null, payable: null }
  }
})

export const certifiedOf = (id: string, second: number, received: number, amount: string) =>
  certified(id, second, received, `${amount}.0000`)

export const certifiedIn = (
  project: string,
  id: string,
  second: number,
  received: number,
  amount: string
): AppliedEvent => {
  const event = certifiedOf(id, second, received, amount)
  return { ...event, change: { ...event.change, values: { ...event.change.values, project_id: project } } }
}

export const nets = Effect.map(journal, (entries) => {
  const sums = new Map<string, number>()
  for (const { amount, ipc_id } of entries) sums.set(ipc_id, (sums.get(ipc_id) ?? 0) + Number(amount))
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))
})

export const waiting = Effect.map(holds, (rows) => rows.map(({ ipc_id, reason }) => `${ipc_id} ${reason}`).toSorted())

export const isSound = Effect.map(verified, ({ differences }) => assert.deepStrictEqual(differences, []))
