/**
 * Reports what was recorded in the books to the log, and to the traces of the events behind it. Run it once others can
 * see the result.
 */
import { Clock, Effect } from "effect"
import * as Amount from "../Domain/Amount.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Trace from "../Runtime/Trace.ts"
import type { Recorded } from "./Books.ts"
import type { Basis, Entry } from "./Fact.ts"

const amountOf = (units: bigint | null): string | null => (units === null ? null : (Amount.ofUnits(units) ?? null))

/** The newest event behind it. */
const eventOf = (basis: Basis): string | null => {
  const events = basis.filter(({ eventId }) => typeof eventId === "string")
  const newest = events.toSorted((a, b) => Number(a["number"]) - Number(b["number"])).at(-1)
  return newest === undefined ? null : String(newest["eventId"])
}

/** When they began to be recorded. */
export interface Begun {
  readonly begunMs: number
  readonly steps: Trace.Steps | undefined
}

const trace = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>, { begunMs, steps }: Begun) {
  const endMs = yield* Clock.currentTimeMillis
  for (const { entry_id: entry, event_id: eventId, ipc_id: ipc, kind } of entries) {
    if (eventId === null) continue
    const attributes = { entry, ipc, kind }
    steps?.add({ name: "ledger.post", eventId, startMs: begunMs, endMs, kind: "internal", attributes })
  }
})

export const tell = Effect.fnUntraced(function* ({ closed, entries, opened }: Recorded, begun?: Begun) {
  if (begun?.steps !== undefined) yield* trace(entries, begun)
  for (const each of opened) {
    const { basis, currency, hold_id: hold, ipc_id: ipc, payment_reference: reference, reason: why, units } = each
    const opening = LogLine.write("hold.opened", { hold, ipc, why, reference, amount: amountOf(units), currency })
    yield* Trace.within(eventOf(basis), opening)
  }
  for (const { decided_by: by, hold_id: hold, ipc_id: ipc, principal, reason: why, verdict } of closed) {
    yield* LogLine.write("hold.decided", { hold, ipc, why, verdict, by, principal })
  }
  if (!(yield* LogLine.isDetailed)) return
  for (const {
    currency,
    entry_id: entry,
    event_id,
    ipc_id: ipc,
    kind,
    payment_reference: reference,
    units
  } of entries) {
    const posted = LogLine.write("entry.posted", { entry, ipc, kind, reference, amount: amountOf(units), currency })
    yield* Trace.within(event_id, posted)
  }
})
