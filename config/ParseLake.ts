/**
 * Where the lake is: a folder, or a bucket with what comes before each key in it. Whatever else S3 needs (credentials,
 * region, endpoint) the AWS SDK reads itself, from its own variables and files.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Result } from "effect"
import type { Parse } from "./Environment.ts"

export type LakeSetting =
  | { readonly kind: "folder"; readonly path: string }
  /** `prefix` has no slash at either end, and is empty for the whole bucket. */
  | { readonly kind: "s3"; readonly bucket: string; readonly prefix: string }

const sentence = "must be file:PATH or s3://BUCKET/PREFIX."

export const lake: Parse<LakeSetting> = (text) => (/^s3:/i.test(text) ? s3(text) : folder(text))

const folder: Parse<LakeSetting> = (text) => {
  const path = /^file:(.+)$/i.exec(text)?.[1]?.trim() ?? ""
  const asUrl = path.startsWith("//")
  return Result.try({
    try: () => (asUrl ? fileURLToPath(`file:${path}`) : path),
    catch: () => sentence
  }).pipe(
    Result.flatMap((folderPath) =>
      folderPath === "" ? Result.fail(sentence) : Result.succeed({ kind: "folder", path: resolve(folderPath) })
    )
  )
}

/** The prefix is taken as it is written: what is special in a URL is not special in a key. */
const s3: Parse<LakeSetting> = (text) => {
  const [, bucket = "", rest = ""] = /^s3:\/\/([^/]*)\/?(.*)$/i.exec(text) ?? []
  if (bucket.includes("@")) {
    return Result.fail("must hold no credentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_PROFILE name them.")
  }
  // Other stores allow more than AWS, which says itself what it doesn't like.
  if (!/^[A-Za-z0-9][\w.-]{1,253}[A-Za-z0-9]$/.test(bucket)) return Result.fail(sentence)
  const prefix = rest.replace(/\/+$/, "")
  const isPlain = prefix === "" || prefix.split("/").every((part) => !["", ".", ".."].includes(part))
  return isPlain
    ? Result.succeed({ kind: "s3", bucket, prefix })
    : Result.fail("must be s3://BUCKET/PREFIX without empty parts, . or .. in the prefix.")
}
