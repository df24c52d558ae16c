/** Changes and events to write into a warehouse. */
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import type { Row } from "../../src/Domain/Merge.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { Store } from "../../src/Stores/Store.ts"
import { delivery } from "./Postgres/World.ts"
import type { EventRow } from "../../src/Stores/WarehouseTables.ts"

const start = Date.UTC(2026, 10, 20) * 1000

export const certified = (id: string, second: number, amount: string): Change => {
  const at = Instant.fromMicros(start + second * 1_000_000 + 1)
  return {
    entity: "ipcs",
    id,
    version: Version.make(start + second * 1_000_000 + 1, 3, String(second).padStart(64, "0")),
    source: "event",
    seenAt: at,
    values: {
      certified_amount: amount,
      certificate_url: `https://c/${id}`,
      certified_at: at,
      project_id: "9007199254740993"
    },
    misfits: {},
    extra: { note: '"Ñandú 1.10"' }
  }
}

export const eventRow = (sequence: number, payload: string | null): EventRow => ({
  body_sha256: String(sequence).padStart(64, "0"),
  sequence: String(sequence),
  event_id: "e",
  event_type: "ipc.certified",
  event_timestamp: null,
  entity: null,
  entity_id: null,
  payload,
  issued_at: null,
  received_at: Instant.fromMicros(start),
  deliveries: "1",
  outcome: "applied",
  reason: null,
  alarms: "[]"
})

export const entryRow = (number: number): Row => ({
  entry_id: `entry-${number}`,
  sequence: String(number),
  ipc_id: `I${number}`,
  kind: "payment",
  amount: "1.0000",
  debit_account: "a",
  credit_account: "b",
  effective_at: Instant.fromMicros(start),
  known_at: Instant.fromMicros(start),
  basis: "[]"
})

export const decisionRow = (number: number): Row => ({
  hold_id: `hold-${number}`,
  ipc_id: `I${number}`,
  payment_reference: "PAY",
  reason: "no-certificate",
  since: Instant.fromMicros(start),
  verdict: "answered",
  decided_at: Instant.fromMicros(start),
  number: String(number)
})

export const holdRow = (number: number, ipcId: string): Row => ({
  hold_id: `hold-${number}`,
  ipc_id: ipcId,
  payment_reference: "PAY",
  reason: "no-certificate",
  since: Instant.fromMicros(start),
  basis: "[]"
})

/** Puts deliveries into the Store, up to this sequence. */
export const taken = (sequence: number) =>
  Effect.gen(function* () {
    const { deliveries } = yield* Store
    for (let last = yield* deliveries.last; last < sequence; last++) {
      yield* Effect.promise(() => deliveries.receive([delivery(`body ${last + 1}`)]))
    }
  })
