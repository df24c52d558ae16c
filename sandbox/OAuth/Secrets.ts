/**
 * Unguessable values: 256 bits of the system's randomness for every code, token and form, independent of the sandbox's
 * seed. Also a comparison whose duration doesn't show where two secrets differ.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/** 43 characters of base64url: safe in a URL, a header and a cookie. */
export const opaque = (): string => randomBytes(32).toString("base64url")

export const isOpaque = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

const digest = (text: string) => createHash("sha256").update(text).digest()

export const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
