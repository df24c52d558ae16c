/**
 * Room for pages that have been asked for and aren't written yet, shared by all lists that are being walked: a single
 * list has all of it, and a hundred lists don't take a hundred times as much memory.
 *
 * Lists get room by their shares, as they get requests (`Waiters`), but in stretches: several pages of one list are
 * written at once, so few tables change at a time. With one page of each of a hundred lists in turn, DuckDB rewrote the
 * end of every table at each checkpoint, which took half of all processor time and 500 MB. A stretch also ends after
 * some time, so that no list waits for another one whose pages come slowly.
 */
import { Clock, Deferred, Duration, Effect, Exit, Option, type Scope } from "effect"
import { runningMs } from "../Runtime/Boot.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import { type Lane, lanes } from "./Pace.ts"
import { Sharer, type Waiter, Waiters } from "./Waiters.ts"

export interface Room {
  /** Waits until there is room for one more page. */
  readonly enter: Effect.Effect<void>
  /** The page has arrived and waits for its writer. */
  readonly came: Effect.Effect<void>
  /** This many pages have been written. */
  readonly leave: (pages: number) => Effect.Effect<void>
}

export interface Rooms {
  /** The room of the fiber's `Sharer`, until the scope ends. */
  readonly open: Effect.Effect<Room, never, Scope.Scope>
}

interface Options {
  /** For all lists together. */
  readonly pages: number
  /** The request rate for all of them. */
  readonly perSecond: number
  /** The warehouse's preference. */
  readonly prefersFewTables: boolean
}

/**
 * Pages that may wait for a writer. While more wait, fewer are asked for, down to this number. A page in flight takes
 * no memory, so while none waits, more and more are asked for.
 */
const mostWaiting = 32
/** A batch of 10,000 records, at 500 a page. */
const stretchPages = 20
const stretchMs = 500
/**
 * A list that has waited this long has room for `least` pages at any time from then on, even if others, whose service
 * is slow, have all of the room. This lasts until it is given room in the ordinary way. Where few tables should change
 * at a time, the wait is at least as long as all waiting lists together need for a stretch each: with two pages of each
 * of a hundred lists at any time, there would be no stretches. PostgreSQL writes the same number of pages from several
 * lists in less time.
 */
const patience = Duration.seconds(5)
const least = 2

/** The room that one list holds. */
interface Held {
  pages: number
  /** Those of them that wait to be written. */
  waiting: number
  /** It has waited longer than `patience`. */
  isUrgent: boolean
  /** When it was last given room. */
  givenMs: number
}

class Shared {
  readonly #waiters: Waiters
  readonly #rooms = new Map<Waiter, Held>()
  readonly #nowMs: () => number
  readonly #most: number
  readonly #prefersFewTables: boolean
  /** For all lists together. */
  #size: number
  readonly #all = { pages: 0, waiting: 0 }
  #stretch: { readonly name: string; readonly untilMs: number; left: number } | undefined

  constructor({ pages, perSecond, prefersFewTables }: Options, nowMs: () => number) {
    this.#prefersFewTables = prefersFewTables
    this.#waiters = new Waiters(perSecond)
    this.#most = pages
    this.#size = Math.min(pages, mostWaiting)
    this.#nowMs = nowMs
  }

  enter(held: Held) {
    return Effect.flatMap(Sharer, (sharer) =>
      Effect.uninterruptibleMask((restore) => {
        const waiter: Waiter = { turn: Deferred.makeUnsafe(), of: sharer.name }
        const fromMs = this.#nowMs()
        this.#rooms.set(waiter, held)
        this.#waiters.add(waiter, sharer, fromMs)
        this.#give()
        this.#urge(held)
        const given = Deferred.await(waiter.turn)
        const impatient: Effect.Effect<void> = Effect.flatMap(Effect.timeoutOption(given, patience), (isGiven) => {
          if (Option.isSome(isGiven)) return Effect.void
          const waitedMs = this.#nowMs() - Math.max(fromMs, held.givenMs)
          if (waitedMs >= this.#patienceMs) held.isUrgent = true
          this.#urge(held)
          return impatient
        })
        return Effect.onInterrupt(restore(impatient), () =>
          Effect.sync(() => {
            this.#rooms.delete(waiter)
            this.#waiters.delete(waiter)
          })
        )
      })
    )
  }

  get #patienceMs(): number {
    const turnsMs = this.#prefersFewTables ? this.#waiters.lists * stretchMs : 0
    return Math.max(Duration.toMillis(patience), turnsMs)
  }

