/**
 * The new positions of IPCs that have moved in this transaction, before they are written: in order within their
 * projects.
 */
import type { Position } from "../Fold/Position.ts"
import { inOrder, type Place, type Side } from "./Neighbours.ts"

export class Moved {
  readonly #positions = new Map<string, Position | undefined>()
  readonly #projects = new Map<string, Array<Position>>()

  get ids(): ReadonlyArray<string> {
    return [...this.#positions.keys()]
  }

  get positions(): ReadonlyArray<Position> {
    return [...this.#positions.values()].filter((each) => each !== undefined)
  }

  /** IPCs that no longer have a position. */
  get gone(): ReadonlyArray<string> {
    return [...this.#positions].flatMap(([id, position]) => (position === undefined ? [id] : []))
  }

  has(ipcId: string): boolean {
    return this.#positions.has(ipcId)
  }

  set(ipcId: string, position: Position | undefined): void {
    const before = this.#positions.get(ipcId)
    if (before !== undefined) this.#of(before).splice(this.#placeIn(before), 1)
    this.#positions.set(ipcId, position)
    if (position !== undefined) this.#of(position).splice(this.#placeIn(position), 0, position)
  }

  /** The next one in its project on that side, other than itself. */
  nearest(place: Place, side: Side): Position | undefined {
    const all = this.#of(place)
    const step = side === "before" ? -1 : 1
    let at = this.#placeIn(place)
    if (side === "before") at--
    while (all[at]?.ipcId === place.ipcId) at += step
    return all[at]
  }

  #of({ projectId }: Place): Array<Position> {
    const known = this.#projects.get(projectId) ?? []
    this.#projects.set(projectId, known)
    return known
  }

  /** The index of the first one that doesn't come before it. */
  #placeIn(place: Place): number {
    const all = this.#of(place)
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (inOrder(all[middle]!, place) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
