/**
 * An archive: deliveries with consecutive numbers, of one month, in a Parquet file that changes only when something is
 * erased from it, and a small JSON document that seals it. The document names the file's hash and the hash of the
 * previous archive's document, and carries an HMAC under the inbox's key. So no one else can write, change, swap or
 * drop an archive unnoticed. Pure.
 */
import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto"

export interface Archive {
  /** `<inbox id>/<month>-<first number>`: also its path in the folder and on the lake. */
  readonly name: string
  readonly first: number
  readonly through: number
  /** How many deliveries it contains; some numbers may be holes. */
  readonly deliveries: number
  /** The size of the file. */
  readonly bytes: number
  /** Of the file, in hex. */
  readonly sha256: string
  readonly before: Link | null
}

export interface Link {
  readonly name: string
  /** Of its document, in hex. */
  readonly sha256: string
}

export const nameOf = (inbox: string, month: string, first: number): string =>
  `${inbox}/${month}-${String(first).padStart(15, "0")}`

export const isName = (name: string): boolean => /^[0-9a-z-]+\/\d{4}-\d\d-\d{15}$/.test(name)

/** In a fixed order, because the HMAC covers the text. */
const fieldsOf = ({ before, bytes, deliveries, first, name, sha256, through }: Archive): Archive => ({
  name,
  first,
  through,
  deliveries,
  bytes,
  sha256,
  before: before && { name: before.name, sha256: before.sha256 }
})

const macOf = (archive: Archive, key: KeyObject): Buffer =>
  createHmac("sha256", key)
    .update(`siteledger archive\0${JSON.stringify(archive)}`)
    .digest()

/** The text of the document. */
export const sealed = (archive: Archive, key: KeyObject): string =>
  `${JSON.stringify({ ...fieldsOf(archive), hmac: macOf(fieldsOf(archive), key).toString("hex") }, null, 2)}\n`

export const linkTo = (archive: Archive, key: KeyObject): Link => ({
  name: archive.name,
  sha256: hash("sha256", sealed(archive, key), "hex")
})

/** What the document says, without checking the HMAC. Undefined if it isn't such a document. */
export const parse = (text: string): (Archive & { readonly hmac: string }) | undefined => {
  try {
    const found = JSON.parse(text) as Archive & { readonly hmac: string }
    const numbers = [found.first, found.through, found.deliveries, found.bytes]
    const texts = [found.name, found.sha256, found.hmac, found.before?.name ?? "", found.before?.sha256 ?? ""]
    const isOne = numbers.every(Number.isSafeInteger) && texts.every((each) => typeof each === "string")
    return isOne && isName(found.name) ? { ...fieldsOf(found), hmac: found.hmac } : undefined
  } catch {
    return undefined
  }
}

/** Undefined if it isn't exactly what we wrote. */
export const opened = (text: string, key: KeyObject): Archive | undefined => {
  const found = parse(text)
  if (found === undefined) return undefined
  const mac = Buffer.from(found.hmac, "hex")
  const expected = macOf(fieldsOf(found), key)
  return mac.length === expected.length && timingSafeEqual(mac, expected) ? fieldsOf(found) : undefined
}
