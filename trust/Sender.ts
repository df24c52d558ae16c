/**
 * The service as the sender of deliveries: it knows what it sent and what was acknowledged with a 2xx, and repeats the
 * rest until it is acknowledged.
 */
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import type { Dice } from "../sandbox/Seed.ts"
import { type Told, Tale } from "./Tale.ts"
import { pause, until } from "../bench/Waiting.ts"

const timeoutMs = 15_000

export const sign = (secret: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex")

export const headersOf = (secret: string, { body, id, type }: Told): Readonly<Record<string, string>> => ({
  "Content-Type": "application/json",
  "X-Service-Signature": sign(secret, body),
  "X-Service-Event-Id": id,
  "X-Service-Event-Type": type,
  "X-Service-Timestamp": new Date().toISOString()
})

export class Sender {
  tale: Tale
  readonly #dice: Dice
  readonly #secrets: () => ReadonlyArray<string>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })
  /** Where deliveries go. */
  url: string
  /** By the hash of the body. */
  readonly attempts = new Map<string, number>()
  readonly acknowledged = new Map<string, number>()
  /** The times of all answered attempts, in ms. */
  readonly latencies: Array<number> = []
  /** How many attempts ended with each status; 0: no answer. */
  readonly statuses = new Map<number, number>()

  /** `secrets`: the subscriptions' secrets, the newest first. */
  constructor(dice: Dice, url: string, secrets: () => ReadonlyArray<string>) {
    this.#dice = dice
    this.tale = new Tale(dice)
    this.url = url
    this.#secrets = secrets
  }

  get secret(): string {
    return this.#secrets()[0] ?? ""
  }

  /**
   * One attempt, signed for each subscription in turn until one signature is accepted. Returns the status, or 0 without
   * an answer.
   */
  async attempt(event: Told): Promise<number> {
    let status = 0
    for (const secret of this.#secrets()) {
      status = await this.signed(event, secret)
      if (status !== 401) return status
    }
    return status
  }

  /** One attempt, signed with this secret. */
  async signed(event: Told, secret: string): Promise<number> {
    const { body, sha256 } = event
    this.attempts.set(sha256, (this.attempts.get(sha256) ?? 0) + 1)
    const from = performance.now()
    const status = await new Promise<number>((resolve) => {
      const post = request(this.url, { method: "POST", agent: this.#agent, headers: headersOf(secret, event) })
      post.setTimeout(timeoutMs, () => post.destroy())
      post.on("response", (response) => {
        response.on("error", () => undefined).resume()
        response.on("close", () => resolve(response.statusCode ?? 0))
      })
      post.on("error", () => resolve(0))
      post.end(body)
    })
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status > 0) this.latencies.push(performance.now() - from)
    if (status >= 200 && status < 300) this.acknowledged.set(sha256, (this.acknowledged.get(sha256) ?? 0) + 1)
    return status
  }

  /** Sends new events all at once, and occasionally an old one; `answered` is called for each 2xx. */
  async burst(count: number, answered: () => void = () => undefined, filler = 0): Promise<ReadonlyArray<number>> {
    const { told } = this.tale
    const old = told.filter(() => this.#dice.chance(1 / (told.length + 1)))
    const events = [...this.tale.take(count, filler), ...old]
    return Promise.all(
      events.map(async (event) => {
        const status = await this.attempt(event)
        if (status === 200) answered()
        return status
      })
    )
  }

  /** Sends at this rate until the signal, and then waits until the last ones are delivered. */
  async steadily(signal: AbortSignal, perSecond: number): Promise<void> {
    while (!signal.aborted) {
      await Promise.all([this.burst(Math.max(1, Math.round(perSecond / 10))), pause(100)])
    }
  }

  get owed(): ReadonlyArray<Told> {
    return this.tale.told.filter(({ sha256 }) => !this.acknowledged.has(sha256))
  }

  /** Sends until everything is acknowledged, as the service does within its day. */
  async settle(): Promise<void> {
    await until("every delivery is acknowledged", async () => {
      const { owed } = this
      for (let at = 0; at < owed.length; at += 32) {
        await Promise.all(owed.slice(at, at + 32).map((event) => this.attempt(event)))
      }
      return this.owed.length === 0 ? true : undefined
    })
  }

  /** Goes back to an earlier state, as the data directory does. */
  restore(acknowledged: ReadonlyMap<string, number>, told: ReadonlyArray<Told>): void {
    this.acknowledged.clear()
    for (const [sha256, count] of acknowledged) this.acknowledged.set(sha256, count)
    this.tale.told.splice(0, this.tale.told.length, ...told)
  }

  close(): void {
    this.#agent.destroy()
  }
}
