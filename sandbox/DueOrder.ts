/**
 * A queue by due time: a binary heap, first come first served among equals. It holds only the items themselves, so
 * hundreds of thousands can wait.
 */
export interface Due {
  /** Milliseconds; whole numbers below 2^31 stay small. */
  readonly due: number
  readonly id: number
}

export interface DueOrder<A extends Due> {
  readonly size: () => number
  readonly first: () => A | undefined
  readonly add: (a: A) => void
  readonly takeFirst: () => A | undefined
  /** Takes the items with the lowest ids, due or not. It scans the whole queue, so it is meant for many at once. */
  readonly takeOldest: (count: number) => ReadonlyArray<A>
  /** In no particular order. */
  readonly all: () => Iterable<A>
}

export const make = <A extends Due>(): DueOrder<A> => {
  const heap: Array<A> = []
  const before = (a: A, b: A) => a.due < b.due || (a.due === b.due && a.id < b.id)
  /** Moves the hole at `hole` up to where `a` belongs. */
  const up = (hole: number, a: A) => {
    while (hole > 0) {
      const above = (hole - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !before(a, parent)) break
      heap[hole] = parent
      hole = above
    }
    heap[hole] = a
  }
  const down = (hole: number, a: A) => {
    for (;;) {
      let below = 2 * hole + 1
      let child = heap[below]
      if (child === undefined) break
      const other = heap[below + 1]
      if (other !== undefined && before(other, child)) {
        child = other
        below++
      }
      if (!before(child, a)) break
      heap[hole] = child
      hole = below
    }
    heap[hole] = a
  }
  return {
    size: () => heap.length,
    first: () => heap[0],
    add: (a) => up(heap.length, a),
    takeFirst: () => {
      const first = heap[0]
      const last = heap.pop()
      if (first !== undefined && last !== undefined && heap.length > 0) down(0, last)
      return first
    },
    takeOldest: (count) => {
      const ids = Float64Array.from(heap, ({ id }) => id).toSorted()
      const last = ids[Math.min(count, ids.length) - 1] ?? -1
      const everything = heap.splice(0)
      for (const a of everything) if (a.id > last) up(heap.length, a)
      return everything.filter(({ id }) => id <= last)
    },
    all: () => heap
  }
}
