/**
 * The webhook half of the stand-in service of the tests: subscriptions (§4.2), signed deliveries (§6.2), retries
 * until 2xx and manual replay (§3.2, §8). Written from the interface document alone; shares nothing with the
 * product, on purpose. State lives in memory and ends with `close`.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import { Agent, type ClientRequest, request as httpRequest } from "node:http"
import { mark } from "../Marked.ts"
import { eventBody, type EventInput, type EventShape, eventShapeDefaults } from "./Events.ts"
import { type Answer, json, refusal } from "./Wire.ts"

/** §8, counted from the first attempt, so that the last one falls at the end of the 24 hour window. */
export const retryScheduleSeconds = [60, 300, 1800, 7200, 21_600, 86_400] as const

export interface WebhookSettings extends EventShape {
  /** The ping's first attempt ends before the 201 is sent, or starts after it; the document doesn't say. */
  ping: "before" | "after" | "never"
  /** Divides the retry schedule, not the time-out. */
  timeScale: number
  answerTimeoutMs: number
  /** "Timestamp of issuance": of the event (the same on each attempt), or of each attempt. In seconds. */
  timestampOf: "event" | "attempt"
}

export const webhookDefaults: WebhookSettings = {
  ...eventShapeDefaults,
  ping: "after",
  timeScale: 1,
  answerTimeoutMs: 10_000,
  timestampOf: "event"
}

export interface Subscription {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secret: string
}

/** For header values, `null` leaves the header out. */
export interface Overrides {
  readonly id?: string | null
  readonly type?: string | null
  readonly timestamp?: string | null
  readonly signature?: string | null
  readonly upperCaseHex?: boolean
  /** The bytes signed and sent. */
  readonly body?: string | Uint8Array
  /** The bytes sent, while the signature stays that of the event's body. */
  readonly tamperedBody?: string | Uint8Array
  readonly headers?: Record<string, string>
  /** By default the newest one that lists the type, or else the newest. */
  readonly subscription?: Subscription
}

/** `status` 0: no answer (refused, broken or timed out), and `error` says why. */
export interface Attempt {
  readonly at: number
  readonly status: number
  readonly error?: string
}

export interface Delivery {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly url: string
  state: "waiting" | "delivered" | "failed"
  readonly attempts: Array<Attempt>
}

