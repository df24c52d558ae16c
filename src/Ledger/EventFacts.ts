/**
 * What an applied event says to the ledger: nothing, or facts about one IPC. Read from the event's own fields, and
 * never from the row that they were merged into.
 */
import * as Amount from "../Domain/Amount.ts"
import type { Change } from "../Domain/Change.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { NewFact } from "./Books.ts"

/** An applied event, as the ledger hears of it. */
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
    payment_reference: reference,
    project_id: projectId
  } = change.values
  const common = { ipcId: change.id, knownAt: receivedAt, eventId }
  const said: Array<NewFact> = []
  if (projectId != null) said.push({ ...common, kind: "project", projectId })
  // The stage that the event is about; a whole record may repeat what earlier stages said, with its own time.
  if (change.values["certified_at"] != null && amount != null) {
    said.push({ ...common, kind: "certificate", at, units: Amount.toUnits(amount), url: url ?? null })
  }
  if (change.values["paid_at"] != null && reference != null) said.push({ ...common, kind: "payment", at, reference })
  return said
}
