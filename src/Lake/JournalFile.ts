/**
 * The journal as a file: how it is written, and a description of one: its bytes, their hash, and how many lines of the
 * books it holds. Memory doesn't grow with the books.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { Effect } from "effect"
import * as Journal from "../Ledger/Journal.ts"
import * as JournalLines from "../Stores/JournalLines.ts"
import type { Snapshot, WarehouseError } from "../Stores/Warehouse.ts"
import type { LakeError } from "./Lake.ts"
import { attempt, type Digest } from "./LocalFiles.ts"

/** Into a new file. */
export const write = (
  path: string,
  { readJournal }: Pick<Snapshot, "readJournal">
): Effect.Effect<void, LakeError | WarehouseError> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, "wx")),
    (file) =>
      Effect.andThen(
        attempt(() => file.writeFile(Journal.heading)),
        readJournal((lines) => file.writeFile(lines.map(Journal.line).join("")))
      ),
    (file) => attempt(() => file.close())
  )

export interface Described extends Digest {
  /** Without the heading. */
  readonly rows: number
}

const newline = 0x0a
const quote = 0x22

/** A line of RFC 4180 may contain newlines between quotes. */
export const describe = (path: string): Effect.Effect<Described, LakeError> =>
  attempt(async () => {
    const hash = createHash("sha256")
    let [bytes, lines, isQuoted] = [0, 0, false]
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      bytes += chunk.length
      for (const byte of chunk) {
        if (byte === quote) isQuoted = !isQuoted
        else if (byte === newline && !isQuoted) lines++
      }
    }
    return { rows: Math.max(0, lines - 1), bytes, sha256: hash.digest("hex") }
  })

/**
 * The number of the first entry that differs between the file and the books. Entries after the end of the file don't
 * count as missing.
 */
export const firstDiffering = (
  path: string,
  { readJournal }: Pick<Snapshot, "readJournal">
): Effect.Effect<string | undefined, LakeError | WarehouseError> =>
  Effect.acquireUseRelease(
    attempt(() => open(path)),
    (file) =>
      Effect.gen(function* () {
        const { size } = yield* attempt(() => file.stat())
        let [at, first] = [0, undefined as string | undefined]
        const isNext = async (text: string): Promise<boolean> => {
          const expected = Buffer.from(text)
          const found = Buffer.alloc(expected.length)
          await file.read(found, 0, found.length, at)
          at += expected.length
          return found.equals(expected)
        }
        // A file of another version has different lines.
        if (!(yield* attempt(() => isNext(Journal.heading)))) return undefined
        yield* readJournal(async (lines) => {
          for (const line of lines) {
            if (first !== undefined || at >= size) return
            if (!(await isNext(Journal.line(line)))) first = line[sequenceAt] ?? ""
          }
        })
        return first ?? (at < size ? "after the last one" : undefined)
      }),
    (file) => attempt(() => file.close())
  )

const sequenceAt = JournalLines.columns.indexOf("sequence")
