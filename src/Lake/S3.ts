/**
 * A Lake in a bucket of S3, or of any compatible store.
 *
 * Nothing is requested before the first use. If a bucket refuses, that call fails: the worker continues without it and
 * the next call tries again. If the process dies during a multipart upload, it stays unfinished until `abandon` ends
 * it; everything else is a single request.
 */
import { Effect, Layer, Option, Semaphore } from "effect"
import { Lake, type LakeError, type Replaced } from "./Lake.ts"
import * as Client from "./S3/Client.ts"
import { download, text as readText } from "./S3/Download.ts"
import { failure, named } from "./S3/Failure.ts"
import { type Learned, put, replace } from "./S3/Replace.ts"
import { partsAtOnce, upload } from "./S3/Upload.ts"
import * as LogLine from "../Runtime/LogLine.ts"

export { patient, type Place } from "./S3/Client.ts"

interface Bucket {
  readonly place: Client.Place
  readonly client: Client.Client
  /** With a slash at its end, or empty. */
  readonly folder: string
}

export const layerAt = (place: Client.Place, patience: Client.Patience = Client.patient): Layer.Layer<Lake> =>
  Layer.effect(
    Lake,
    Effect.gen(function* () {
      const client = yield* Client.make(patience)
      const memory = yield* Semaphore.make(partsAtOnce)
      const learned: Learned = { isGuarding: undefined, isUnquoted: false }
      const folder = place.prefix === "" ? "" : `${place.prefix}/`
      const bucket: Bucket = { place, client, folder }
      const at = (path: string) => ({ client, Bucket: place.bucket, Key: folder + path })
      const explained = inWords(bucket)
      return Lake.of({
        name: named(place),
        put: (path, localFile) => explained(upload({ ...at(path), memory }, localFile)),
        putText: (path, text) => explained(Effect.asVoid(put({ ...at(path), text }, {}))),
        readText: (path) => Effect.map(explained(readText(at(path))), Option.fromUndefinedOr),
        replaceText: (path, text, expected) =>
          explained(warned(bucket, learned, replace({ ...at(path), text, expected }, learned))),
        fetch: (path, localFile) => explained(download(at(path), localFile)),
        size: (path) => explained(size(bucket, path)),
        sizes: (below) => explained(sizes(bucket, below)),
        list: (below) => Effect.map(explained(sizes(bucket, below)), (found) => [...found.keys()]),
        remove: (path) =>
          explained(
            client.call("DeleteObject", (s3, options) =>
              s3.deleteObject({ Bucket: place.bucket, Key: folder + path }, options)
            )
          ),
        // A store that can't list unfinished uploads has to end them by a rule of its own; `doctor` says so.
        abandon: (isAbandoned) =>
          explained(
            Effect.catchIf(
              abandon(bucket, isAbandoned),
              ({ isUnknown, operation }) => isUnknown && operation === "ListMultipartUploads",
              () => Effect.void
            )
          )
      })
    })
  )

const inWords =
  ({ client, place }: Bucket) =>
  <A>(call: Effect.Effect<A, LakeError | Client.Thrown>): Effect.Effect<A, LakeError> =>
    Effect.catchTag(call, "Thrown", (thrown) =>
      Effect.flatMap(Effect.option(client.opened), (opened) =>
        Effect.fail(failure(place, Option.getOrUndefined(opened)?.endpoint, thrown))
      )
    )

/** Warns once in the life of the process. */
const warned = <E>(
  { place }: Bucket,
  learned: Learned,
  replaced: Effect.Effect<Replaced, E>
): Effect.Effect<Replaced, E> =>
  Effect.suspend(() => {
    const wasKnown = learned.isGuarding === false
    return Effect.tap(replaced, () =>
      learned.isGuarding === false && !wasKnown ? LogLine.write("lake.unguarded", { lake: named(place) }) : Effect.void
    )
  })

const size = ({ client, folder, place }: Bucket, path: string) =>
  client
    .call("HeadObject", (s3, options) => s3.headObject({ Bucket: place.bucket, Key: folder + path }, options))
    .pipe(
      Effect.map(({ ContentLength }) => Option.fromUndefinedOr(ContentLength)),
      Effect.catchIf(
        ({ status }) => status === 404,
        () => Effect.succeedNone
      )
    )

const sizes = Effect.fnUntraced(function* ({ client, folder, place }: Bucket, below: string) {
  const found: Array<readonly [path: string, bytes: number]> = []
  const Prefix = folder + below
  let ContinuationToken: string | undefined
  do {
    const page = yield* client.call("ListObjectsV2", (s3, options) =>
      s3.listObjectsV2({ Bucket: place.bucket, Prefix, EncodingType: "url", ContinuationToken }, options)
    )
    for (const { Key = "", Size = 0 } of page.Contents ?? []) {
      const key = page.EncodingType === "url" ? decodeURIComponent(Key.replaceAll("+", "%20")) : Key
      // Some tools create keys that end in a slash to represent folders.
      if (!key.endsWith("/")) found.push([key.slice(folder.length), Size])
    }
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
})

const abandon = Effect.fnUntraced(function* (bucket: Bucket, isAbandoned: (path: string) => boolean) {
  const { client, folder, place } = bucket
  const Bucket = place.bucket
  let KeyMarker: string | undefined
  let UploadIdMarker: string | undefined
  do {
    const page = yield* client.call("ListMultipartUploads", (s3, options) =>
      s3.listMultipartUploads({ Bucket, Prefix: folder, KeyMarker, UploadIdMarker }, options)
    )
    for (const { Key = "", UploadId = "" } of page.Uploads ?? []) {
      if (!isAbandoned(Key.slice(folder.length))) continue
      yield* Effect.catchIf(
        client.call("AbortMultipartUpload", (s3, options) =>
          s3.abortMultipartUpload({ Bucket, Key, UploadId }, options)
        ),
        ({ code }) => code === "NoSuchUpload",
        () => Effect.void
      )
    }
    KeyMarker = page.IsTruncated === true ? page.NextKeyMarker : undefined
    UploadIdMarker = page.NextUploadIdMarker
  } while (KeyMarker !== undefined)
})
