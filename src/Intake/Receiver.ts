/**
 * The Receiver takes deliveries: verify → store → 2xx, nothing else. All of it happens in one thread
 * (`Receiver/receiving`): that of the inbox's files, or one with its own connections to PostgreSQL. Meanwhile the main
 * thread applies the deliveries and hears what has arrived.
 *
 * Guarantees: a delivery is on disk before its 2xx. A request without a well-formed signature gets 401 before its body
 * is read, a wrongly signed one gets 401, and neither is stored anywhere. Every validly signed body is stored,
 * regardless of its contents and encoding. Slow and large requests are refused, and strangers can't crowd out
 * deliveries (`Connections`, `Bodies`). Plain node:http, because Effect's server reached 0.55 to 0.67 of its throughput
 * on this path. If the thread ends unexpectedly, that is a reason until another one listens. It is also a reason while
 * the thread doesn't answer.
 */
import { BlockList } from "node:net"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import * as Beat from "../Runtime/Beat.ts"
import { Inbox } from "./Inbox.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as Trace from "../Runtime/Trace.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"
import { Erasing } from "../Stores/Erasures.ts"
import type { StoreError } from "../Stores/Store.ts"
import * as Accounts from "./Receiver/Accounts.ts"
import { Deaf, Link } from "./Receiver/Link.ts"
import { defaultLimits, type Limits } from "./Receiver/Limits.ts"
import type { Counters, Received, Start } from "./Receiver/Messages.ts"
import * as Refusals from "./Receiver/Refusals.ts"
import { numbered } from "./Receiver/Numbered.ts"
import { Signatures } from "./Receiver/Signatures.ts"

export class ReceiverError extends Schema.TaggedError<ReceiverError>()("ReceiverError", {
  message: Schema.String
}) {}

export interface ReceiverOptions {
  readonly host: string
  readonly port: number
  /** The path of the callback URL. */
  readonly path: string
  readonly maximumBytes: number
  /** Their headers name the sender of the requests that they pass on. */
  readonly trustedProxies?: BlockList
  readonly limits?: Partial<Limits>
}

export interface ReceiverStatus extends Readonly<Counters> {
  readonly port: number
}

export class Receiver extends Context.Service<
  Receiver,
  {
    readonly status: Effect.Effect<ReceiverStatus>
    /** Records that a person has seen which deliveries were refused with 413 or 415. */
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
    const inbox = yield* Inbox
    const signatures = yield* Signatures
    const erasing = yield* Erasing
    const held = numbered(signatures.secrets)
    const thread: Thread = { link: undefined, port: options.port }
    const tell = (): Promise<void> => thread.link?.know(known()) ?? Promise.resolve()
    const refusals = yield* Refusals.make(options.maximumBytes, () => void tell())
    const known = () => ({ secrets: held.all(), formerPaths: signatures.formerPaths(), refused: refusals.all() })
    const accounts = yield* Accounts.make(refusals, signatures, held.secret)
    const steps = yield* Trace.steps
    const stop = signatures.onChange(tell)
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    const open = Effect.suspend(() =>
      opened(thread, {
        start: {
          ...startOf(options, thread.port),
          erasing: erasing && { all: erasing.all, ...erasing.reads.apart },
          traces: steps !== undefined,
          signing: signatures.module.href,
          known: known()
        },
        host: inbox.host,
        hooks: {
          settled: signatures.settled,
          reported: (report) => {
            accounts.heard(report)
            for (const received of report.received) trace(steps, received)
            if (report.counters.accepted > 0) inbox.arrived.openUnsafe()
          }
        }
      })
    )
    yield* Effect.acquireRelease(open, () => Effect.promise(async () => thread.link?.close()))
    // For changes made while it was being opened.
    yield* Effect.promise(tell)
    yield* Effect.forkScoped(kept(thread, open))
    yield* Effect.forkScoped(watched(thread))
    const flushed = Effect.promise(async () => thread.link?.flush(patienceMs))
    return Receiver.of({
      status: Effect.map(flushed, () => ({ port: thread.port, ...accounts.counters })),
      refusedSeen: Effect.andThen(flushed, refusals.seen)
    })
  })

const startOf = ({ host, limits, maximumBytes, path, trustedProxies }: ReceiverOptions, port: number) => ({
  host,
  port,
  path,
  maximumBytes,
  trustedProxies: trustedProxies ?? new BlockList(),
  limits: { ...defaultLimits, ...limits }
})

const trace = (steps: Trace.Steps | undefined, { bytes, endMs, eventId, startMs, traceparent }: Received): void =>
  steps?.received(
    { name: "delivery.receive", eventId, startMs, endMs, kind: "server", attributes: { bytes } },
    traceparent
  )

interface Thread {
  /** Undefined while there is no thread. */
  link: Link | undefined
  /** The port on which it listens. */
  port: number
}

interface Opening {
  readonly start: Start
  readonly host: Parameters<typeof Link.open>[0]
  readonly hooks: Parameters<typeof Link.open>[2]
}

const opened = (thread: Thread, { hooks, host, start }: Opening): Effect.Effect<void, ReceiverError> =>
  Effect.tryPromise({
    try: async () => {
      thread.link = await Link.open(host, start, hooks)
      thread.port = thread.link.listensOn
    },
    catch: (cause) => {
      const why = whyNot(cause)
      const message =
        cause instanceof Deaf
          ? `The receiver can't listen on ${start.host}:${start.port} (SITELEDGER_WEBHOOK_LISTEN): ${why}.`
          : `The receiver's thread can't be started: ${why}.`
      return new ReceiverError({ message })
    }
  })

/** A caller that asks for counters gets the last known ones after this time. */
const patienceMs = 1000

const mostSilences = 3

/** Reports when the thread hangs: its message port is open, but no message comes. */
const watched = Effect.fnUntraced(function* (thread: Thread) {
  const reasons = yield* Reasons
  const sentence = "The receiver's thread doesn't answer, and no delivery is taken. If this stays, restart the worker."
  let silences = 0
  while (true) {
    yield* Beat.next("2 seconds")
    const isAnswered = yield* Effect.promise(async () => thread.link?.flush(patienceMs) ?? true)
    silences = isAnswered ? 0 : silences + 1
    if (silences === mostSilences) yield* reasons.set("receiver-silent", sentence, "critical")
    if (silences === 0) yield* reasons.clear("receiver-silent")
  }
})

const key = "receiver"
const again = Schedule.spaced("1 second")

/** Starts another thread whenever one ends. */
const kept = Effect.fnUntraced(function* (thread: Thread, open: Effect.Effect<void, ReceiverError>) {
  const reasons = yield* Reasons
  while (true) {
    const cause = yield* Effect.promise(async () => thread.link?.ended())
    thread.link = undefined
    const sentence = "The receiver's thread has ended and is started again; meanwhile no delivery is taken"
    yield* reasons.set(key, `${sentence}: ${whyNot(cause)}.`, "critical")
    const noted = Effect.tapError(open, ({ message }) => reasons.set(key, message, "critical"))
    yield* Effect.retry(Effect.delay(noted, "100 millis"), again)
    yield* reasons.clear(key)
  }
})
