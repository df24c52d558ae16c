/**
 * The contents of the stub's one bucket, and the operations on it. It knows nothing of HTTP connections or faults.
 */
import { createHash, randomUUID } from "node:crypto"
import { type Answer, type Asked, Refusal } from "./Asked.ts"
import * as Xml from "./Xml.ts"

export interface Stored {
  readonly body: Buffer
  /** Without the quotes. */
  readonly etag: string
}

export interface Upload {
  readonly key: string
  readonly parts: Map<number, Stored>
}

/**
 * How the store treats If-Match and If-None-Match on a write: correctly, with a 501, not at all, or like radosgw, which
 * never matches an ETag in the quotes that it was returned in.
 */
export type Conditional = "yes" | "unsupported" | "ignored" | "unquoted"

export interface Bucket {
  readonly objects: Map<string, Stored>
  readonly uploads: Map<string, Upload>
  conditional: Conditional
  /** Keys on one page of a list. */
  pageSize: number
}

export const make = (): Bucket => ({ objects: new Map(), uploads: new Map(), conditional: "yes", pageSize: 1000 })

const md5 = (content: Buffer): string => createHash("md5").update(content).digest("hex")
const quoted = (etag: string): string => `"${etag}"`
const lastModified = "Fri, 20 Nov 2026 02:00:00 GMT"

type Operation = (bucket: Bucket, asked: Asked, body: Buffer) => Answer

export const perform = (bucket: Bucket, asked: Asked, body: Buffer): Answer => {
  const operation = operations[asked.operation]
  if (operation === undefined) throw new Refusal(501, "NotImplemented")
  return operation(bucket, asked, body)
}

const put: Operation = (bucket, asked, body) => {
  guard(bucket, asked)
  const etag = md5(body)
  bucket.objects.set(asked.key, { body: Buffer.from(body), etag })
  return { status: 200, headers: { etag: quoted(etag) } }
}

const guard = ({ conditional, objects }: Bucket, { headers, key }: Asked): void => {
  const match = headers["if-match"]
  const noneMatch = headers["if-none-match"]
  if ((match === undefined && noneMatch === undefined) || conditional === "ignored") return
  if (conditional === "unsupported")
    throw new Refusal(501, "NotImplemented", "A header you provided is not implemented.")
  const there = objects.get(key)
  if (noneMatch === "*" && there !== undefined) throw new Refusal(412, "PreconditionFailed")
  if (match === undefined) return
  if (there === undefined) throw new Refusal(404, "NoSuchKey")
  if (match !== (conditional === "unquoted" ? there.etag : quoted(there.etag))) {
    throw new Refusal(412, "PreconditionFailed")
  }
}

const stored = ({ objects }: Bucket, key: string): Stored => {
  const found = objects.get(key)
  if (found === undefined) throw new Refusal(404, "NoSuchKey")
  return found
}

const get: Operation = (bucket, { headers, key }) => {
  const { body, etag } = stored(bucket, key)
  const head = { etag: quoted(etag), "last-modified": lastModified }
  const range = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "")
  if (range === null) return { status: 200, headers: head, body }
  const [first, last] = [
    Number(range[1]),
    range[2] === "" ? body.length - 1 : Math.min(Number(range[2]), body.length - 1)
  ]
  if (first >= body.length) throw new Refusal(416, "InvalidRange")
  const covered = { "content-range": `bytes ${first}-${last}/${body.length}` }
  return { status: 206, headers: { ...head, ...covered }, body: body.subarray(first, last + 1) }
}

const head: Operation = (bucket, { key }) => {
  const { body, etag } = stored(bucket, key)
  return {
    status: 200,
    headers: { etag: quoted(etag), "last-modified": lastModified, "content-length": String(body.length) }
  }
}

const remove: Operation = ({ objects }, { key }) => {
  objects.delete(key)
  return { status: 204 }
}

const removeAll: Operation = ({ objects }, _asked, body) => {
  for (const key of Xml.texts(body.toString(), "Key")) objects.delete(key)
  return Xml.answer("DeleteResult", "")
}

