/**
 * Deliveries that were acknowledged and are in no file: listed in the Store until they are restored from a copy
 * elsewhere.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Kysely } from "kysely"
import type { Lost } from "../Deliveries.ts"
import { readMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import type { Frame } from "./Frame.ts"
import { metaOf, setMeta } from "./Meta.ts"
import type { Span } from "./Replace.ts"

const key = "inbox_lost"

const fromText = (text: string | undefined): ReadonlyArray<Lost> => JSON.parse(text ?? "[]") as ReadonlyArray<Lost>

export const lostOf = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<Lost>> => fromText(await readMeta(db, key))

/** Removes these numbers from the list of lost ones. */
export const found = (database: DatabaseSync, numbers: ReadonlySet<number>): void => {
  const left = fromText(metaOf(database, key)).flatMap((lost) => {
    const parts: Array<Lost> = []
    for (let from = lost.from; from <= lost.through; from++) {
      if (numbers.has(from)) continue
      let through = from
      while (through < lost.through && !numbers.has(through + 1)) through++
      parts.push({ ...lost, from, through })
      from = through
    }
    return parts
  })
  setMeta(database, key, JSON.stringify(left))
}

type At = (number: number) => Frame | undefined

/** When a delivery arrived; null if that can't be read. */
const receivedAt = (at: At, number: number) => {
  try {
    const frame = at(number)
    return frame?.kind === "first" || frame?.kind === "again" ? frame.labels.receivedAt : null
  } catch {
    return null
  }
}

/** `at`: returns the frame with a number. */
export const note = (database: DatabaseSync, spans: ReadonlyArray<Span>, at: At): void => {
  const lost = spans.map(({ from, through }): Lost => ({
    from,
    through,
    after: receivedAt(at, from - 1),
    before: receivedAt(at, through + 1)
  }))
  if (lost.length > 0) setMeta(database, key, JSON.stringify([...fromText(metaOf(database, key)), ...lost]))
}
