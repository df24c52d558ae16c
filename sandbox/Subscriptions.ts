/**
 * Webhook subscriptions (interface document §2.3, §4.2) and the exact body and headers of a delivery (§6.2). Every
 * creation makes another subscription, because the document shows no idempotency. The ping is a separate event,
 * numbered -1 for the first subscription, -2 for the second.
 */
import { createHmac } from "node:crypto"
import { DateTime } from "effect"
import type { SavedSubscription } from "./Checkpoint.ts"
import type { Disguise } from "./Deliveries/Book.ts"
import type { Events } from "./Events.ts"
import { type Contents, disguised } from "./FaultyDeliveries.ts"
import * as Identity from "./Identity.ts"
import * as Versions from "./Versions.ts"

export interface Subscription {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secret: string
  readonly createdAtMillis: number
  /** By the simulated clock, with microseconds; the date of the ping. */
  readonly createdAt: string
  /** It receives no earlier event. */
  readonly createdAtStep: number
  readonly state: SubscriptionState
  /** The API version in which it was made; its deliveries have that version's shape. */
  readonly version: Versions.Version
}

/** Paused: its deliveries wait. Deleted: it is remembered only so that its number isn't reused. */
export type SubscriptionState = "active" | "paused" | "deleted"

export interface Signed {
  readonly url: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** Deliberate mistakes in a delivery. */
export interface Odd {
  readonly disguise?: Disguise
  readonly wrongSignature?: boolean
}

export interface Subscriptions {
  /** By number, including the deleted ones. */
  readonly all: () => ReadonlyArray<Subscription>
  /** Returns the subscription; its number is `all().length - 1`. */
  readonly create: (made: Omit<Subscription, "secret" | "state">) => Subscription
  /** A deleted subscription stays deleted, and loses its secret. */
  readonly setState: (subscription: number, state: SubscriptionState) => void
  /** Numbers of the subscriptions that list the type. */
  readonly listening: (type: string) => ReadonlyArray<number>
  /** Returns the number of a new test event. Its timestamp is this instant, even if it arrives later. */
  readonly testEvent: (nowMillis: number) => number
  /** The type, id and body of an event (negative: a ping or a test) for a subscription. */
  readonly contents: (subscription: number, event: number, disguise?: Disguise) => Contents | undefined
  /** The contents as they go over the wire. */
  readonly sign: (subscription: number, event: number, nowMillis: number, odd?: Odd) => Signed | undefined
  /** Returns the secret that signs everything from now on; undefined: no such subscription. */
  readonly rotateSecret: (subscription: number) => string | undefined
}

export const pingEvent = (subscription: number): number => -1 - subscription

export const withMicros = (millis: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(millis)).replace("Z", "000Z")

/** Tests are numbered downwards from here, by the milliseconds since 1970 at which they were fired. */
const firstTest = -(2 ** 41)

const pingContents = (identity: string, { createdAt, url, version }: Subscription, event: number): Contents => ({
  type: "webhook.ping",
  id: Identity.uuid(identity, "ping", event),
  text: Versions.envelope(version, "webhook.ping", createdAt, `"url":${JSON.stringify(url)}`)
})

/** The type is assumed (interface document §6.1 names none); a test is about no record. */
const testContents = (identity: string, { version }: Subscription, event: number): Contents => {
  const timestamp = withMicros(firstTest - event)
  const data = `"message":"A test, fired by hand in the administration: nothing has happened."`
  return {
    type: "webhook.test",
    id: Identity.uuid(identity, "test", event),
    text: Versions.envelope(version, "webhook.test", timestamp, data)
  }
}

/** Undefined: the request is valid. */
export const complaint = (url: string, events: ReadonlyArray<string>): string | undefined => {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return "url must be an absolute http or https address"
  if (events.length === 0) return "events must name at least one event type"
  return events.includes("") ? "events must be names of event types" : undefined
}

/** Numbers of the subscriptions that list a type. */
const makeListeners = () => {
  const byType = new Map<string, ReadonlyArray<number>>()
  const of = (type: string) => byType.get(type) ?? []
  return {
    of,
    add: (number: number, types: ReadonlyArray<string>) => {
      for (const type of new Set(types)) byType.set(type, [...of(type), number])
    },
    remove: (number: number, types: ReadonlyArray<string>) => {
      for (const type of types) {
        const others = of(type).filter((each) => each !== number)
        byType.set(type, others)
      }
    }
  }
}

const signedAs = ({ secret, url }: Subscription, { id, text, type }: Contents, nowMillis: number, isWrong: boolean) => {
  const body = Buffer.from(text, "utf8")
  const key = isWrong ? `not ${secret}` : secret
  return {
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "construction-sandbox-webhooks/1",
      "x-service-signature": createHmac("sha256", key).update(body).digest("hex"),
      "x-service-event-id": id,
      "x-service-event-type": type,
      "x-service-timestamp": String(Math.floor(nowMillis / 1000))
    }
  }
}

