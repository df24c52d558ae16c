/**
 * One file out of the bucket. A request is the SDK's to repeat, until the head of its answer is there; when the body
 * breaks off, it is asked for again from where it broke, for as long as more of it comes.
 */
import { open } from "node:fs/promises"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import { type LakeError, longestText } from "../Lake.ts"
import { attempt } from "../LocalFiles.ts"
import { type Client, Thrown } from "./Client.ts"

export interface Download {
  readonly client: Client
  readonly Bucket: string
  readonly Key: string
}

/** Bodies that bring nothing further. */
const mostInVain = 3

/** Undefined where there is no such file. */
const get = ({ Bucket, client, Key }: Download, from: number) =>
  Effect.catchIf(
    client.call("GetObject", (s3, options) =>
      s3.getObject({ Bucket, Key, ...(from === 0 ? {} : { Range: `bytes=${from}-` }) }, options)
    ),
    (thrown) => thrown.code === "NoSuchKey",
    () => Effect.undefined
  )

export const text = (from: Download) =>
  Effect.gen(function* () {
    const found = yield* get(from, 0)
    if (found === undefined) return undefined
    // No store answers so.
    if (found.ETag === undefined) return yield* Effect.fail(new Thrown("GetObject", found))
    const body = yield* Effect.tryPromise({
      try: () => read(found.Body as Readable),
      catch: (cause) => new Broken(cause)
    })
    return { text: body, version: found.ETag }
  }).pipe(
    Effect.retry({ times: mostInVain, while: (error) => error instanceof Broken }),
    Effect.mapError((error) => (error instanceof Broken ? new Thrown("GetObject", error.cause) : error))
  )

/** Empty when it is too long, whatever its head says of its length. */
const read = async (body: Readable): Promise<string> => {
  const pieces: Array<Buffer> = []
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > longestText) return ""
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

class Broken {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** False where there is no such file. */
export const download = Effect.fnUntraced(function* (of: Download, localFile: string) {
  let done = 0
  let version: string | undefined
  let inVain = 0
  while (true) {
    const found = yield* get(of, done)
    if (found === undefined) return false
    // Something else is there now.
    if (done > 0 && found.ETag !== version) {
      ;(found.Body as Readable | undefined)?.destroy()
      done = 0
      continue
    }
    version = found.ETag
    const { broken, bytes } = yield* write(found.Body as Readable, localFile, done)
    if (broken === undefined) return true
    inVain = bytes > 0 ? 0 : inVain + 1
    if (inVain > mostInVain) return yield* Effect.fail(new Thrown("GetObject", broken))
    done += bytes
  }
})

/** Behind what is there already. How far it got, and on what it broke; a local disk that fails is an error. */
const write = (body: Readable, localFile: string, from: number): Effect.Effect<Written, LakeError> =>
  attempt(async (signal) => {
    signal.addEventListener("abort", () => body.destroy())
    const file = await open(localFile, from === 0 ? "w" : "a")
    const pieces = body.iterator()
    let bytes = 0
    try {
      while (true) {
        const next = await pieces.next().catch((broken: unknown) => ({ broken }))
        if ("broken" in next) return { bytes, broken: next.broken ?? new Error("It broke off.") }
        if (next.done === true) return { bytes, broken: undefined }
        await file.appendFile(next.value as Buffer)
        bytes += (next.value as Buffer).length
      }
    } finally {
      body.destroy()
      await file.close()
    }
  })

interface Written {
  readonly bytes: number
  readonly broken: unknown
}
