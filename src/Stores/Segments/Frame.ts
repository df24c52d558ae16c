/**
 * One frame of the inbox's files, as bytes:
 *
 *   mark · length · CRC-32 │ kind · number · length of the head · head (JSON) · body · HMAC-SHA256
 *
 * The checksum shows that a frame is complete; the HMAC, under the data directory's key, shows that siteledger wrote
 * it. If the bytes before a frame are damaged, the mark and the HMAC locate it again, and a body that imitates a frame
 * isn't taken for one.
 */
import { hash, type KeyObject } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Instant } from "../../Domain/Instant.ts"
import * as Hmac from "../../Runtime/Hmac.ts"

/** All deliveries of a body. */
export interface Sum {
  readonly deliveries: number
  /** It has also arrived under another id. */
  readonly replayed: boolean
  /** Other types in the headers of later deliveries. */
  readonly otherTypes: ReadonlyArray<string>
}

/** What came with a body; only the body itself was signed. */
export interface Labels {
  readonly eventId: string
  readonly headerType: string | null
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
  /** Names and values, as received. Empty if it was stored by version 0.1. */
  readonly headers: ReadonlyArray<string>
  /** The fingerprint of the secret that verified it; null if it was stored by version 0.1. */
  readonly secret: string | null
  /** An earlier, different body had the same event id. */
  readonly isReused?: boolean
  /** The SHA-256 of the body that arrived, as hex, if something has been erased from the stored one. */
  readonly erased?: string
  /** Its deliveries before it was moved into these files. */
  readonly counted?: Sum
}

interface Numbered {
  /** Its place in the stored order. */
  readonly number: number
}

/** A new body. */
export interface First extends Numbered {
  readonly kind: "first"
  readonly labels: Labels
  readonly body: Uint8Array
}

/** The hash of the body that arrived, by which it is known. */
export const sha256Of = ({ body, labels }: Pick<First, "body" | "labels">): Buffer =>
  labels.erased === undefined ? hash("sha256", body, "buffer") : Buffer.from(labels.erased, "hex")

/** The same as hex: going through a Buffer takes three times as long. */
export const sha256HexOf = ({ body, labels }: Pick<First, "body" | "labels">): string =>
  labels.erased ?? hash("sha256", body, "hex")

/** Another delivery of a known body. */
export interface Again extends Numbered {
  readonly kind: "again"
  /** The number of its first delivery. */
  readonly of: number
  readonly labels: Labels
}

/** Numbers without a frame. */
export interface Hole extends Numbered {
  readonly kind: "hole"
  readonly through: number
  /** Unused: never assigned. Lost: no copy had them. Archived: an archive has them. */
  readonly why: "archived" | "lost" | "unused"
  /** The archive's name. */
  readonly archive?: string
}

/** Numbers whose frames are in an archive. */
export type Archived = Hole & { readonly archive: string }

export const isArchived = (frame: Frame): frame is Archived =>
  frame.kind === "hole" && frame.why === "archived" && frame.archive !== undefined

/** A row of the Store as it was at the time. */
export interface Row extends Numbered {
  readonly kind: "row"
  readonly table: string
  /** The values of its key, as a JSON array. */
  readonly key: string
  /** All of its values, as a JSON object; null if it was deleted. */
  readonly row: string | null
}

/** Closes a segment. Its number is that of the frame after it, in the next segment. */
export interface End extends Numbered {
  readonly kind: "end"
}

export type Frame = First | Again | Hole | Row | End

/** The number of the next frame. */
export const numberAfter = (frame: Frame): number => {
  if (frame.kind === "end") return frame.number
  return (frame.kind === "hole" ? frame.through : frame.number) + 1
}

const mark = Buffer.from("\u0001SLR")
const markNumber = mark.readUInt32BE()
export const headBytes = 12
const kindAt = 0
const numberAt = 1
const lengthAt = 9
const fixedBytes = 13
const { hmacBytes } = Hmac
const kinds = ["first", "again", "hole", "end", "row"] as const

const headOf = (frame: Frame): unknown => {
  if (frame.kind === "first") return frame.labels
  if (frame.kind === "again") return { of: frame.of, ...frame.labels }
  if (frame.kind === "row") return { table: frame.table, key: frame.key, row: frame.row }
  if (frame.kind !== "hole") return {}
  return { through: frame.through, why: frame.why, ...(frame.archive && { archive: frame.archive }) }
}

/** The length of the frame that closes a segment. */
export const endBytes = headBytes + fixedBytes + "{}".length + hmacBytes

const noBody = new Uint8Array(0)

export const encode = (frame: Frame, key: KeyObject): Buffer =>
  framed(frame, JSON.stringify(headOf(frame)), frame.kind === "first" ? frame.body : noBody, key)

/** A first delivery, with its labels as JSON. */
export const encodeFirst = (number: number, labels: string, body: Uint8Array, key: KeyObject): Buffer =>
  framed({ kind: "first", number }, labels, body, key)

