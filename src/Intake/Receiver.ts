/**
 * The Receiver takes deliveries: verify → store → 2xx, nothing else.
 *
 * Guarantees: a delivery is on disk before its 2xx. A request without a well-formed signature gets 401 before its body is
 * read, a wrongly signed one gets 401, and neither leaves a trace in a store. Every validly signed body is stored,
 * regardless of its contents and encoding. Slow and large requests are refused, and strangers can't crowd out deliveries
 * (`Connections`, `Bodies`). Plain node:http, because Effect's server
 * reached 0.55 to 0.67 of its throughput on this path.
 */
import { BlockList } from "node:net"
import { Clock, Context, Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { Inbox } from "./Inbox.ts"
import * as Instant from "../Domain/Instant.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import type { StoreError } from "../Stores/Store.ts"
import type { Secret } from "./Secrets/Keyring.ts"
import { Bodies } from "./Receiver/Bodies.ts"
import { Connections } from "./Receiver/Connections.ts"
import { close, defaultLimits, type Limits, listen } from "./Receiver/Listener.ts"
import * as Refusals from "./Receiver/Refusals.ts"
import type { Refusable } from "./Receiver/Arriving.ts"
import { type Answerer, handle, refuse } from "./Receiver/Requests.ts"
import { Senders } from "./Receiver/Senders.ts"
import { type DeliveryHeaders, Signatures } from "./Receiver/Signatures.ts"
import * as Strangers from "./Receiver/Strangers.ts"

export interface ReceiverOptions {
  readonly host: string
  readonly port: number
  /** The path of the callback URL. */
  readonly path: string
  readonly maximumBytes: number
  /** They name the sender of what they pass on. */
  readonly trustedProxies?: BlockList
  readonly limits?: Partial<Limits>
}

export interface ReceiverStatus {
  readonly port: number
  readonly accepted: number
  readonly rejected: number
  readonly tooLarge: number
  readonly encoded: number
  readonly notStored: number
}

export class Receiver extends Context.Service<
  Receiver,
  {
    readonly status: Effect.Effect<ReceiverStatus>
    /** A person has seen which deliveries were refused with 413 or 415. */
    readonly refusedSeen: Effect.Effect<ReadonlyArray<Refusals.Refused>, StoreError>
  }
>()("siteledger/Receiver") {
  static readonly layerWith = (options: ReceiverOptions) => Layer.effect(Receiver, make(options))

  static readonly layer = Layer.unwrap(
    Effect.map(ServiceSettings, ({ trustedProxies, webhookListen, webhookUrl, webhookMaxBytes }) =>
      Receiver.layerWith({
        ...webhookListen,
        path: webhookUrl.pathname,
        maximumBytes: webhookMaxBytes,
        trustedProxies
      })
    )
  )
}

const make = (options: ReceiverOptions) =>
  Effect.gen(function* () {
    const { offer } = yield* Inbox
    const signatures = yield* Signatures
    const limits = { ...defaultLimits, ...options.limits }
    const counters = { accepted: 0, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 }
    const refusals = yield* Refusals.make(options.maximumBytes)
    const connections = new Connections(limits, new Senders(options.trustedProxies ?? new BlockList()))
    const bodies = yield* Effect.acquireRelease(
      Effect.sync(() => new Bodies(limits, options.maximumBytes)),
      (opened) => Effect.sync(() => opened[Symbol.dispose]())
    )
    const answerer: Answerer = {
      ...(yield* accounts(counters, refusals, signatures)),
      wasRefused: refusals.wasRefused,
      path: options.path,
      maximumBytes: options.maximumBytes,
      bodies,
      signatures,
      offer,
      now: instants(yield* Clock.Clock)
    }
    const answer: Parameters<typeof listen>[3] = (request, response, visit) => {
      handle(answerer, request, response, visit).catch((cause: unknown) => {
        answerer.notStored(cause)
        if (response.headersSent) response.destroy()
        else refuse(response, 500)
      })
    }
    const server = yield* Effect.acquireRelease(listen(options, limits, connections, answer), (opened) =>
      close(opened, connections)
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : options.port
    return Receiver.of({ status: Effect.sync(() => ({ port, ...counters })), refusedSeen: refusals.seen })
  })

type Counters = { -readonly [K in keyof Omit<ReceiverStatus, "port">]: number }

/** Counts the outcomes of requests, and reports what only a person can fix. */
const accounts = (counters: Counters, refusals: Refusals.Refusals, signatures: Signatures["Service"]) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const strangers = yield* Strangers.make
    let isRefusing = false
    return {
      accepted: (headers: DeliveryHeaders, secret: Secret, signature: Uint8Array): void => {
        counters.accepted++
        strangers.right()
        if (isRefusing) runFork(reasons.clear("receiver store"))
        isRefusing = false
        refusals.came(signature, headers.eventId)
        signatures.accepted(headers, secret)
      },
      rejected: (): void => {
        counters.rejected++
        strangers.wrong()
      },
      refused: (why: Refusals.RefusedFor, delivery: Refusable, isSigned: boolean): void => {
        counters[why === "too-large" ? "tooLarge" : "encoded"]++
        refusals.refused(why, delivery, isSigned)
      },
      notStored: (cause: unknown): void => {
        counters.notStored++
        isRefusing = true
        const why = cause instanceof Error ? cause.message : String(cause)
        const sentence = `Deliveries can't be stored and are answered 503 for now: ${why}`
        runFork(reasons.set("receiver store", sentence, "critical"))
      }
    }
  })

/** The current time as text, formatted once per millisecond. */
const instants = (clock: Clock.Clock) => {
  let millis = 0
  let text = Instant.fromMillis(millis)
  return (): Instant.Instant => {
    const now = clock.currentTimeMillisUnsafe()
    if (now === millis) return text
    millis = now
    text = Instant.fromMillis(now)
    return text
  }
}
