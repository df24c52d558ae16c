/**
 * Room for pages that were asked for and aren't written yet, shared by all lists that are walked at the moment: alone, one has
 * all of it, and a hundred don't take a hundred times as much memory.
 */
import { Effect, type Scope, Semaphore } from "effect"

export interface Room {
  /** Waits until there is room for one more page. */
  readonly enter: Effect.Effect<void>
  /** So many have been written. */
  readonly leave: (pages: number) => Effect.Effect<unknown>
}

export interface Rooms {
  /** Until the scope ends. */
  readonly open: Effect.Effect<Room, never, Scope.Scope>
}

/** With less, a list would wait for each answer before it asks again. */
const least = 2

export const make = (pages: number): Rooms => {
  const rooms = new Set<Semaphore.Semaphore>()
  const share = Effect.suspend(() => {
    const each = Math.max(least, Math.floor(pages / Math.max(1, rooms.size)))
    return Effect.forEach(rooms, (room) => room.resize(each), { discard: true })
  })
  const add = Effect.gen(function* () {
    const room = yield* Semaphore.make(least)
    rooms.add(room)
    yield* share
    return room
  })
  return {
    open: Effect.acquireRelease(add, (room) =>
      Effect.andThen(
        Effect.sync(() => rooms.delete(room)),
        share
      )
    ).pipe(Effect.map((room): Room => ({ enter: Effect.asVoid(room.take(1)), leave: (count) => room.release(count) })))
  }
}

/** For one list that shares it with no other. */
export const alone = (pages: number): Effect.Effect<Room, never, Scope.Scope> => make(pages).open
