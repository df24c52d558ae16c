/**
 * Waiting for a state from outside, and free port numbers.
 */
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

export { pause }

const pollMs = 25
export const patienceMs = 60_000

/** Undefined if the state wasn't reached in time. */
export const within = async <A>(
  millis: number,
  ask: () => Promise<A | undefined> | A | undefined,
  everyMs = pollMs
): Promise<A | undefined> => {
  for (const from = performance.now(); performance.now() - from < millis; await pause(everyMs)) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  return undefined
}

export const until = async <A>(what: string, ask: () => Promise<A | undefined> | A | undefined): Promise<A> => {
  const answer = await within(patienceMs, ask)
  if (answer === undefined) throw new Error(`not within ${patienceMs / 1000} s: ${what}`)
  return answer
}

// Below the ephemeral range: a worker that is down for a moment must find its port free again.
const ports = { first: 12_000, count: 20_000, next: process.pid * 97 }

export const freePort = async (): Promise<number> => {
  const port = ports.first + (ports.next++ % ports.count)
  const probe = createServer().listen(port, "127.0.0.1")
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false
  )
  probe.close()
  return isFree ? port : freePort()
}

export const text = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
