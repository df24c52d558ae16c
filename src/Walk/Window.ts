/**
 * How many pages of a list are requested ahead of the writer: few while pages wait for it, and more while it waits for
 * pages. A waiting page takes memory, but one in flight doesn't. So a nearby service doesn't fill memory, and a distant
 * one doesn't hold up the walk.
 */
import { Effect, Semaphore } from "effect"

export interface Window {
  /** Waits until one more page may be requested. */
  readonly enter: Effect.Effect<unknown>
  /** `pages` were written, and `waiting` pages wait. */
  readonly wrote: (pages: number, waiting: number) => Effect.Effect<unknown>
}

/** Starts with `least`. */
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
