/**
 * What was recorded in the books, told to the log: to be run once others can see it.
 */
import { Effect } from "effect"
import * as Amount from "../Domain/Amount.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import type { Recorded } from "./Books.ts"

const amountOf = (units: bigint | null): string | null => (units === null ? null : (Amount.ofUnits(units) ?? null))

export const tell = Effect.fnUntraced(function* ({ closed, entries, opened }: Recorded) {
  for (const each of opened) {
    const { currency, hold_id: hold, ipc_id: ipc, payment_reference: reference, reason: why, units } = each
    yield* LogLine.write("hold.opened", { hold, ipc, why, reference, amount: amountOf(units), currency })
  }
  for (const { decided_by: by, hold_id: hold, ipc_id: ipc, reason: why, verdict } of closed) {
    yield* LogLine.write("hold.decided", { hold, ipc, why, verdict, by })
  }
  if (!(yield* LogLine.isDetailed)) return
  for (const { currency, entry_id: entry, ipc_id: ipc, kind, payment_reference: reference, units } of entries) {
    yield* LogLine.write("entry.posted", { entry, ipc, kind, reference, amount: amountOf(units), currency })
  }
})
