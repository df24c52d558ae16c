/**
 * The identity of a service: its event ids, webhook secrets and delivery ids are derived from it. It is random unless
 * it is given, and kept in the state file. So two runs share no id and no secret even with the same seed, and a service
 * that restarts keeps its own.
 */
import { hash, randomBytes } from "node:crypto"

export const fresh = (): string => randomBytes(16).toString("hex")

/** What a value is for: equal numbers for different purposes give different values. */
type Purpose = "event" | "ping" | "test" | "other event" | "secret" | "deliveries"

const derived = (identity: string, purpose: Purpose, n: number): string =>
  hash("sha256", `${identity}\n${purpose}\n${n}`)

/** In the format of a version 4 UUID. */
export const uuid = (identity: string, purpose: Purpose, n: number): string => {
  const hex = derived(identity, purpose, n)
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const secret = (identity: string, n: number): string => `whsec_${derived(identity, "secret", n)}`

/** The prefix of this service's delivery ids. */
export const deliveryTag = (identity: string): string => derived(identity, "deliveries", 0).slice(0, 6)
