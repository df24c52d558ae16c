/**
 * The logs of an embedded Store for an off-machine backup, read beside their writers.
 */
import { Effect } from "effect"
import type { Kysely } from "kysely"
import type { SealError } from "../../Runtime/Seal.ts"
import type { ArchiveFolder } from "../Archives/ArchiveFolder.ts"
import { Whole } from "../Archives/Whole.ts"
import type { Frames } from "../Following.ts"
import { folderOf as rowsOf, markIn } from "../RowLog/Heal.ts"
import { numberAfterOf, numberOf, wholeOf } from "../Segments/Frame.ts"
import { folderOf as inboxOf, inboxKey } from "../Segments/Open.ts"
import { Reader } from "../Segments/Reader.ts"
import * as Rows from "../Segments/Rows.ts"
import type { Segments } from "../Segments/Segments.ts"
import { type Followed, readMeta, StoreError } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"

interface Parts {
  readonly path: string
  readonly files: { readonly open: () => Promise<Segments>; readonly archives: ArchiveFolder }
  readonly key: Effect.Effect<Uint8Array, SealError>
  readonly run: <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, StoreError>
}

/** The size of one part of a backup, all of which is in memory at once. */
export const mostBytes = 16 * 1024 * 1024
const mostFrames = 50_000

export const following = ({ files, key, path, run }: Parts): Followed => {
  const readers = { rows: new Reader(rowsOf(path)), inbox: new Reader(inboxOf(path)) }
  return {
    ends: Effect.gen(function* () {
      while (true) {
        const ends = yield* run((db) => endsIn(db, files.open))
        if (ends !== undefined) return ends
        yield* Effect.sleep("1 second")
      }
    }),
    frames: (log, after, through) =>
      run(async () => {
        const segments = await files.open()
        const whole = new Whole(Rows.sourceOf(readers[log], through), files.archives, segments.key)
        const read = () => whole.contents(after, mostFrames, mostBytes)
        const contents = await (log === "inbox" ? segments.reading(read) : read())
        files.archives.forget()
        return framesOf(contents)
      }),
    dataKey: Effect.mapBoth(key, {
      onFailure: ({ message }) => new StoreError({ reason: "Failed", message }),
      onSuccess: (bytes) => Buffer.from(bytes).toString("hex")
    })
  }
}

/** In this order, so that the inbox by then has what the rows refer to. */
const endsIn = async (db: Kysely<StoreTables>, open: Parts["files"]["open"]) => {
  const mark = await markIn(db)
  if (mark?.whole === undefined) return undefined
  const segments = await open()
  return {
    rows: { id: mark.id, last: mark.whole },
    inbox: { id: (await readMeta(db, inboxKey)) ?? "", last: segments.last }
  }
}

const framesOf = (contents: ReadonlyArray<Buffer>): Frames | undefined => {
  const [first, last] = [contents[0], contents.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { first: numberOf(first), last: numberAfterOf(last) - 1, bytes: Buffer.concat(contents.map(wholeOf)) }
}