export interface SubscriptionsOptions {
  readonly seed: number
  readonly identity: string
}

const restored = ({ version, ...made }: SavedSubscription): Subscription => {
  const { createdAt = withMicros(made.createdAtMillis), state = "active" } = made
  return { ...made, createdAt, state, version: Versions.versionOf(version) }
}

/** `saved`: the subscriptions of an earlier run, by number. */
export const make = (
  { identity, seed }: SubscriptionsOptions,
  events: Events,
  saved: ReadonlyArray<SavedSubscription> = []
): Subscriptions => {
  const subscriptions: Array<Subscription> = []
  const listeners = makeListeners()
  let lastTest = firstTest

  const add = (subscription: Subscription): Subscription => {
    const number = subscriptions.push(subscription) - 1
    if (subscription.state !== "deleted") listeners.add(number, subscription.events)
    return subscription
  }
  for (const each of saved) add(restored(each))

  const contents = (number: number, event: number, disguise: Disguise = "none"): Contents | undefined => {
    const subscription = subscriptions[number]
    if (event >= 0) {
      const honest = {
        type: events.at(event).type,
        id: events.id(event),
        text: events.body(event, subscription?.version)
      }
      return disguised(honest, disguise, { seed, identity, events, event, subscription })
    }
    if (subscription === undefined) return undefined
    return event <= firstTest
      ? testContents(identity, subscription, event)
      : pingContents(identity, subscription, event)
  }

  return {
    all: () => subscriptions,
    create: (made) => {
      const secret = Identity.secret(identity, subscriptions.length)
      return add({ ...made, secret, state: "active" })
    },
    setState: (number, state) => {
      const subscription = subscriptions[number]
      if (subscription === undefined || subscription.state === "deleted") return
      subscriptions[number] = { ...subscription, state, secret: state === "deleted" ? "" : subscription.secret }
      if (state === "deleted") listeners.remove(number, subscription.events)
    },
    testEvent: (nowMillis) => (lastTest = Math.min(firstTest - nowMillis, lastTest - 1)),
    contents,
    rotateSecret: (number) => {
      const subscription = subscriptions[number]
      if (subscription === undefined || subscription.state === "deleted") return undefined
      // Derived from the old secret, so that no secret ever repeats, even in a later run.
      const secret = `whsec_${createHmac("sha256", subscription.secret).update(identity).digest("hex")}`
      subscriptions[number] = { ...subscription, secret }
      return secret
    },
    listening: listeners.of,
    sign: (number, event, nowMillis, { disguise, wrongSignature = false } = {}) => {
      const subscription = subscriptions[number]
      const sent = contents(number, event, disguise)
      if (subscription === undefined || subscription.state === "deleted" || sent === undefined) return undefined
      return signedAs(subscription, sent, nowMillis, wrongSignature)
    }
  }
}