  came(held: Held): void {
    held.waiting++
    this.#all.waiting++
  }

  leave(held: Held, pages: number): void {
    // Some pages may still be in flight when a list is left.
    const waiting = Math.min(pages, held.waiting)
    for (const each of [held, this.#all]) {
      each.pages -= pages
      each.waiting -= waiting
    }
    const isLate = this.#all.waiting >= mostWaiting
    this.#size = isLate ? Math.max(this.#size - pages, mostWaiting) : this.#size + pages
    this.#size = Math.min(this.#size, this.#most)
    this.#give()
    this.#urge(held)
  }

  /** Gives an urgent list the pages that it always has room for. */
  #urge(held: Held): void {
    for (const [waiter, of] of held.isUrgent ? this.#rooms : []) {
      if (held.pages >= least) return
      if (of !== held) continue
      this.#waiters.delete(waiter)
      this.#enter(waiter)
    }
  }

  #give(): void {
    while (this.#all.pages < this.#size && this.#waiters.size > 0) {
      const now = this.#nowMs()
      const stretch = this.#stretch
      const again = stretch !== undefined && stretch.left > 0 && now < stretch.untilMs ? stretch.name : undefined
      const waiter = this.#waiters.take(now, again)
      if (waiter === undefined) return
      if (stretch !== undefined && waiter.of === again) stretch.left--
      else this.#stretch = { name: waiter.of, untilMs: now + stretchMs, left: stretchPages - 1 }
      const held = this.#rooms.get(waiter)
      if (held !== undefined) held.isUrgent = false
      this.#enter(waiter)
    }
  }

  #enter(waiter: Waiter): void {
    const held = this.#rooms.get(waiter)
    if (held === undefined || !this.#rooms.delete(waiter)) return
    held.pages++
    held.givenMs = this.#nowMs()
    this.#all.pages++
    Deferred.doneUnsafe(waiter.turn, Exit.void)
  }
}

export const make = (options: Options): Effect.Effect<Rooms> =>
  Effect.map(Clock.Clock, (clock) => {
    const shared = new Shared(options, () => runningMs(clock))
    const taken = Effect.acquireRelease(
      Effect.sync((): Held => ({ pages: 0, waiting: 0, isUrgent: false, givenMs: 0 })),
      (held) => Effect.sync(() => shared.leave(held, held.pages))
    )
    return {
      open: Effect.map(taken, (held) => ({
        enter: shared.enter(held),
        came: Effect.sync(() => shared.came(held)),
        leave: (pages) => Effect.sync(() => shared.leave(held, pages))
      }))
    }
  })

/** Each lane has its own: urgent pages don't wait for room held by less urgent ones. */
export const byLane = Effect.fnUntraced(function* (options: Omit<Options, "prefersFewTables">) {
  const { prefersFewTables } = yield* Warehouse
  const made = yield* Effect.forEach(lanes, (lane) =>
    Effect.map(make({ ...options, prefersFewTables }), (rooms) => [lane, rooms] as const)
  )
  const rooms = new Map<Lane, Rooms>(made)
  return (lane: Lane): Rooms => rooms.get(lane)!
})

/** For a list that shares with no other. */
export const alone = (pages: number): Effect.Effect<Room, never, Scope.Scope> =>
  Effect.flatMap(make({ pages, perSecond: pages, prefersFewTables: false }), ({ open }) => open)