export const sign = (secret: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex")

const unixSeconds = () => Math.floor(Date.now() / 1000)

interface Job {
  readonly delivery: Delivery
  readonly subscription: Subscription
  readonly timestamp: number
  /** Start of the current run through the schedule, and how many of its retries are used. */
  startedAt: number
  retries: number
}

export class Webhooks {
  readonly subscriptions: Array<Subscription> = []
  readonly deliveries: Array<Delivery> = []
  readonly #settings: WebhookSettings
  readonly #changed: () => void
  readonly #jobs: Array<Job> = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #open = new Set<ClientRequest>()
  readonly #agent = new Agent({ keepAlive: false })
  #closed = false

  constructor(settings: WebhookSettings, changed: () => void) {
    this.#settings = settings
    this.#changed = changed
  }

  /** §4.2. Any event name is taken (the full list is not shown); a ping without 2xx doesn't undo the subscription. */
  async subscribe(body: unknown): Promise<Answer> {
    const { events, url } = (body ?? {}) as { readonly events?: unknown; readonly url?: unknown }
    if (typeof url !== "string" || !URL.canParse(url) || !/^http:\/\//i.test(url)) {
      return refusal(422, "url must be absolute, and this stand-in delivers over plain http only")
    }
    if (!Array.isArray(events) || !events.every((event) => typeof event === "string" && event !== "")) {
      return refusal(422, "events must be an array of event types")
    }
    const secret = `whsec_${mark}_${randomBytes(24).toString("base64url")}`
    const subscription: Subscription = { url, events: events as Array<string>, secret }
    this.subscriptions.push(subscription)
    this.#changed()
    const created = json(201, subscription)
    const ping = () => this.#enqueue(subscription, { type: "webhook.ping" }).first
    if (this.#settings.ping === "before") await ping()
    return this.#settings.ping === "after" ? { ...created, sent: () => void ping() } : created
  }

  /** One signed POST, outside the schedule and the list of deliveries; 0 when there was no answer in time. */
  async deliver(event: EventInput, overrides: Overrides = {}): Promise<number> {
    const subscription =
      overrides.subscription ??
      this.subscriptions.findLast(({ events }) => events.includes(event.type)) ??
      this.subscriptions.at(-1)
    if (subscription === undefined) throw new Error("there is no subscription yet")
    const signed = overrides.body ?? event.body ?? eventBody(event.type, event.fields, this.#settings)
    const hex = sign(subscription.secret, signed)
    const attempt = await this.#post(subscription.url, overrides.tamperedBody ?? signed, {
      "X-Service-Signature": either(overrides.signature, overrides.upperCaseHex === true ? hex.toUpperCase() : hex),
      "X-Service-Event-Id": either(overrides.id, event.id ?? randomUUID()),
      "X-Service-Event-Type": either(overrides.type, event.type),
      "X-Service-Timestamp": either(overrides.timestamp, `${event.timestamp ?? unixSeconds()}`),
      ...overrides.headers
    })
    return attempt.status
  }

  /** Starts one delivery for each subscription that lists the type, all with the same event id. */
  publish(event: EventInput): Array<Delivery> {
    const issued = {
      ...event,
      id: event.id ?? randomUUID(),
      body: event.body ?? eventBody(event.type, event.fields, this.#settings)
    }
    return this.subscriptions
      .filter(({ events }) => events.includes(event.type))
      .map((subscription) => this.#enqueue(subscription, issued).delivery)
  }

  /** §3.2: a new attempt now; if it fails, the schedule starts over. */
  replay(id: string): Array<Delivery> {
    const failed = this.#jobs.filter(({ delivery }) => delivery.id === id && delivery.state === "failed")
    if (failed.length === 0) throw new Error(`no permanently failed delivery of event ${id}`)
    for (const job of failed) {
      job.delivery.state = "waiting"
      job.startedAt = Date.now()
      job.retries = 0
      void this.#attempt(job)
    }
    return failed.map(({ delivery }) => delivery)
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
    for (const request of this.#open) request.destroy()
    this.#agent.destroy()
  }

  #enqueue(subscription: Subscription, event: EventInput): { delivery: Delivery; first: Promise<void> } {
    const { fields, id = randomUUID(), timestamp = unixSeconds(), type } = event
    const body = event.body ?? eventBody(type, fields, this.#settings)
    const delivery: Delivery = { id, type, body, url: subscription.url, state: "waiting", attempts: [] }
    const job = { delivery, subscription, timestamp, startedAt: Date.now(), retries: 0 }
    this.deliveries.push(delivery)
    this.#jobs.push(job)
    return { delivery, first: this.#attempt(job) }
  }

  async #attempt(job: Job): Promise<void> {
    const { delivery, subscription } = job
    const issuedAt = this.#settings.timestampOf === "event" ? job.timestamp : unixSeconds()
    const attempt = await this.#post(subscription.url, delivery.body, {
      "X-Service-Signature": sign(subscription.secret, delivery.body),
      "X-Service-Event-Id": delivery.id,
      "X-Service-Event-Type": delivery.type,
      "X-Service-Timestamp": `${issuedAt}`
    })
    if (this.#closed) return
    delivery.attempts.push(attempt)
    const afterSeconds = retryScheduleSeconds[job.retries]
    if (attempt.status >= 200 && attempt.status < 300) {
      delivery.state = "delivered"
    } else if (afterSeconds === undefined) {
      delivery.state = "failed"
    } else {
      job.retries += 1
      const dueAt = job.startedAt + (afterSeconds * 1000) / this.#settings.timeScale
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          void this.#attempt(job)
        },
        Math.max(0, dueAt - Date.now())
      )
      this.#timers.add(timer)
    }
    this.#changed()
  }

  /** Counts as answered when the status line and headers are there within the time-out; redirects aren't followed. */
  #post(url: string, body: string | Uint8Array, headers: Record<string, string | null>): Promise<Attempt> {
    const at = Date.now()
    const bytes = Buffer.from(body as string)
    return new Promise((resolve) => {
      const end = (status: number, error?: Error) => {
        clearTimeout(timer)
        resolve(error === undefined ? { at, status } : { at, status, error: error.message })
      }
      const request = httpRequest(url, {
        method: "POST",
        agent: this.#agent,
        headers: {
          "Content-Type": "application/json",
          "Content-Length": bytes.length,
          ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null))
        }
      })
      const timer = setTimeout(() => request.destroy(new Error("time-out")), this.#settings.answerTimeoutMs)
      this.#open.add(request)
      request.on("response", (response) => {
        response.on("error", () => undefined).resume()
        end(response.statusCode ?? 0)
      })
      request.on("error", (error) => end(0, error))
      request.on("close", () => {
        this.#open.delete(request)
        end(0, new Error("closed"))
      })
      request.end(bytes)
    })
  }
}

const either = (override: string | null | undefined, value: string): string | null =>
  override === undefined ? value : override
