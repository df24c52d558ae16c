/**
 * Certificates for real TLS, made when a test needs them: from an authority, self-signed, expired, or for another host.
 * Node signs but writes no X.509, so the few fields that TLS needs are encoded here (RFC 5280 §4.1, DER).
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { isIP } from "node:net"

/** PEM, as node:tls takes them. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

interface Wanted {
  readonly names: ReadonlyArray<string>
  readonly from: Date
  readonly until: Date
}

const days = (count: number) => new Date(Date.now() + count * 86_400_000)
const usual: Wanted = { names: ["127.0.0.1", "localhost"], from: days(-1), until: days(1) }

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)
const yes = Buffer.from([0x01, 0x01, 0xff])

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const named = (name: string) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))))
const utc = (at: Date) =>
  der(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replace(/\.\d+|[-:T]/g, "")
        .slice(2)}`
    )
  )

const altName = (name: string) =>
  isIP(name) === 4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name))
const altNames = (names: ReadonlyArray<string>) => sequence(oid("551d11"), der(0x04, sequence(...names.map(altName))))
const isAuthority = sequence(oid("551d13"), yes, der(0x04, sequence(yes)))

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })

interface Signed extends Omit<Wanted, "names"> {
  readonly issuer: string
  readonly subject: string
  readonly publicKey: KeyObject
  readonly extension: Buffer
}

const signed = ({ extension, from, issuer, publicKey, subject, until }: Signed, by: KeyObject): string => {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const version3 = der(0xa0, der(0x02, Buffer.from([2])))
  const contents = sequence(
    version3,
    der(0x02, serial),
    ecdsaWithSha256,
    named(issuer),
    sequence(utc(from), utc(until)),
    named(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension))
  )
  return pem(sequence(contents, ecdsaWithSha256, bits(sign("sha256", contents, by))))
}

const keyText = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString()

export class Authority {
  readonly #name = `Authority ${randomBytes(4).toString("hex")}`
  readonly #keys = newKeys()
  /** The certificate to trust, for everything that it issues. */
  readonly cert = signed(
    { ...usual, issuer: this.#name, subject: this.#name, publicKey: this.#keys.publicKey, extension: isAuthority },
    this.#keys.privateKey
  )

  issue(wanted: Partial<Wanted> = {}): Certificate {
    const { names, ...validity } = { ...usual, ...wanted }
    const { privateKey, publicKey } = newKeys()
    const extension = altNames(names)
    const of = { ...validity, issuer: this.#name, subject: names[0] ?? "", publicKey, extension }
    return { cert: signed(of, this.#keys.privateKey), key: keyText(privateKey) }
  }
}

export const selfSigned = (): Certificate => {
  const { privateKey, publicKey } = newKeys()
  const extension = altNames(usual.names)
  const of = { ...usual, issuer: "127.0.0.1", subject: "127.0.0.1", publicKey, extension }
  return { cert: signed(of, privateKey), key: keyText(privateKey) }
}

export const daysFromNow = days
