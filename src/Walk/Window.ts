/**
 * How many pages of a list are asked for ahead of the writer: few while pages wait for it, and more as long as it waits for
 * pages. One that waits takes memory, one that is on its way doesn't; so a near service fills no memory, and a distant one
 * doesn't hold up the walk.
 */
import { Effect, Semaphore } from "effect"

export interface Window {
  /** Waits until one more page may be asked for. */
  readonly enter: Effect.Effect<unknown>
  /** So many were written, and so many wait. */
  readonly wrote: (pages: number, waiting: number) => Effect.Effect<unknown>
}

/** It begins with `least`. */
export const make = (least: number, most: number): Effect.Effect<Window> =>
  Effect.map(Semaphore.make(least), (places) => {
    let size = least
    return {
      enter: places.take(1),
      wrote: (pages, waiting) => {
        if (waiting === 0) size = Math.min(most, size + 1)
        else if (waiting > pages / 2) size = Math.max(least, size - pages)
        return Effect.andThen(places.resize(size), places.release(pages))
      }
    }
  })
