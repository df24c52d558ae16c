/**
 * One request as it arrived, and its answer; the operation has its name from the S3 reference.
 */
import type { IncomingHttpHeaders } from "node:http"

export interface Asked {
  readonly method: string
  /** As sent, percent-encoded, without the query. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly rawQuery: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly bucket: string
  /** Empty for operations on the bucket. */
  readonly key: string
  readonly operation: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Stops in the middle of the body: "half" breaks the connection, "stall" keeps it open. */
  readonly breaksOff?: "half" | "stall"
}

/** Thrown to refuse a request; the answer is S3's error document. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, code: string, message = code, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

const ofBucket: ReadonlyArray<readonly [method: string, parameter: string, operation: string]> = [
  ["GET", "uploads", "ListMultipartUploads"],
  ["GET", "list-type", "ListObjectsV2"],
  ["POST", "delete", "DeleteObjects"],
  ["HEAD", "", "HeadBucket"]
]

const ofKey: ReadonlyArray<readonly [method: string, parameter: string, operation: string]> = [
  ["POST", "uploads", "CreateMultipartUpload"],
  ["POST", "uploadId", "CompleteMultipartUpload"],
  ["PUT", "uploadId", "UploadPart"],
  ["DELETE", "uploadId", "AbortMultipartUpload"],
  ["PUT", "", "PutObject"],
  ["GET", "", "GetObject"],
  ["HEAD", "", "HeadObject"],
  ["DELETE", "", "DeleteObject"]
]

/** Reads a request in path style: `/bucket/key`. */
export const read = (method: string, url: string, headers: IncomingHttpHeaders): Asked => {
  const [path = "", rawQuery = ""] = url.split("?", 2)
  const query = new URLSearchParams(rawQuery)
  const [, bucket = "", ...parts] = path.split("/")
  const key = decodeURIComponent(parts.join("/"))
  const found = (key === "" ? ofBucket : ofKey).find(
    ([of, parameter]) => of === method && (parameter === "" || query.has(parameter))
  )
  return { method, path, rawQuery, query, headers, bucket, key, operation: found?.[2] ?? "Unknown" }
}
