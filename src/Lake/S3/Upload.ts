/**
 * Uploads one local file to the bucket: in one request if it is small, otherwise in parts.
 *
 * Parts are read from the file as they are sent, and only a few parts of all files together are in memory at once.
 * Nothing is visible before the last request, and the size of what arrived is checked. A multipart upload that fails is
 * aborted; `abandon` clears away what a kill leaves unfinished.
 */
import { type FileHandle, open } from "node:fs/promises"
import type { CompletedPart, PutObjectCommandOutput } from "@aws-sdk/client-s3"
import { Effect, type Scope, type Semaphore } from "effect"
import { LakeError } from "../Lake.ts"
import { attempt } from "../LocalFiles.ts"
import { type Client, Thrown } from "./Client.ts"

const mebibyte = 1024 * 1024
const smallestPart = 8 * mebibyte
/** S3's limit per file. */
const mostParts = 10_000

export const partsAtOnce = 6

export interface Upload {
  readonly client: Client
  /** A permit for each part in memory, across all files. */
  readonly memory: Semaphore.Semaphore
  readonly Bucket: string
  readonly Key: string
}

type UploadError = LakeError | Thrown

/** In whole MiB, because some stores require all parts but the last to have the same size. */
export const partSize = (bytes: number): number =>
  Math.max(smallestPart, Math.ceil(bytes / mostParts / mebibyte) * mebibyte)

export const upload = (to: Upload, localFile: string): Effect.Effect<void, UploadError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* opened(localFile)
      const { size } = yield* attempt(() => file.stat())
      if (size > partSize(size)) return yield* inParts(to, file, size)
      const { Bucket, client, Key, memory } = to
      const body = Effect.flatMap(read(file, 0, size), (Body) =>
        client.call("PutObject", (s3, options) =>
          s3.putObject({ Bucket, Key, Body, ContentType: contentType(Key) }, options)
        )
      ).pipe(Effect.flatMap(stored))
      yield* memory.withPermit(body)
    })
  )

/** A store returns the version of what it has accepted; any other server may answer 200 to anything. */
export const stored = (answer: PutObjectCommandOutput): Effect.Effect<void, Thrown> =>
  answer.ETag === undefined ? Effect.fail(new Thrown({ operation: "PutObject", cause: answer })) : Effect.void

const opened = (localFile: string): Effect.Effect<FileHandle, LakeError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => open(localFile, "r")),
    (file) => Effect.promise(() => file.close())
  )

const read = (file: FileHandle, from: number, length: number): Effect.Effect<Buffer, LakeError> =>
  attempt(async () => {
    const buffer = Buffer.allocUnsafe(length)
    for (let done = 0; done < length;) {
      const { bytesRead } = await file.read(buffer, done, length - done, from + done)
      if (bytesRead === 0) throw new Error("The file became shorter while it was read.")
      done += bytesRead
    }
    return buffer
  })

const inParts = Effect.fnUntraced(function* (to: Upload, file: FileHandle, size: number) {
  const { Bucket, client, Key } = to
  const { UploadId = "" } = yield* client.call("CreateMultipartUpload", (s3, options) =>
    s3.createMultipartUpload({ Bucket, Key, ContentType: contentType(Key) }, options)
  )
  yield* Effect.onError(finish(to, file, size, UploadId), () => abort(to, UploadId))
  const arrived = yield* client.call("HeadObject", (s3, options) => s3.headObject({ Bucket, Key }, options))
  if (arrived.ContentLength === size) return
  const message = `s3://${Bucket}/${Key} has ${arrived.ContentLength} bytes instead of ${size}.`
  return yield* new LakeError({ reason: "Failed", message })
})

const finish = Effect.fnUntraced(function* (to: Upload, file: FileHandle, size: number, UploadId: string) {
  const { Bucket, client, Key, memory } = to
  const bytes = partSize(size)
  const numbers = Array.from({ length: Math.ceil(size / bytes) }, (_, index) => index + 1)
  const Parts = yield* Effect.forEach(
    numbers,
    (PartNumber) => {
      const from = (PartNumber - 1) * bytes
      const part = Effect.flatMap(read(file, from, Math.min(bytes, size - from)), (Body) =>
        client.call("UploadPart", (s3, options) => s3.uploadPart({ Bucket, Key, UploadId, PartNumber, Body }, options))
      )
      return Effect.map(memory.withPermit(part), ({ ChecksumCRC32, ETag }): CompletedPart => ({
        PartNumber,
        ETag,
        ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 })
      }))
    },
    { concurrency: partsAtOnce }
  )
  yield* Effect.catchIf(
    client.call("CompleteMultipartUpload", (s3, options) =>
      s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } }, options)
    ),
    // The answer was lost and the request was sent again after the upload had completed. The size is checked anyway.
    (thrown) => thrown.code === "NoSuchUpload",
    () => Effect.void
  )
})

const abortMillis = 3_000

/** Also runs while the worker stops, so it takes no longer than a stop may take. */
const abort = ({ Bucket, client, Key }: Upload, UploadId: string): Effect.Effect<void> =>
  Effect.ignore(
    client.call("AbortMultipartUpload", (s3) =>
      s3.abortMultipartUpload({ Bucket, Key, UploadId }, { abortSignal: AbortSignal.timeout(abortMillis) })
    )
  )

const contentTypes: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  json: "application/json",
  csv: "text/csv; charset=utf-8"
}

export const contentType = (key: string): string =>
  contentTypes[key.slice(key.lastIndexOf(".") + 1)] ?? "application/octet-stream"
