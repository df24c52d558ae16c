/**
 * Looks at deliveries that wait in the segments, without taking them.
 */
import { hash } from "node:crypto"
import type { Kysely } from "kysely"
import type { Whole } from "../Archives/Whole.ts"
import { handedOutKey, type Peeked } from "../Deliveries.ts"
import { readMeta, writeMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Counts from "./Counts.ts"
import { numberAfter } from "./Frame.ts"

type Db = Kysely<StoreTables>

const framesAtOnce = 2000

const handedOut = async (db: Db): Promise<number> => Number((await readMeta(db, handedOutKey)) ?? 0)

/** Before everything is handed out again. */
export const noteHandedOut = async (tx: Db, watermark: number): Promise<void> => {
  await writeMeta(tx, handedOutKey, String(Math.max(watermark, await handedOut(tx))))
}

/** `after`: undefined for what comes after the watermark and wasn't handed out before. */
export const peek = async (
  whole: Pick<Whole, "after">,
  db: Db,
  watermark: (db: Db) => Promise<number>,
  types: ReadonlyArray<string>,
  after: number | undefined
): Promise<Peeked> => {
  const from = after ?? Math.max(await watermark(db), await handedOut(db))
  const frames = await whole.after(from, framesAtOnce)
  const last = frames.at(-1)
  return {
    events: frames.flatMap((frame) =>
      frame.kind === "first" && (frame.labels.headerType === null || types.includes(frame.labels.headerType))
        ? [Counts.toEvent(frame, hash("sha256", frame.body, "hex"), undefined)]
        : []
    ),
    through: last === undefined ? from : numberAfter(last) - 1,
    hasMore: last !== undefined
  }
}
