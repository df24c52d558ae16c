/**
 * The Parquet file of an archive: a row for each frame of the inbox, with its body as received, its labels, the SHA-256
 * of the body, the fingerprint of the secret, and the frame's HMAC. A row contains the whole frame: its bytes can be
 * reconstructed, and the HMAC tells whether they are ours.
 *
 * A file appears under its name once it is on disk.
 */
import { createHash, hash, type KeyObject } from "node:crypto"
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { BLOB, DuckDBBlobValue, type DuckDBConnection, DuckDBInstance, VARCHAR } from "@duckdb/node-api"
import * as Literal from "../../Domain/Literal.ts"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import {
  decode,
  type Frame,
  fromColumns,
  isOurs,
  numberAfterOf,
  numberOf,
  sha256Of,
  toColumns
} from "../Segments/Frame.ts"

/** The most frames and bytes in an archive: all of one are in memory at once. */
export const mostFrames = 50_000
export const mostBytes = 32 * 1024 * 1024

const memory = "384MB"

const columns = `number bigint, kind varchar, received_at varchar, event_id varchar, secret varchar, body_sha256 varchar,
  labels varchar, body blob, hmac blob`

const withDuckDb = async <A>(use: (connection: DuckDBConnection) => Promise<A>): Promise<A> => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: memory })
  const connection = await instance.connect()
  try {
    await connection.run("set temp_directory = ''; set enable_external_file_cache = false")
    return await use(connection)
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

export const write = async (path: string, contents: ReadonlyArray<Buffer>): Promise<void> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const made = `${path}.tmp`
  rmSync(made, { force: true })
  await withDuckDb(async (connection) => {
    await connection.run(`create table frames (${columns})`)
    const appender = await connection.createAppender("frames")
    for (const content of contents) {
      const { body, head, hmac, kind, number } = toColumns(content)
      const said = saidBy(decode(content))
      appender.appendBigInt(BigInt(number))
      for (const text of [kind, ...said, head]) appender.appendValue(text, VARCHAR)
      appender.appendValue(new DuckDBBlobValue(body), BLOB)
      appender.appendValue(new DuckDBBlobValue(hmac), BLOB)
      appender.endRow()
    }
    appender.closeSync()
    await connection.run(
      `copy (from frames order by number) to ${Literal.text(made)} (format parquet, compression zstd)`
    )
  })
  const file = openSync(made, "r")
  fsyncSync(file)
  closeSync(file)
  renameSync(made, path)
  flushFolderOf(path)
}

/** For people to read; the frame itself is in the other columns. */
const saidBy = (frame: Frame): ReadonlyArray<string | null> => {
  if (frame.kind !== "first" && frame.kind !== "again") return [null, null, null, null]
  const { eventId, receivedAt, secret } = frame.labels
  return [receivedAt, eventId, secret, frame.kind === "first" ? sha256Of(frame).toString("hex") : null]
}

/** All frames, each as we wrote it. Throws if one isn't, or if the SHA-256 beside a body doesn't match it. */
export const read = (path: string, key: KeyObject): Promise<ReadonlyArray<Buffer>> =>
  withDuckDb(async (connection) => {
    const found = await connection.runAndReadAll(
      `select number, kind, labels, body, hmac, body_sha256 from read_parquet(${Literal.text(path)}) order by number`
    )
    return found.getRows().map(([number, kind, head, body, hmac, sha256]) => {
      if (!(body instanceof DuckDBBlobValue) || !(hmac instanceof DuckDBBlobValue)) throw new Error("has no frames")
      const content = fromColumns({
        number: Number(number),
        kind: String(kind) as Frame["kind"],
        head: String(head),
        body: body.bytes,
        hmac: hmac.bytes
      })
      if (hmac.bytes.byteLength !== 32 || !isOurs(content, key))
        throw new Error(`delivery ${String(number)} isn't ours`)
      if (sha256 !== null && sha256 !== hash("sha256", body.bytes, "hex") && sha256 !== erasedIn(content)) {
        throw new Error(`delivery ${String(number)} has another SHA-256`)
      }
      return content
    })
  })

/** The SHA-256 that a body had before part of it was erased. */
const erasedIn = (content: Buffer): string | undefined => {
  const frame = decode(content)
  return frame.kind === "first" ? frame.labels.erased : undefined
}

/** Whether every number from the first to the last one is in one of the frames. */
export const isUnbroken = (contents: ReadonlyArray<Buffer>, first: number, through: number): boolean => {
  let next = first
  for (const content of contents) {
    if (numberOf(content) !== next) return false
    next = numberAfterOf(content)
  }
  return next === through + 1
}

export const digestOf = async (path: string): Promise<string> => {
  const sum = createHash("sha256")
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), sum)
  return sum.digest("hex")
}
