/**
 * Downloads one file from the bucket. The SDK repeats a request until the headers of its answer have arrived. A body
 * that breaks off is requested again from where it broke, as long as each attempt brings more of it.
 */
import { open } from "node:fs/promises"
import type { Readable } from "node:stream"
import { Data, Effect } from "effect"
import { type LakeError, longestText } from "../Lake.ts"
import { attempt } from "../LocalFiles.ts"
import { type Client, Thrown } from "./Client.ts"

export interface Download {
  readonly client: Client
  readonly Bucket: string
  readonly Key: string
}

/** How many bodies in a row may bring nothing new. */
const mostInVain = 3

/** Undefined if there is no such file. */
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
    // Every S3 store answers with a version.
    if (found.ETag === undefined) return yield* new Thrown({ operation: "GetObject", cause: found })
    const body = yield* Effect.tryPromise({
      try: () => read(found.Body as Readable),
      catch: (cause) => new Broken({ cause })
    })
    return { text: body, version: found.ETag }
  }).pipe(
    Effect.retry({ times: mostInVain, while: (error) => error instanceof Broken }),
    Effect.mapError((error) =>
      error instanceof Broken ? new Thrown({ operation: "GetObject", cause: error.cause }) : error
    )
  )

/** Empty if it is too long, even if its headers say otherwise. */
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

class Broken extends Data.TaggedError("Broken")<{ readonly cause: unknown }> {}

/** False if there is no such file. */
export const download = Effect.fnUntraced(function* (of: Download, localFile: string) {
  let done = 0
  let version: string | undefined
  let inVain = 0
  while (true) {
    const found = yield* get(of, done)
    if (found === undefined) return false
    // The file was replaced meanwhile.
    if (done > 0 && found.ETag !== version) {
      ;(found.Body as Readable | undefined)?.destroy()
      done = 0
      continue
    }
    version = found.ETag
    const { broken, bytes } = yield* write(found.Body as Readable, localFile, done)
    if (broken === undefined) return true
    inVain = bytes > 0 ? 0 : inVain + 1
    if (inVain > mostInVain) return yield* new Thrown({ operation: "GetObject", cause: broken })
    done += bytes
  }
})

/**
 * Appends to the existing file. Returns how far it got and why it broke off; a failure of the local disk is an error.
 */
const write = (body: Readable, localFile: string, from: number): Effect.Effect<Written, LakeError> =>
  attempt(async (signal) => {
    signal.addEventListener("abort", () => body.destroy())
    const file = await open(localFile, from === 0 ? "w" : "a")
    const pieces = body.iterator()
    let bytes = 0
    try {
      while (true) {
        const next = await pieces.next().catch((broken: unknown) => ({ broken }))
        if ("broken" in next) return { bytes, broken: next.broken ?? new Error("The body broke off.") }
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
