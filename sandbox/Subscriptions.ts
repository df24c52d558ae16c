/**
 * Webhook subscriptions (interface document §2.3, §4.2) and what is sent to them: the exact body and headers
 * of a delivery (§6.2). Every creation makes another subscription: idempotency is not shown. The ping is an
 * event of its own, numbered -1 for the first subscription, -2 for the second.
 */
import { createHmac } from "node:crypto"
import type { SavedSubscription } from "./Checkpoint.ts"
import { envelope, type Events } from "./Events.ts"
import * as Seed from "./Seed.ts"

export interface Subscription {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secret: string
  readonly createdAtMillis: number
  /** Hears of no event before; dates the ping. */
  readonly createdAtStep: number
}

export interface Signed {
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface Subscriptions {
  readonly all: () => ReadonlyArray<Subscription>
  /** Answers the subscription; its number is `all().length - 1`. */
  readonly create: (made: Omit<Subscription, "secret">) => Subscription
  /** Numbers of the subscriptions that list the type. */
  readonly listening: (type: string) => ReadonlyArray<number>
  /** What goes over the wire for an event (below 0: a ping) and a subscription. */
  readonly sign: (subscription: number, event: number, nowMillis: number) => Signed | undefined
}

export const pingEvent = (subscription: number): number => -1 - subscription

/** Undefined where the request is good. */
export const complaint = (url: string, events: ReadonlyArray<string>): string | undefined => {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "url must be an absolute http or https address"
  if (events.length === 0) return "events must name at least one event type"
  return events.includes("") ? "events must be names of event types" : undefined
}

/** `saved`: those of a former run, by number. */
export const make = (seed: number, events: Events, saved: ReadonlyArray<SavedSubscription> = []): Subscriptions => {
  const subscriptions: Array<Subscription> = []
  const byType = new Map<string, Array<number>>()

  const add = (subscription: Subscription): Subscription => {
    const number = subscriptions.push(subscription) - 1
    for (const type of new Set(subscription.events)) byType.set(type, [...(byType.get(type) ?? []), number])
    return subscription
  }
  for (const { createdAtMillis, createdAtStep, events, secret, url } of saved) {
    add({ url, events, secret, createdAtMillis, createdAtStep })
  }

  const contents = (subscription: Subscription, event: number) => {
    if (event >= 0) return { type: events.at(event).type, id: events.id(event), text: events.body(event) }
    const data = `"url":${JSON.stringify(subscription.url)}`
    return {
      type: "webhook.ping",
      id: Seed.uuid(seed, Seed.Purpose.ping, event),
      text: envelope("webhook.ping", events.timestamp(subscription.createdAtStep), data)
    }
  }

  return {
    all: () => subscriptions,
    create: (made) => {
      const secret = `whsec_${Seed.hex(seed, Seed.Purpose.secret, subscriptions.length, 8)}`
      return add({ ...made, secret })
    },
    listening: (type) => byType.get(type) ?? [],
    sign: (number, event, nowMillis) => {
      const subscription = subscriptions[number]
      if (subscription === undefined) return undefined
      const { id, text, type } = contents(subscription, event)
      const body = Buffer.from(text, "utf8")
      return {
        url: subscription.url,
        body,
        headers: {
          "content-type": "application/json",
          "user-agent": "construction-sandbox-webhooks/1",
          "x-service-signature": createHmac("sha256", subscription.secret).update(body).digest("hex"),
          "x-service-event-id": id,
          "x-service-event-type": type,
          "x-service-timestamp": String(Math.floor(nowMillis / 1000))
        }
      }
    }
  }
}
