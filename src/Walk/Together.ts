/**
 * How walks write rows: first the ids are announced (`Sightings`), then the rows are written. Pages that several lists
 * have at the same time are written together, in one transaction: flushing it takes longer than writing a thousand
 * rows, and a hundred lists that are walked at once wait with a few pages each.
 *
 * Guarantees: a write returns after its own rows are on disk. No list is refused because of another's data: if several
 * are refused together, each is written alone.
 */
import { Deferred, Effect, Exit, Option, Semaphore } from "effect"
import type { Change } from "../Domain/Change.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { Warehouse, WarehouseError } from "../Stores/Warehouse.ts"
import * as Sightings from "./Sightings.ts"

/** In one transaction, unless one list alone has more. */
const mostChanges = 10_000
/** The first new rows of a table take memory for each of its columns, however few they are. */
const mostLists = 10

type Failure = StoreError | WarehouseError

/** Called for each list one at a time: an announcement replaces the list's previous one. */
export type Write = (resource: string, changes: ReadonlyArray<Change>) => Effect.Effect<void, Failure>

interface Waiting {
  readonly resource: string
  readonly changes: ReadonlyArray<Change>
  readonly written: Deferred.Deferred<void, Failure>
}

type Those = ReadonlyArray<Waiting>

export const make = (store: Store["Service"], warehouse: Warehouse["Service"]): Effect.Effect<Write> =>
  Effect.map(Semaphore.make(1), (oneWriter) => {
    const waiting = new Set<Waiting>()

    const write = Effect.fnUntraced(function* (those: Those) {
      yield* Sightings.announce(store, those.map(idsOf))
      yield* warehouse.write({ changes: those.flatMap(({ changes }) => changes), events: [] })
    })

    const settle = (those: Those): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(write(those)), (exit) => {
        if (those.length > 1 && Option.exists(Exit.findErrorOption(exit), isRefusal)) {
          return Effect.forEach(those, (one) => settle([one]), { discard: true })
        }
        return Effect.forEach(those, ({ written }) => Deferred.done(written, exit), { discard: true })
      })

    /** An earlier writer may already have written it. */
    const settled = (one: Waiting) =>
      Effect.gen(function* () {
        while (waiting.has(one)) {
          const those = first(waiting)
          for (const each of those) waiting.delete(each)
          yield* settle(those)
        }
      })

    return (resource, changes) =>
      Effect.flatMap(Deferred.make<void, Failure>(), (written) => {
        const one: Waiting = { resource, changes, written }
        waiting.add(one)
        return oneWriter.withPermit(Effect.uninterruptible(Effect.suspend(() => settled(one)))).pipe(
          // Interrupted before its turn.
          Effect.ensuring(Effect.sync(() => waiting.delete(one))),
          Effect.andThen(Deferred.await(written))
        )
      })
  })

/** The ones that came first. */
const first = (waiting: Iterable<Waiting>): Those => {
  const those: Array<Waiting> = []
  let count = 0
  for (const one of waiting) {
    count += one.changes.length
    if (those.length > 0 && (count > mostChanges || those.length === mostLists)) break
    those.push(one)
  }
  return those
}

/** Refused because of something in the data. */
const isRefusal = ({ reason }: Failure): boolean => reason === "Refused"

const idsOf = ({ changes, resource }: Waiting): Sightings.Announced => ({
  resource,
  ids: [...new Set(changes.map(({ id }) => id))]
})
