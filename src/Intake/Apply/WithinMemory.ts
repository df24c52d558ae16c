/**
 * Reads events one after the other, and stops once what they say, unpacked, is as much as a batch may hold.
 */
import { Effect } from "effect"
import type { Event } from "../../Domain/Event.ts"
import { batchBytes } from "../../Stores/Deliveries.ts"
import { ifStorable, type ReadEvent } from "./Readings.ts"

/** Deliveries are answered after bodies of this size together. */
const pauseBytes = batchBytes / 16

/** The first ones, as many as fit. Compressed bodies may unpack to many times what the queue counted. */
export const withinMemory = Effect.fnUntraced(function* (
  events: ReadonlyArray<Event>,
  readOne: (event: Event) => ReadEvent | Promise<ReadEvent>
) {
  const readings: Array<ReadEvent> = []
  let [bytes, pausedAt] = [0, 0]
  for (const event of events) {
    const read = readOne(event)
    const reading = ifStorable(read instanceof Promise ? yield* Effect.promise(() => read) : read)
    readings.push(reading)
    // To find that one is too large took as long as reading a large one.
    bytes += reading.reading.reason === "too-large" ? batchBytes / 4 : (reading.reading.text?.length ?? 0)
    if (bytes > batchBytes) break
    if (bytes - pausedAt < pauseBytes) continue
    pausedAt = bytes
    yield* Effect.yieldNow
  }
  return readings
})
