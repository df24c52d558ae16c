/**
 * A lake in a bucket, for `siteledger doctor`: whether it exists, what it permits, whether the store can detect a
 * second writer, and whether the clocks agree. To find out, one object is written, replaced and deleted.
 */
import { randomUUID } from "node:crypto"
import { Duration, Effect, Option } from "effect"
import { LakeError } from "../../Lake/Lake.ts"
import { fail, ok, type CheckResult, warn } from "../Doctor.ts"
import * as Client from "../../Lake/S3/Client.ts"
import { text as readText } from "../../Lake/S3/Download.ts"
import { failure, named } from "../../Lake/S3/Failure.ts"
import { put, replace } from "../../Lake/S3/Replace.ts"

/** A doctor's check takes six seconds at most. */
const patience: Client.Patience = {
  ...Client.patient,
  attempts: 2,
  connectMillis: 1_500,
  idleMillis: 2_500,
  requestMillis: 2_500
}

export const bucket = (place: Client.Place) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* Client.make(patience)
      const found = yield* Effect.result(examined(client, place))
      if (found._tag === "Success") return [...found.success, ...(yield* clock(client))]
      const opened = Option.getOrUndefined(yield* Effect.option(client.opened))
      const error = found.failure
      const { message } = error instanceof LakeError ? error : failure(place, opened?.endpoint, error)
      return [fail(message)]
    })
  )

const examined = (client: Client.Client, place: Client.Place) => {
  const Bucket = place.bucket
  const Key = `${place.prefix === "" ? "" : `${place.prefix}/`}_doctor/${randomUUID()}.txt`
  const of = { client, Bucket, Key }
  const remove = client.call("DeleteObject", (s3, options) => s3.deleteObject({ Bucket, Key }, options))
  const use = Effect.gen(function* () {
    yield* put({ ...of, text: "siteledger doctor was here" }, {})
    const expected = Option.map(Option.fromUndefinedOr(yield* readText(of)), ({ version }) => version)
    const learned = { isGuarding: undefined, isUnquoted: false }
    const replaced = yield* replace({ ...of, text: "siteledger doctor was here again", expected }, learned)
    return { replaced, isListed: yield* multipart(of) }
  })
  return Effect.gen(function* () {
    yield* client.call("ListObjectsV2", (s3, options) => s3.listObjectsV2({ Bucket, Prefix: Key, MaxKeys: 1 }, options))
    const { isListed, replaced } = yield* Effect.onError(use, () => Effect.ignore(remove))
    yield* remove
    const allowed = ok(`${named(place)} permits listing, reading, writing and deleting.`)
    const guarded = replaced === "guarded" ? ok("The store can tell two exporters apart.") : unguarded
    return [allowed, guarded, ...(isListed ? [] : [unlisted])]
  })
}

const unguarded: CheckResult = warn(
  "The store has no conditional writes, so two exporters can't notice each other.",
  "Let only one write there."
)

const unlisted: CheckResult = warn(
  "The store can't list unfinished uploads, so parts of a large file that a killed export leaves there stay, and take space.",
  "Give the bucket a rule that ends incomplete uploads after two days."
)

/** Multipart uploads, which large files need, and whether the store lists unfinished ones. */
const multipart = ({ Bucket, client, Key }: { readonly client: Client.Client; Bucket: string; Key: string }) =>
  Effect.gen(function* () {
    const { UploadId } = yield* client.call("CreateMultipartUpload", (s3, options) =>
      s3.createMultipartUpload({ Bucket, Key }, options)
    )
    const abort = client.call("AbortMultipartUpload", (s3, options) =>
      s3.abortMultipartUpload({ Bucket, Key, UploadId }, options)
    )
    const list = client.call("ListMultipartUploads", (s3, options) =>
      s3.listMultipartUploads({ Bucket, Prefix: Key }, options)
    )
    const isListed = Effect.as(list, true).pipe(
      Effect.catchIf(
        ({ isUnknown }) => isUnknown,
        () => Effect.succeed(false)
      )
    )
    const found = yield* Effect.onError(isListed, () => Effect.ignore(abort))
    yield* abort
    return found
  })

const tolerated = Duration.seconds(60)

/** By now the SDK has compared our clock with the dates in the store's answers. */
const clock = (client: Client.Client) =>
  Effect.map(client.opened, ({ s3 }): ReadonlyArray<CheckResult> => {
    const ahead = s3.config.systemClockOffset
    if (Math.abs(ahead) < Duration.toMillis(tolerated)) return []
    const seconds = Math.round(Math.abs(ahead) / 1000)
    const side = ahead > 0 ? "behind" : "ahead of"
    return [
      warn(
        `This machine's clock is ${seconds} seconds ${side} the store's.`,
        "Set it, and keep it synchronised by NTP."
      )
    ]
  })
