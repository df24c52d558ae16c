/**
 * The books for a person: the journal, the open holds, a single entry or hold with its events, an IPC with everything.
 */
import { Effect } from "effect"
import { type Kysely, sql } from "kysely"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { newestIn } from "./Agreed.ts"
import { balanceOf, unknown } from "./Balance.ts"
import { empty } from "./Fold/Known.ts"
import { LedgerError } from "./People/Decide.ts"
import * as StoredBooks from "./StoredBooks.ts"
import type { Basis } from "./Fact.ts"
import * as Lines from "./Lines.ts"
import { asked, holds } from "./Look/Holds.ts"
import { toFact } from "./Rows.ts"
import * as LookUps from "../Stores/LookUps.ts"

/** Newest first. */
export const journal = (limit: number, ipcId: string | undefined) =>
  Effect.flatMap(Store, (store) =>
    store.run((db) => {
      const all = db.selectFrom("ledger_entries").selectAll().orderBy("sequence", "desc").limit(limit)
      return (ipcId === undefined ? all : all.where("ipc_id", "=", ipcId)).execute()
    })
  )

/** How many entries there are in total, regardless of any limit. */
export const count = (ipcId: string | undefined) =>
  Effect.flatMap(Store, (store) =>
    store.run(async (db) => {
      const all = db.selectFrom("ledger_entries").select((of) => of.fn.countAll<number>().as("total"))
      const { total } = await (ipcId === undefined ? all : all.where("ipc_id", "=", ipcId)).executeTakeFirstOrThrow()
      return Number(total)
    })
  )

/** At most two entries whose id begins with `start`. */
export const entriesLike = (db: Kysely<StoreTables>, start: string) =>
  db.selectFrom("ledger_entries").selectAll().where(startsWith("entry_id", start)).limit(2).execute()

/** At most two open holds whose id begins with `start`. */
export const holdsLike = (db: Kysely<StoreTables>, start: string) =>
  db
    .selectFrom("ledger_holds")
    .select(["hold_id", "ipc_id", "payment_reference", "reason", "basis"])
    .where(startsWith("hold_id", start))
    .limit(2)
    .execute()

export type HoldLike = Awaited<ReturnType<typeof holdsLike>>[number]

/** Sorts after all texts that begin like this, in the byte order that ids have on both engines. */
const last = "\u{10ffff}"

/** As a range, which can use an index: comparing the beginnings of 20,000 entries took 280 ms. */
const startsWith = (column: string, start: string) =>
  sql<boolean>`(${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${start + last})`

type EntryRow = StoreTables["ledger_entries"]

/** Includes the lines of an entry with two, which its columns imply. */
const withLines = (row: EntryRow) => ({ ...row, lines: Lines.inOrder(Lines.inRow(row)).map(Lines.sidesOf) })

/** An entry or a hold, by its id or the beginning of it, with its lines and the signed events behind it. */
export const one = Effect.fn("Ledger.show")(function* (id: string) {
  if (id === "") return yield* new LedgerError({ message: "Give the id of an entry or a hold, or its beginning." })
  const store = yield* Store
  const [entries, open] = yield* Effect.all([
    store.run((db) => db.selectFrom("ledger_entries").selectAll().where(startsWith("entry_id", id)).limit(2).execute()),
    store.run((db) => db.selectFrom("ledger_holds").selectAll().where(startsWith("hold_id", id)).limit(2).execute())
  ])
  const findings = yield* store.run((db) =>
    LookUps.findings(
      db,
      open.map((row) => row.ipc_id)
    )
  )
  const [found, another] = [...entries.map(withLines), ...open.map((row) => asked(row, findings))]
  if (found === undefined) return yield* new LedgerError({ message: `There is no entry and no open hold ${id}.` })
  if (another !== undefined)
    return yield* new LedgerError({ message: `Several ids begin with ${id}: give more characters.` })
  const basis = eachOnce(JSON.parse(found.basis) as Basis)
  const eventIds = basis.flatMap(({ eventId }) => (typeof eventId === "string" ? [eventId] : []))
  const events = yield* eventsOf(eventIds)
  if (!("entry_id" in found)) return { ...found, basis, events }
  return { ...found, basis, delivery: yield* store.run((db) => deliveryOf(db, found)), events }
})