const list: Operation = ({ objects, pageSize }, { query }) => {
  const prefix = query.get("prefix") ?? ""
  const after = query.get("continuation-token") ?? query.get("start-after") ?? ""
  const size = Math.min(Number(query.get("max-keys") ?? pageSize), pageSize)
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
  const page = keys.slice(0, size)
  const isEncoded = query.get("encoding-type") === "url"
  const encoded = (key: string) => (isEncoded ? Xml.inUrl(key) : Xml.escaped(key))
  const contents = page.map((key) => {
    const { body, etag } = stored({ objects } as Bucket, key)
    return `<Contents><Key>${encoded(key)}</Key><Size>${body.length}</Size><ETag>&quot;${etag}&quot;</ETag></Contents>`
  })
  const isCut = keys.length > page.length
  return Xml.answer(
    "ListBucketResult",
    `<KeyCount>${page.length}</KeyCount><IsTruncated>${isCut}</IsTruncated>`,
    isEncoded ? "<EncodingType>url</EncodingType>" : "",
    isCut ? `<NextContinuationToken>${Xml.escaped(page.at(-1) ?? "")}</NextContinuationToken>` : "",
    ...contents
  )
}

const create: Operation = ({ uploads }, { key }) => {
  const id = randomUUID()
  uploads.set(id, { key, parts: new Map() })
  return Xml.answer("InitiateMultipartUploadResult", `<Key>${Xml.escaped(key)}</Key><UploadId>${id}</UploadId>`)
}

const uploadOf = ({ uploads }: Bucket, { key, query }: Asked): { readonly id: string; readonly upload: Upload } => {
  const id = query.get("uploadId") ?? ""
  const upload = uploads.get(id)
  if (upload === undefined || upload.key !== key) throw new Refusal(404, "NoSuchUpload")
  return { id, upload }
}

const uploadPart: Operation = (bucket, asked, body) => {
  const etag = md5(body)
  uploadOf(bucket, asked).upload.parts.set(Number(asked.query.get("partNumber")), { body: Buffer.from(body), etag })
  return { status: 200, headers: { etag: quoted(etag) } }
}

const smallestPart = 5 * 1024 * 1024

const complete: Operation = (bucket, asked, body) => {
  const { id, upload } = uploadOf(bucket, asked)
  const numbers = Xml.texts(body.toString(), "PartNumber").map(Number)
  const etags = Xml.texts(body.toString(), "ETag").map((etag) => etag.replaceAll('"', ""))
  const parts = numbers.map((number, index) => {
    const part = upload.parts.get(number)
    if (part === undefined || part.etag !== etags[index]) throw new Refusal(400, "InvalidPart")
    if (part.body.length < smallestPart && index < numbers.length - 1) throw new Refusal(400, "EntityTooSmall")
    return part
  })
  if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0))) throw new Refusal(400, "InvalidPartOrder")
  const etag = `${md5(Buffer.concat(parts.map((part) => Buffer.from(part.etag, "hex"))))}-${parts.length}`
  bucket.objects.set(upload.key, { body: Buffer.concat(parts.map((part) => part.body)), etag })
  bucket.uploads.delete(id)
  return Xml.answer(
    "CompleteMultipartUploadResult",
    `<Key>${Xml.escaped(upload.key)}</Key><ETag>&quot;${etag}&quot;</ETag>`
  )
}

const abort: Operation = (bucket, asked) => {
  bucket.uploads.delete(uploadOf(bucket, asked).id)
  return { status: 204 }
}

const listUploads: Operation = ({ pageSize, uploads }, { query }) => {
  const prefix = query.get("prefix") ?? ""
  const after = query.get("upload-id-marker") ?? ""
  const found = [...uploads].filter(([id, { key }]) => key.startsWith(prefix) && id > after)
  const page = found.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, pageSize)
  const isCut = found.length > page.length
  const [lastId = "", last] = page.at(-1) ?? []
  return Xml.answer(
    "ListMultipartUploadsResult",
    `<IsTruncated>${isCut}</IsTruncated>`,
    isCut ? `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>` : "",
    ...page.map(([id, { key }]) => `<Upload><Key>${Xml.escaped(key)}</Key><UploadId>${id}</UploadId></Upload>`)
  )
}

const operations: Readonly<Record<string, Operation>> = {
  PutObject: put,
  GetObject: get,
  HeadObject: head,
  DeleteObject: remove,
  DeleteObjects: removeAll,
  HeadBucket: () => ({ status: 200 }),
  ListObjectsV2: list,
  CreateMultipartUpload: create,
  UploadPart: uploadPart,
  CompleteMultipartUpload: complete,
  AbortMultipartUpload: abort,
  ListMultipartUploads: listUploads
}
