/**
 * Proof Key for Code Exchange (RFC 7636), method S256 only: a `plain` challenge is the verifier itself, visible to
 * anyone who sees the request that it should protect (RFC 9700 §2.1.1). Pure.
 */
import { createHash } from "node:crypto"

/** §4.1: 43 to 128 unreserved characters. */
export const isVerifier = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text)

/** §4.2: a SHA-256 in base64url without padding, so exactly 43 characters. */
export const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")
