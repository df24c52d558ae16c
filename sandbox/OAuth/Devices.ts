/**
 * Logins on a device without a browser (RFC 8628; the interface document shows none, §5.2: assumed). The device shows a
 * short code, a person enters it in any browser and answers, and until then the device keeps asking for its token.
 *
 * A device that asks more often than its interval is told to slow down, by 5 more seconds each time. A code brings one
 * grant. In memory only: a restart ends every code.
 */
import { randomInt } from "node:crypto"
import { Result } from "effect"
import type { Client } from "./Clients.ts"
import * as Expiring from "./Expiring.ts"
import { begin, type Grant } from "./Grants.ts"
import { refuse, type Refusal } from "./Refusal.ts"
import { opaque } from "./Secrets.ts"

export const deviceSeconds = 600
export const firstIntervalSeconds = 5

/** The device that a person is asked about. */
export interface Device {
  readonly client: Client
  readonly scopes: ReadonlyArray<string>
  /** Shown to the person by the device and by the page, so that they can compare. */
  readonly userCode: string
}

interface Waiting extends Device {
  readonly endsAtMillis: number
  decision: "pending" | "allowed" | "denied"
  intervalSeconds: number
  askedAtMillis: number
}

export interface Devices {
  /** Returns the device's secret code along with the person's. */
  readonly start: (
    client: Client,
    scopes: ReadonlyArray<string>,
    nowMillis: number
  ) => { readonly deviceCode: string; readonly userCode: string }
  /** By the person's code, in any spelling. Undefined: no login with this code waits for an answer. */
  readonly find: (userCode: string, nowMillis: number) => Device | undefined
  /** False: the login no longer waits. */
  readonly decide: (device: Device, decision: "allowed" | "denied", nowMillis: number) => boolean
  /** The device asks for its token. */
  readonly redeem: (client: Client, deviceCode: string, nowMillis: number) => Result.Result<Grant, Refusal>
}

/** Letters that make no words and are hard to confuse (RFC 8628 §6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"
const freshCode = (): string => {
  const code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("")
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

const lettersOf = (userCode: string): string => userCode.toUpperCase().replaceAll(/[^A-Z]/g, "")

export const make = (): Devices => {
  // Kept twice as long as they are valid, so that an expired code can be told from one that never existed.
  const byDeviceCode = Expiring.make<Waiting>(2 * deviceSeconds)
  const byUserCode = Expiring.make<Waiting>(deviceSeconds)
  const pending = (userCode: string, nowMillis: number): Waiting | undefined => {
    const found = byUserCode.get(lettersOf(userCode), nowMillis)
    return found?.decision === "pending" ? found : undefined
  }
  return {
    start: (client, scopes, nowMillis) => {
      const deviceCode = opaque()
      const userCode = freshCode()
      const waiting: Waiting = {
        client,
        scopes,
        userCode,
        endsAtMillis: nowMillis + deviceSeconds * 1000,
        decision: "pending",
        intervalSeconds: firstIntervalSeconds,
        askedAtMillis: -Infinity
      }
      byDeviceCode.add(deviceCode, waiting, nowMillis)
      byUserCode.add(lettersOf(userCode), waiting, nowMillis)
      return { deviceCode, userCode }
    },
    find: pending,
    decide: ({ userCode }, decision, nowMillis) => {
      const waiting = pending(userCode, nowMillis)
      if (waiting === undefined) return false
      waiting.decision = decision
      return true
    },
    redeem: (client, deviceCode, nowMillis) => {
      const waiting = byDeviceCode.get(deviceCode, nowMillis)
      if (waiting === undefined || waiting.client !== client) return refuse("invalid_grant", "no such device code")
      if (waiting.endsAtMillis <= nowMillis) return refuse("expired_token", "the device code has expired")
      const isTooSoon = nowMillis < waiting.askedAtMillis + waiting.intervalSeconds * 1000
      waiting.askedAtMillis = nowMillis
      if (isTooSoon) {
        waiting.intervalSeconds += 5
        return refuse("slow_down", `wait ${waiting.intervalSeconds} seconds between two requests`)
      }
      if (waiting.decision === "pending") return refuse("authorization_pending", "the person has not answered yet")
      byDeviceCode.remove(deviceCode)
      return waiting.decision === "denied"
        ? refuse("access_denied", "the user denied the request")
        : Result.succeed(begin(client, waiting.scopes))
    }
  }
}
