/**
 * The bytes of a signed body. They are stored and identified as they were signed, possibly compressed; this module
 * unpacks them.
 *
 * The format is recognised from the bytes alone, because no header is signed. gzip and zlib (`deflate` in HTTP) begin
 * with their own mark and end with a checksum. Brotli has neither, so a body counts as Brotli if it isn't text and
 * unpacks to a JSON object. None of the three begins with `{`. Unpacking stops at a limit, so a small body can't fill
 * the memory. Pure.
 */
import { isUtf8 } from "node:buffer"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"

type Method = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const openBrace = 0x7b

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

/** RFC 1950 §2.2. */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean => (first & 15) === 8 && (first * 256 + second) % 31 === 0

/** The unpacked bytes, or the same bytes if they aren't compressed in a known way. */
export const unpack = (bytes: Uint8Array, mostBytes: number): Uint8Array | "too-large" => {
  if (bytes[0] === openBrace) return bytes
  const marked = isGzip(bytes) ? gunzipSync : isZlib(bytes) ? inflateSync : undefined
  const plain = marked && attempt(marked, bytes, mostBytes)
  if (plain !== undefined) return plain
  if (isUtf8(bytes)) return bytes
  const guessed = attempt(brotliDecompressSync, bytes, mostBytes) ?? bytes
  return guessed === "too-large" || opensObject(guessed) ? guessed : bytes
}

/** Undefined if the bytes aren't in this format. */
const attempt = (method: Method, bytes: Uint8Array, mostBytes: number): Uint8Array | "too-large" | undefined => {
  try {
    return method(bytes, { maxOutputLength: mostBytes })
  } catch (cause) {
    return (cause as { readonly code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? "too-large" : undefined
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf]
const whiteSpace: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

const opensObject = (bytes: Uint8Array): boolean => {
  let at = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0
  while (whiteSpace.has(bytes[at])) at++
  return bytes[at] === openBrace
}
