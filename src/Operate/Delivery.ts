/**
 * One delivery for a person: its headers and body as received, what its record still has from it, and the entries that
 * rest on it. There may be several with one id, if a sender used it for different bodies.
 */
import { Effect } from "effect"
import type { Selectable } from "kysely"
import { unpack } from "../Domain/Body.ts"
import * as Version from "../Domain/Version.ts"
import type { Basis } from "../Ledger/Fact.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { WarehouseTables } from "../Stores/WarehouseTables.ts"
import type { Answer } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"

type Row = Selectable<WarehouseTables["construction.events"]>
type Delivery = Answer<"delivery">["deliveries"][number]

/** In unpacked bytes. A larger body is shown only in the form in which it was signed. */
const mostShown = 32 * 1024 * 1024

const found = (id: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query((db) => {
      const all = db.selectFrom("construction.events").selectAll().orderBy("sequence")
      // Event ids are UUIDs, and are stored in lower case.
      const isSequence = /^\d{1,15}$/.test(id)
      return (isSequence ? all.where("sequence", "=", id) : all.where("event_id", "=", id.toLowerCase())).execute()
    })
  )

export const delivery = Effect.fnUntraced(function* ({ id }: { readonly id: string }) {
  const rows = yield* found(id)
  if (rows.length === 0) return yield* missing(id)
  return { deliveries: yield* Effect.forEach(rows, whole) }
})

const missing = Effect.fnUntraced(function* (id: string) {
  const { count } = yield* (yield* Store).deliveries.waiting
  const waiting = count === 0 ? "" : ` ${count} deliveries wait to be applied: it may be one of them.`
  return yield* new VerbError({
    message:
      `No delivery has the event id or the sequence ${id}.${waiting} \`siteledger events\` shows the sequences, and ` +
      "with `--json` the event ids."
  })
})

const whole = Effect.fnUntraced(function* (row: Row) {
  const { deliveries } = yield* Store
  const sequence = Number(row.sequence)
  const [event] = yield* deliveries.read([sequence])
  return {
    sequence,
    event_id: row.event_id,
    event_type: row.event_type,
    event_timestamp: row.event_timestamp,
    received_at: row.received_at,
    entity: row.entity,
    entity_id: row.entity_id,
    outcome: row.outcome,
    reason: row.reason,
    alarms: JSON.parse(String(row.alarms)) as ReadonlyArray<string>,
    issued_at: row.issued_at,
    deliveries: Number(row.deliveries),
    body_sha256: row.body_sha256,
    headers: pairs(yield* deliveries.headers(sequence)),
    body: event === undefined ? null : textOf(event.body),
    bodyBase64: event === undefined ? null : Buffer.from(event.body).toString("base64"),
    columns: yield* columnsBy(row),
    entries: yield* entriesOn(row)
  } satisfies Delivery
})

export const pairs = (headers: ReadonlyArray<string>): Delivery["headers"] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: headers[at + 1] ?? "" }] : []))

const textOf = (body: Uint8Array): string | null => {
  const plain = unpack(body, mostShown)
  if (plain === "too-large") return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(plain)
  } catch {
    return null
  }
}

/** From the clocks of the record, which end with the body's hash. */
const columnsBy = Effect.fnUntraced(function* ({ body_sha256, entity, entity_id }: Row) {
  if (entity === null || entity_id === null) return []
  const warehouse = yield* Warehouse
  const { key } = yield* warehouse.table(entity)
  const [record] = yield* warehouse.query((db) =>
    db
      .selectFrom(`construction.${entity}` as "construction.ipcs")
      .select("_clocks")
      .where(key as "id", "=", entity_id)
      .execute()
  )
  const clocks = JSON.parse(String(record?._clocks ?? "{}")) as Readonly<Record<string, Version.Version>>
  return Object.keys(clocks).filter((name) => !name.startsWith("_") && Version.isOf(clocks[name]!, body_sha256))
})

const entriesOn = ({ entity, entity_id, event_id }: Row) =>
  entity !== "ipcs" || entity_id === null
    ? Effect.succeed([])
    : Effect.flatMap(Store, (store) =>
        store.run(async (db) => {
          const rows = await db
            .selectFrom("ledger_entries")
            .select(["entry_id", "kind", "amount", "currency", "payment_reference", "basis"])
            .where("ipc_id", "=", entity_id)
            .orderBy("sequence")
            .execute()
          return rows
            .filter(({ basis }) => (JSON.parse(basis) as Basis).some(({ eventId }) => eventId === event_id))
            .map(({ basis: _basis, ...entry }) => entry)
        })
      )
