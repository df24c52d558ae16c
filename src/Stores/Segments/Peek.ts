/**
 * Looks at deliveries in the segments without taking them.
 */
import type { Kysely } from "kysely"
import type { Whole } from "../Archives/Whole.ts"
import { handedOutKey, type Peeked } from "../Deliveries.ts"
import { readMeta, writeMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Counts from "./Counts.ts"
import { type First, type Frame, numberAfter, sha256HexOf, type Sum } from "./Frame.ts"

type Db = Kysely<StoreTables>

const framesAtOnce = 2000

const handedOut = async (db: Db): Promise<number> => Number((await readMeta(db, handedOutKey)) ?? 0)

/** Called before everything is handed out again. */
export const noteHandedOut = async (tx: Db, watermark: number): Promise<void> => {
  await writeMeta(tx, handedOutKey, String(Math.max(watermark, await handedOut(tx))))
}

interface Read {
  readonly whole: Pick<Whole, "after">
  /** The number of the newest frame. */
  readonly last: number
}

/** `after`: undefined for everything after the watermark that wasn't handed out before. */
export const peek = async (
  read: Read,
  db: Db,
  watermark: (db: Db) => Promise<number>,
  types: ReadonlyArray<string>,
  after: number | undefined
): Promise<Peeked> => {
  const from = after ?? Math.max(await watermark(db), await handedOut(db))
  const isWanted = ({ labels }: First) => labels.headerType === null || types.includes(labels.headerType)
  return looked(read, await read.whole.after(from, framesAtOnce), from, isWanted)
}

/** With the number of deliveries of each. */
export const stored = async (read: Read, db: Db, after: number): Promise<Peeked> => {
  const frames = await read.whole.after(after, framesAtOnce)
  const sums = await Counts.sumsOf(
    db,
    frames.map(({ number }) => number)
  )
  return looked(read, frames, after, () => true, sums)
}

const looked = (
  { last }: Read,
  frames: ReadonlyArray<Frame>,
  from: number,
  isWanted: (first: First) => boolean,
  sums?: ReadonlyMap<number, Sum>
): Peeked => {
  const newest = frames.at(-1)
  const through = newest === undefined ? from : numberAfter(newest) - 1
  return {
    events: frames.flatMap((frame) =>
      frame.kind === "first" && isWanted(frame)
        ? [Counts.toEvent(frame, sha256HexOf(frame), sums?.get(frame.number))]
        : []
    ),
    through,
    hasMore: newest !== undefined && through < last
  }
}
