/**
 * The order of certified IPCs while facts are recorded: the table as the transaction found it, and in memory what has
 * moved since. Everything that these facts need from the table is queried at once. The table is written once, at the
 * end.
 */
import type { Transaction } from "kysely"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Fact, Preceding, Terms } from "../Fact.ts"
import { certifiedAs, hasCumulative } from "../Fold/CertifiedAs.ts"
import { type Books, empty, learn } from "../Fold/Known.ts"
import {
  canMove,
  isSaid,
  isSame,
  type Position,
  positionOf,
  positionWith,
  precedingOf,
  stands
} from "../Fold/Position.ts"
import { Moved } from "./Moved.ts"
import { type Beside, inOrder, neighbour, neighbours, rowOf, type Side } from "./Neighbours.ts"

type Tx = Transaction<StoreTables>

/** What an IPC is to be told. */
export interface Told {
  readonly ipcId: string
  readonly preceding: Preceding
}

export interface OpenOrder {
  /** The fact, together with what precedes its IPC once it is known, if that is news. */
  readonly completed: (before: Books, fact: Fact) => Promise<Fact>
  /** Called after the books of an IPC have changed. Returns which other IPCs have to be told. */
  readonly changed: (before: Books, after: Books) => Promise<ReadonlyArray<Told>>
  /**
   * Deletes what has left the order. Returns the rows that are new or changed, by `ipc_id`, to be written together with
   * what moved them.
   */
  readonly close: () => Promise<ReadonlyArray<StoreTables["ledger_certified"]>>
}

/** `books`, `facts`: what is about to be recorded. */
export const open = async (
  tx: Tx,
  terms: Terms,
  books: ReadonlyMap<string, Books>,
  facts: ReadonlyArray<Fact>
): Promise<OpenOrder> => {
  const moved = new Moved()
  const isCumulative = (position: Position | undefined): boolean =>
    position !== undefined && certifiedAs(position.projectId, terms) === "cumulative"
  const asked = positionsFrom(books, facts, terms).filter(
    (each) => isCumulative(each) || isTold(books.get(each.ipcId) ?? empty(each.ipcId))
  )
  const beside = await besideEach(tx, asked)

  /** The neighbour in the table among IPCs that haven't moved. */
  const kept = async (position: Position, side: Side): Promise<Position | undefined> => {
    const known = beside.get(placeOf(position))
    const found = known === undefined ? await neighbour(tx, position, side, moved.ids) : known[side]
    return found === undefined || !moved.has(found.ipcId) ? found : neighbour(tx, position, side, moved.ids)
  }
  const next = async (position: Position, side: Side): Promise<Position | undefined> =>
    nearer(side, moved.nearest(position, side), await kept(position, side))

  return {
    completed: async (before, fact) => {
      if (!canMove(fact) || !(hasCumulative(terms) || isTold(before))) return fact
      const position = positionWith(before, fact)
      if (position === undefined || isSame(position, positionOf(before))) return fact
      if (!isCumulative(position) && !isTold(before)) return fact
      const preceding = precedingOf(await next(position, "before"), position)
      return isSaid(before, preceding) ? fact : { ...fact, preceding }
    },
    changed: async (before, after) => {
      if (stands(before, after)) return []
      const [from, to] = [positionOf(before), positionOf(after)]
      if (isSame(from, to)) return []
      moved.set(after.ipcId, to)
      const places = [from, to].filter((each) => each !== undefined)
      // IPCs that come after it may have been told once, when its project was cumulative.
      if (!places.some(isCumulative) && !isTold(before)) return []
      const told: Array<Told> = []
      for (const place of places) {
        const following = await next(place, "after")
        if (following === undefined || told.some(({ ipcId }) => ipcId === following.ipcId)) continue
        // No unmoved IPC stands between the two.
        const preceding = nearer("before", moved.nearest(following, "before"), await kept(place, "before"))
        told.push({ ipcId: following.ipcId, preceding: precedingOf(preceding, following) })
      }
      return told
    },
    close: async () => {
      if (moved.gone.length > 0) {
        await tx
          .deleteFrom("ledger_certified")
          .where(isAmong(tx, "ipc_id", moved.gone))
          .execute()
      }
      return moved.positions.map(rowOf)
    }
  }
}

/** It was once told what precedes it, and is folded accordingly. */
const isTold = ({ preceding }: Books): boolean => preceding !== undefined

const nearer = (side: Side, a: Position | undefined, b: Position | undefined): Position | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  return inOrder(a, b) < 0 === (side === "before") ? b : a
}

const placeOf = ({ firstAt, ipcId, projectId }: Position): string => JSON.stringify([projectId, firstAt, ipcId])

const besideEach = async (tx: Tx, positions: ReadonlyArray<Position>): Promise<ReadonlyMap<string, Beside>> => {
  const all = [...new Map(positions.map((each) => [placeOf(each), each])).values()]
  const found = await neighbours(tx, all)
  return new Map(all.map((each, n) => [placeOf(each), found[n] ?? {}]))
}

/**
 * The old and new positions of the IPCs that these facts move. What a decision leads to isn't known before it is
 * folded.
 */
const positionsFrom = (
  books: ReadonlyMap<string, Books>,
  facts: ReadonlyArray<Fact>,
  terms: Terms
): ReadonlyArray<Position> => {
  const found: Array<Position> = []
  for (const [ipcId, own] of Map.groupBy(facts.filter(canMove), (fact) => fact.ipcId)) {
    const before = books.get(ipcId) ?? empty(ipcId)
    if (!hasCumulative(terms) && !isTold(before)) continue
    const from = positionOf(before)
    const to = own.map((_, n) => positionOf(learn(before, own.slice(0, n + 1))))
    if (to.every((each) => isSame(each, from))) continue
    found.push(...[from, ...to].filter((each) => each !== undefined))
  }
  return found
}
