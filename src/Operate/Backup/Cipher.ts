/**
 * Encrypts the contents of a backup: AES-256-GCM under keys derived from the backup's own key, with a fresh nonce each
 * time. The file's path is authenticated with its content, and says which backup, log and numbers it holds. So a file
 * that was changed or renamed can't be decrypted.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Redacted } from "effect"

export interface Cipher {
  /** Distinguishes keys without revealing anything about them. */
  readonly fingerprint: string
  readonly seal: (content: Uint8Array, path: string) => Buffer
  /** Undefined if it isn't what was sealed under this path. */
  readonly open: (sealed: Uint8Array, path: string) => Buffer | undefined
}

const nonceBytes = 12
const tagBytes = 16

/** `key`: 64 hex digits. */
export const make = (key: Redacted.Redacted): Cipher => {
  const own = Buffer.from(Redacted.value(key), "hex")
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", own, "", `siteledger backup ${purpose}`, bytes))
  const contents = derived("contents", 32)
  return {
    fingerprint: derived("fingerprint", 8).toString("hex"),
    seal: (content, path) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv("aes-256-gcm", contents, nonce).setAAD(Buffer.from(path))
      return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open: (sealed, path) => {
      if (sealed.byteLength < nonceBytes + tagBytes) return undefined
      const options = { authTagLength: tagBytes }
      const decipher = createDecipheriv("aes-256-gcm", contents, sealed.subarray(0, nonceBytes), options)
        .setAAD(Buffer.from(path))
        .setAuthTag(sealed.subarray(-tagBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    }
  }
}
