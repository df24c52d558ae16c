/**
 * AWS Signature Version 4 as a store checks it, and the headers' claims about the body: its SHA-256 or, if it is sent
 * in chunks, the checksum in the trailer. Returns the body without the chunk framing; refuses as S3 does.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import { type Asked, Refusal } from "./Asked.ts"

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

const maxSkewMillis = 15 * 60_000

const hex = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex")
const hmac = (key: Buffer | string, content: string): Buffer => createHmac("sha256", key).update(content).digest()

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

export const verified = (asked: Asked, body: Buffer, keys: Keys, nowMillis: number): Buffer => {
  const given = authorization.exec(asked.headers.authorization ?? "")
  if (given === null) throw new Refusal(403, "AccessDenied", "The request is not signed.")
  const [, accessKeyId, day = "", region = "", names = "", signature = ""] = given
  if (accessKeyId !== keys.accessKeyId) throw new Refusal(403, "InvalidAccessKeyId")
  if (region !== keys.region) {
    throw new Refusal(
      400,
      "AuthorizationHeaderMalformed",
      `the region '${region}' is wrong; expecting '${keys.region}'`,
      {
        "x-amz-bucket-region": keys.region
      }
    )
  }
  const date = header(asked, "x-amz-date")
  if (Math.abs(millisOf(date) - nowMillis) > maxSkewMillis) throw new Refusal(403, "RequestTimeTooSkewed")
  const content = header(asked, "x-amz-content-sha256")
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", date, scope, hex(canonical(asked, names.split(";"), content))].join("\n")
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${keys.secretAccessKey}`, day))
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, "hex"))) {
    throw new Refusal(403, "SignatureDoesNotMatch")
  }
  return checked(asked, body, content)
}

const header = (asked: Asked, name: string): string => String(asked.headers[name] ?? "")

/** Parses "20261120T020000Z". */
const millisOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))

const canonical = (asked: Asked, names: ReadonlyArray<string>, content: string): string => {
  const parameters = asked.rawQuery === "" ? [] : asked.rawQuery.split("&")
  const query = parameters.map((each) => (each.includes("=") ? each : `${each}=`)).toSorted()
  const headers = names.map((name) => `${name}:${header(asked, name).trim().replaceAll(/ +/g, " ")}\n`)
  return [asked.method, asked.path, query.join("&"), headers.join(""), names.join(";"), content].join("\n")
}

const checked = (asked: Asked, sent: Buffer, content: string): Buffer => {
  const inChunks = content === "STREAMING-UNSIGNED-PAYLOAD-TRAILER" ? unchunked(sent) : undefined
  if (inChunks === undefined && content !== "UNSIGNED-PAYLOAD" && content !== hex(sent)) {
    throw new Refusal(400, "XAmzContentSHA256Mismatch", "The body is not the one that was signed.")
  }
  const body = inChunks?.body ?? sent
  const sum = inChunks?.trailer["x-amz-checksum-crc32"] ?? asked.headers["x-amz-checksum-crc32"]
  const md5 = asked.headers["content-md5"]
  const isWrong =
    (sum !== undefined && sum !== crc32Of(body)) ||
    (md5 !== undefined && md5 !== createHash("md5").update(body).digest("base64"))
  if (isWrong) throw new Refusal(400, "BadDigest", "The body doesn't match its checksum.")
  return body
}

const crc32Of = (body: Buffer): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString("base64")
}

/** Content-Encoding aws-chunked: a size in hex before each chunk, and header lines after the last. */
const unchunked = (sent: Buffer): { readonly body: Buffer; readonly trailer: Readonly<Record<string, string>> } => {
  const pieces: Array<Buffer> = []
  let at = 0
  while (true) {
    const end = sent.indexOf("\r\n", at)
    const length = Number.parseInt(sent.toString("latin1", at, end), 16)
    if (end === -1 || !(length >= 0)) throw new Refusal(400, "IncompleteBody")
    at = end + 2
    if (length === 0) break
    pieces.push(sent.subarray(at, at + length))
    at += length + 2
  }
  const lines = sent
    .toString("latin1", at)
    .split("\r\n")
    .filter((line) => line !== "")
  const trailer = Object.fromEntries(lines.map((line) => line.split(":", 2).map((part) => part.trim())))
  return { body: Buffer.concat(pieces), trailer: trailer as Record<string, string> }
}
