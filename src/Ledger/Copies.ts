/**
 * What the warehouse has of the books: entries and decisions up to a number, and the open holds as of some moment.
 * At the start the warehouse itself says how far it is; one that isn't a prefix of the books gets them all again.
 */
import { Effect, Semaphore } from "effect"
import { sql } from "kysely"
import type { Row } from "../Merge.ts"
import type { Store, StoreError } from "../Store.ts"
import { type LedgerCopy, Warehouse, type WarehouseError } from "../Warehouse.ts"

export interface Copies {
  /** Runs a write that takes along what is missing. One at a time. */
  readonly withCopy: <A, E, R>(
    write: (copy: LedgerCopy | undefined) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreError, R>
  /** Writes what is missing and nothing else, up to some thousand rows. */
  readonly now: Effect.Effect<void, StoreError | WarehouseError>
  /** The same until nothing is missing. */
  readonly catchUp: Effect.Effect<void, StoreError | WarehouseError>
  /** A hold was opened or closed. */
  readonly holdsMoved: () => void
}

interface Through {
  readonly entries: number
  readonly decisions: number
}

/** Rows copied at once, so that a new warehouse gets a long journal in pieces. */
const most = 5000

export const make = Effect.fnUntraced(function* (
  store: Store["Service"]
): Effect.fn.Return<Copies, StoreError | WarehouseError, Warehouse> {
  const warehouse = yield* Warehouse
  const oneAtATime = yield* Semaphore.make(1)
  let through = yield* throughOf(store)
  const holds = { moved: 1, copied: 0 }

  const withCopy: Copies["withCopy"] = (write) =>
    oneAtATime.withPermit(
      Effect.gen(function* () {
        const { moved } = holds
        const copy = yield* behind(store, through, moved > holds.copied)
        const result = yield* write(isEmpty(copy) ? undefined : copy)
        through = after(through, copy)
        holds.copied = moved
        return result
      })
    )
  const now = withCopy((copy) => (copy === undefined ? Effect.void : warehouse.write({ ...nothingElse, ledger: copy })))
  const catchUp = Effect.gen(function* () {
    let before: Through
    do {
      before = through
      yield* now
    } while (before.entries !== through.entries || before.decisions !== through.decisions)
  })
  return { withCopy, now, catchUp, holdsMoved: () => void holds.moved++ }
})

const nothingElse = { changes: [], events: [] }

/** How far the warehouse is; nothing counts where it holds other rows than the books' first ones. */
const throughOf = (store: Store["Service"]) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const { rows } = yield* warehouse.query((db) =>
      sql<Record<string, unknown>>`
        select (select count(*) from construction.ledger_entries) as entries,
          (select coalesce(max(sequence), 0) from construction.ledger_entries) as last_entry,
          (select count(*) from construction.ledger_hold_decisions) as decisions,
          (select coalesce(max("number"), 0) from construction.ledger_hold_decisions) as last_decision`.execute(db)
    )
    const found = rows[0] ?? {}
    const whole = (count: string, last: string): number =>
      Number(found[count]) === Number(found[last]) ? Number(found[last]) : 0
    const known = yield* store.run(async (db) => ({
      entries: Number(
        (
          await db
            .selectFrom("ledger_entries")
            .select((of) => of.fn.max("sequence").as("n"))
            .executeTakeFirst()
        )?.n ?? 0
      ),
      decisions: Number(
        (
          await db
            .selectFrom("ledger_hold_decisions")
            .select((of) => of.fn.max("number").as("n"))
            .executeTakeFirst()
        )?.n ?? 0
      )
    }))
    return {
      entries: Math.min(whole("entries", "last_entry"), known.entries),
      decisions: Math.min(whole("decisions", "last_decision"), known.decisions)
    }
  })

const textual = (row: object): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]))

const behind = (store: Store["Service"], through: Through, withHolds: boolean) =>
  store.run(async (db): Promise<LedgerCopy> => {
    const entries = await db
      .selectFrom("ledger_entries")
      .selectAll()
      .where("sequence", ">", through.entries)
      .orderBy("sequence")
      .limit(most)
      .execute()
    const decisions = await db
      .selectFrom("ledger_hold_decisions")
      .selectAll()
      .where("number", ">", through.decisions)
      .orderBy("number")
      .limit(most)
      .execute()
    const holds = withHolds ? await db.selectFrom("ledger_holds").selectAll().execute() : undefined
    return { entries: entries.map(textual), decisions: decisions.map(textual), holds: holds?.map(textual) }
  })

/** Where the warehouse is once it has this copy. */
const after = (through: Through, { decisions, entries }: LedgerCopy): Through => ({
  entries: Number(entries.at(-1)?.["sequence"] ?? through.entries),
  decisions: Number(decisions.at(-1)?.["number"] ?? through.decisions)
})

const isEmpty = ({ decisions, entries, holds }: LedgerCopy): boolean =>
  entries.length + decisions.length === 0 && holds === undefined
