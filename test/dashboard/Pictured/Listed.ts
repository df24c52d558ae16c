/** What the books list on that afternoon: entries, what waits for a person, and what accounting has refused. */
import { createHash } from "node:crypto"
import { before, days } from "./Day.ts"
import { hold } from "./Held.ts"

const hour = 3600
const idOf = (of: string): string => createHash("sha256").update(of).digest("hex").slice(0, 32)

const [costs, bank, retention] = ["construction-in-progress", "bank", "retention"]

const posted: ReadonlyArray<readonly [ipc: string, kind: string, amount: string, currency: string, ago: number]> = [
  ["IPC-2291", "payment", "128400.0000", "EUR", 4],
  ["IPC-2288", "payment", "96120.5000", "EUR", 21],
  ["IPC-2274", "payment", "41980.0000", "GBP", 42],
  ["IPC-2281", "payment", "310755.2500", "EUR", 63],
  ["IPC-2259", "adjustment", "-2400.0000", "EUR", 0.7 * hour],
  ["IPC-2270", "payment", "77031.9900", "EUR", 0.9 * hour],
  ["IPC-2266", "payment", "18250.0000", "GBP", 1.2 * hour],
  ["IPC-2249", "reversal", "-65200.0000", "EUR", 1.6 * hour],
  ["IPC-2268", "payment", "502118.4000", "EUR", 2.1 * hour],
  ["IPC-2262", "payment", "9875.7500", "EUR", 2.4 * hour]
]

const total = 31_847

const entries = posted.map(([ipc, kind, amount, currency, ago], at) => ({
  entry_id: idOf(`${ipc} ${kind}`),
  sequence: total - at,
  ipc_id: ipc,
  project_id: "4711",
  kind,
  amount,
  currency,
  payment_reference: `PAY-${88_401 - at * 7}`,
  certificate_url: null,
  debit_account: costs,
  credit_account: at % 4 === 3 ? retention : bank,
  effective_at: before(ago + 1.4),
  known_at: before(ago - 0.07),
  posting_date: "2026-11-26",
  reverses: null
}))

const asked: ReadonlyArray<readonly [ipc: string, reason: string, amount: string | null, ago: number]> = [
  ["IPC-2107", "second-payment-reference", "54300.0000", days(2) + 2 * hour]
]

const holds = [
  ...asked.map(([ipc, reason, amount, ago]) => ({
    ...hold,
    hold_id: idOf(`${ipc} ${reason}`),
    ipc_id: ipc,
    reason,
    since: before(ago),
    amount,
    payment_reference: `PAY-${ipc.slice(4)}1`
  })),
  hold
]

export const answers = {
  "ledger-list": () => ({ total, rows: entries }),
  "ledger-holds": () => ({ total: holds.length, rows: holds }),
  "sink-dead": () =>
    [
      [entries[2], "The tax code GB20 doesn't exist in company 0100.", 3],
      [entries[6], "The tax code GB20 doesn't exist in company 0100.", 0]
    ].map(([entry, reason, behind]) => {
      const { entry_id, ipc_id, known_at, sequence } = entry as (typeof entries)[number]
      return { sequence, entry_id, ipc_id, queued_at: known_at, waiting_behind: behind, reason }
    })
}
