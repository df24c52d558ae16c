/**
 * The facts in an applied event: none, or several about one IPC. They are read from the event's own fields, never from
 * the row into which they were merged.
 */
import * as Amount from "../Domain/Amount.ts"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { NewFact } from "./Books.ts"

/** An applied event, as the ledger gets it. */
export interface AppliedEvent {
  readonly eventId: string
  readonly at: Instant
  readonly receivedAt: Instant
  readonly change: Change
}

export const factsOf = ({ at, change, eventId, receivedAt }: AppliedEvent): ReadonlyArray<NewFact> => {
  if (change.entity !== "ipcs") return []
  const {
    certified_amount: amount,
    certificate_url: url,
    paid_amount: paid,
    payment_reference: reference,
    project_id: projectId
  } = change.values
  const common = { ipcId: change.id, knownAt: receivedAt, eventId }
  const facts: Array<NewFact> = []
  if (projectId != null) facts.push({ ...common, kind: "project", projectId, version: change.version })
  // Only the event's own stage counts: a whole record may repeat values of earlier stages under its own time.
  if (change.values["certified_at"] != null && amount != null) {
    facts.push({ ...common, kind: "certificate", at, units: Amount.toUnits(amount), url: url ?? null })
  }
  if (change.values["paid_at"] != null && reference != null) {
    const units = paid == null ? {} : { units: Amount.toUnits(paid) }
    facts.push({ ...common, kind: "payment", at, reference, ...units })
  }
  return facts
}