const framed = (
  { kind, number }: Pick<Frame, "kind" | "number">,
  head: string,
  body: Uint8Array,
  key: KeyObject
): Buffer => {
  const headLength = Buffer.byteLength(head)
  const length = fixedBytes + headLength + body.byteLength + hmacBytes
  const bytes = Buffer.allocUnsafe(headBytes + length)
  const content = bytes.subarray(headBytes)
  mark.copy(bytes)
  bytes.writeUInt32BE(length, 4)
  content.writeUInt8(kinds.indexOf(kind), kindAt)
  content.writeDoubleBE(number, numberAt)
  content.writeUInt32BE(headLength, lengthAt)
  content.write(head, fixedBytes)
  content.set(body, fixedBytes + headLength)
  Hmac.write(key, content.subarray(0, length - hmacBytes), content, length - hmacBytes)
  bytes.writeUInt32BE(crc32(content), 8)
  return bytes
}

/** The length of the frame that begins here; undefined if none can begin here. */
export const lengthOf = (bytes: Buffer, at: number): number | undefined =>
  at + headBytes <= bytes.byteLength && bytes.readUInt32BE(at) === markNumber
    ? headBytes + bytes.readUInt32BE(at + 4)
    : undefined

/** The frame's bytes without mark, length and checksum; undefined if no complete, undamaged frame begins here. */
export const contentAt = (bytes: Buffer, at: number): Buffer | undefined => {
  const length = lengthOf(bytes, at)
  if (length === undefined || at + length > bytes.byteLength || length < headBytes + fixedBytes + hmacBytes) return
  const content = bytes.subarray(at + headBytes, at + length)
  return crc32(content) === bytes.readUInt32BE(at + 8) ? content : undefined
}

/** The reverse: rebuilds the whole frame. */
export const wholeOf = (content: Buffer): Buffer => {
  const head = Buffer.allocUnsafe(headBytes)
  mark.copy(head)
  head.writeUInt32BE(content.byteLength, 4)
  head.writeUInt32BE(crc32(content), 8)
  return Buffer.concat([head, content])
}

export const numberOf = (content: Buffer): number => content.readDoubleBE(numberAt)

export const isHole = (content: Buffer): boolean => kinds[content.readUInt8(kindAt)] === "hole"

export const isEnd = (content: Buffer): boolean => kinds[content.readUInt8(kindAt)] === "end"

/** `numberAfter` of the frame, without decoding it if it is a delivery. */
export const numberAfterOf = (content: Buffer): number =>
  isHole(content) ? numberAfter(decode(content)) : numberOf(content) + (isEnd(content) ? 0 : 1)

export const isOurs = (content: Buffer, key: KeyObject): boolean => {
  const end = content.byteLength - hmacBytes
  return Hmac.isOf(key, content.subarray(0, end), content.subarray(end))
}

export const decode = (content: Buffer): Frame => {
  const headEnd = fixedBytes + content.readUInt32BE(lengthAt)
  const head = JSON.parse(content.toString("utf8", fixedBytes, headEnd)) as never
  const number = numberOf(content)
  const kind = kinds[content.readUInt8(kindAt)]
  if (kind === "first") return { kind, number, labels: head, body: content.subarray(headEnd, -hmacBytes) }
  if (kind === "end") return { kind, number }
  if (kind === "hole") return { kind, number, ...(head as Omit<Hole, "kind" | "number">) }
  if (kind === "row") return { kind, number, ...(head as Omit<Row, "kind" | "number">) }
  const { of, ...labels } = head as Labels & { readonly of: number }
  return { kind: "again", number, of, labels }
}

/** A frame's content in columns, as in an archive. */
export interface Columns {
  readonly number: number
  readonly kind: Frame["kind"]
  /** JSON. */
  readonly head: string
  readonly body: Uint8Array
  readonly hmac: Uint8Array
}

export const toColumns = (content: Buffer): Columns => {
  const headEnd = fixedBytes + content.readUInt32BE(lengthAt)
  return {
    number: numberOf(content),
    kind: kinds[content.readUInt8(kindAt)] ?? "end",
    head: content.toString("utf8", fixedBytes, headEnd),
    body: content.subarray(headEnd, -hmacBytes),
    hmac: content.subarray(-hmacBytes)
  }
}

/** The reverse. Its HMAC tells whether it is ours. */
export const fromColumns = ({ body, head, hmac, kind, number }: Columns): Buffer => {
  const headed = Buffer.from(head)
  const fixed = Buffer.alloc(fixedBytes)
  fixed.writeUInt8(Math.max(0, kinds.indexOf(kind)), kindAt)
  fixed.writeDoubleBE(number, numberAt)
  fixed.writeUInt32BE(headed.byteLength, lengthAt)
  return Buffer.concat([fixed, headed, body, hmac])
}

/** Where our next frame begins, at or after a place where none does; the end of the bytes if there is none. */
export const nextOurs = (bytes: Buffer, from: number, key: KeyObject): number => {
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const content = contentAt(bytes, at)
    if (content !== undefined && isOurs(content, key)) return at
  }
  return bytes.byteLength
}