/**
 * The subject of a question may also be among the facts behind it. Stored bases are part of the chain and stay as they
 * are.
 */
const eachOnce = (basis: Basis): Basis => [...new Map(basis.map((fact) => [JSON.stringify(fact), fact])).values()]

/** How the entry goes to the accounting system, and who released it if it was a draft; null if it was never queued. */
const deliveryOf = async (
  db: Kysely<StoreTables>,
  { entry_id, ipc_id }: Pick<StoreTables["ledger_entries"], "entry_id" | "ipc_id">
) => {
  const queued = await db
    .selectFrom("ledger_outbox")
    .select(["status", "state", "queued_at", "delivered_at", "last_error"])
    .where("entry_id", "=", entry_id)
    .executeTakeFirst()
  if (queued === undefined) return null
  const facts = db.selectFrom("ledger_facts").selectAll().where("ipc_id", "=", ipc_id).where("kind", "=", "release")
  const release = (await facts.execute())
    .map(toFact)
    .find((fact) => fact.kind === "release" && fact.entryId === entry_id)
  const released =
    release?.kind === "release" ? { by: release.by, reason: release.reason, known_at: release.knownAt } : null
  return { ...queued, released }
}

const eventsOf = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    ids.length === 0
      ? Effect.succeed([])
      : warehouse.query(async (db) => {
          // Finds their positions first: searching for ids, DuckDB would read all bodies as well.
          const found = await db
            .selectFrom("construction.events")
            .select("sequence")
            .where("event_id", "in", ids)
            .execute()
          if (found.length === 0) return []
          return db
            .selectFrom("construction.events")
            .select(["event_id", "event_type", "event_timestamp", "received_at", "body_sha256", "alarms", "payload"])
            .where(
              "sequence",
              "in",
              found.map(({ sequence }) => sequence)
            )
            .orderBy("sequence")
            .execute()
        })
  )

/** No limit. */
export const allOfThem = Number.MAX_SAFE_INTEGER

/**
 * Everything known about an IPC: its row with its clocks, deliveries, facts, entries, holds, decisions, and what is
 * open.
 */
export const explain = Effect.fn("Ledger.explain")(function* (ipcId: string) {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const row = yield* warehouse.query((db) =>
    db.selectFrom("construction.ipcs").selectAll().where("id", "=", ipcId).executeTakeFirst()
  )
  const events = yield* warehouse.query((db) =>
    db
      .selectFrom("construction.events")
      .selectAll()
      .where("entity", "=", "ipcs")
      .where("entity_id", "=", ipcId)
      .orderBy("sequence")
      .execute()
  )
  const of = {
    facts: "ledger_facts",
    entries: "ledger_entries",
    decisions: "ledger_hold_decisions"
  } as const
  const books = yield* Effect.all({
    facts: store.run((db) =>
      db.selectFrom(of.facts).selectAll().where("ipc_id", "=", ipcId).orderBy("number").execute()
    ),
    entries: store.run((db) =>
      db.selectFrom(of.entries).selectAll().where("ipc_id", "=", ipcId).orderBy("sequence").execute()
    ),
    holds: holds({ limit: allOfThem, ipc: ipcId }),
    decisions: store.run((db) =>
      db.selectFrom(of.decisions).selectAll().where("ipc_id", "=", ipcId).orderBy("number").execute()
    )
  })
  if (row === undefined && events.length === 0 && books.facts.length === 0) {
    return yield* new LedgerError({ message: `No IPC ${ipcId} is known.` })
  }
  const known = (yield* store.run((db) => StoredBooks.read(db, [ipcId]))).get(ipcId) ?? empty(ipcId)
  const terms = yield* store.run(newestIn)
  const balance = terms === undefined ? unknown : balanceOf(known, terms)
  return { ipc: ipcId, row: row ?? null, events, ...books, balance }
})
