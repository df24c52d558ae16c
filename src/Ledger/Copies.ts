/**
 * What the warehouse has of the books: entries and decisions up to a number, and the open holds as of some moment.
 * Where Store and Warehouse are one database it shows the books themselves, and nothing is copied.
 * At the start the warehouse itself says how far it is; one that isn't a prefix of the books gets them all again.
 */
import { Effect, Semaphore } from "effect"
import { type Kysely, sql } from "kysely"
import type { Row } from "../Domain/Merge.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import { listed } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { type LedgerCopy, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"

export interface Copies {
  /** Runs a write that takes along what is missing. One at a time. */
  readonly withCopy: <A, E, R>(
    write: (copy: LedgerCopy | undefined) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | StoreError, R>
  /** Writes what is missing and nothing else, up to some thousand rows. */
  readonly now: Effect.Effect<void, StoreError | WarehouseError>
  /** The same until nothing is missing. */
  readonly catchUp: Effect.Effect<void, StoreError | WarehouseError>
  /** Holds that were opened or closed. */
  readonly moved: (holdIds: ReadonlyArray<string>) => void
}

interface Through {
  readonly entries: number
  readonly decisions: number
}

type Moved = Set<string> | "any"

/** Rows copied at once, so that a new warehouse gets a long journal in pieces. */
const most = 5000

export const make = Effect.fnUntraced(function* (
  store: Store["Service"]
): Effect.fn.Return<Copies, StoreError | WarehouseError, Warehouse> {
  if (store.engine === "postgres") return none
  const warehouse = yield* Warehouse
  const oneAtATime = yield* Semaphore.make(1)
  let through = yield* throughOf(store)
  /** At the start any hold may have moved while nobody looked. */
  let moved: Moved = "any"

  const withCopy: Copies["withCopy"] = (write) =>
    oneAtATime.withPermit(
      Effect.gen(function* () {
        const inHand = moved
        moved = new Set()
        const copying = Effect.gen(function* () {
          const copy = yield* behind(store, through, inHand)
          const result = yield* write(isEmpty(copy) ? undefined : copy)
          through = after(through, copy)
          return result
        })
        // What moved meanwhile stays for the next one, and so does all of it where this one fails.
        const kept = () => void (moved = inHand === "any" || moved === "any" ? "any" : new Set([...inHand, ...moved]))
        return yield* Effect.onError(copying, () => Effect.sync(kept))
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
  const note = (ids: ReadonlyArray<string>): void => {
    if (moved !== "any") for (const id of ids) moved.add(id)
  }
  return { withCopy, now, catchUp, moved: note }
})

const none: Copies = {
  withCopy: (write) => write(undefined),
  now: Effect.void,
  catchUp: Effect.void,
  moved: () => undefined
}

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

const behind = (store: Store["Service"], through: Through, moved: Moved) =>
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
    return {
      entries: entries.map(textual),
      decisions: decisions.map(textual),
      holds: await holdsOf(db, moved)
    }
  })

/** Only those that moved: with 20,000 open ones, copying them all took a second for each that came. */
const holdsOf = async (db: Kysely<StoreTables>, moved: Moved): Promise<LedgerCopy["holds"]> => {
  const all = db.selectFrom("ledger_holds").selectAll()
  if (moved === "any") return { open: (await all.execute()).map(textual), gone: "all others" }
  const open = await all.where("hold_id", "in", listed(db, [...moved])).execute()
  const isOpen = new Set(open.map(({ hold_id }) => hold_id))
  return { open: open.map(textual), gone: [...moved].filter((id) => !isOpen.has(id)) }
}

/** Where the warehouse is once it has this copy. */
const after = (through: Through, { decisions, entries }: LedgerCopy): Through => ({
  entries: Number(entries.at(-1)?.["sequence"] ?? through.entries),
  decisions: Number(decisions.at(-1)?.["number"] ?? through.decisions)
})

const isEmpty = ({ decisions, entries, holds }: LedgerCopy): boolean =>
  entries.length + decisions.length + holds.open.length === 0 && holds.gone !== "all others" && holds.gone.length === 0
