/**
 * Reads events one after the other, and stops once their unpacked contents fill what a batch may hold.
 */
import { Effect } from "effect"
import type { Event } from "../../Domain/Event.ts"
import { batchBytes } from "../../Stores/Deliveries.ts"
import { ifStorable, type ReadEvent } from "./Readings.ts"

/** Lets deliveries be answered after each this many bytes of bodies. */
const pauseBytes = batchBytes / 16

/** As many of the first events as fit. Compressed bodies may unpack to many times what the queue counted. */
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
    // Finding that a body is too large took as long as reading a large one.
    bytes += reading.reading.reason === "too-large" ? batchBytes / 4 : (reading.reading.text?.length ?? 0)
    if (bytes > batchBytes) break
    if (bytes - pausedAt < pauseBytes) continue
    pausedAt = bytes
    yield* Effect.yieldNow
  }
  return readings
})
