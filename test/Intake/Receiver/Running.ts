/**
 * The real receiver with the service's real signatures, over a store that the test controls; and a client on raw sockets,
 * which can send half a request.
 */
import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { setEnvironmentData } from "node:worker_threads"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import * as ConstructionWebhooks from "../../../connectors/construction/ConstructionWebhooks.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Receiver, type ReceiverOptions } from "../../../src/Intake/Receiver.ts"
import { Signatures } from "../../../src/Intake/Receiver/Signatures.ts"
import { Keyring } from "../../../src/Intake/Secrets/Keyring.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { type Deliveries, Store } from "../../../src/Stores/Store.ts"
import { checksKey } from "./counting-signing.ts"
import { hostOver } from "./PlayedHost.ts"

export const path = "/hooks/construction"
export const secret = "whsec_known"

/** A store with only `receive`; what the receiver keeps about refusals is forgotten. */
export const playedStore = (receive: Deliveries["receive"]): Layer.Layer<Store> => {
  const unused = () => Effect.die("not played")
  return Layer.mock(Store, {
    pollEvery: Duration.infinity,
    workers: { say: unused, withdraw: unused, all: unused() },
    engine: "sqlite",
    sharesDatabase: false,
    readAt: undefined,
    deliveries: {
      ...({} as Deliveries),
      receive,
      host: hostOver(receive),
      damage: Effect.succeed({ lost: [], repaired: 0 }),
      newest: Effect.succeed([])
    },
    run: <A>() => Effect.succeed(undefined as A),
    transaction: <A>() => Effect.succeed(undefined as A),
    backup: unused,
    following: undefined
  })
}

export const keeping = (kept: Array<Delivery>): Layer.Layer<Store> => playedStore(async (batch) => kept.push(...batch))

const module = new URL("./counting-signing.ts", import.meta.url)

/** Counts the bodies whose signature was checked, which is how many have arrived. */
const counting = Layer.effect(
  Signatures,
  Effect.map(Signatures, (signatures) => Signatures.of({ ...signatures, module }))
)

export const startReceiver = async (
  store: Layer.Layer<Store, Error>,
  more: Partial<ReceiverOptions> = {},
  clock: Layer.Layer<never> = Layer.empty
) => {
  const checks = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  // The receiver's thread begins with it.
  setEnvironmentData(checksKey, checks)
  const looked = {
    get count() {
      return Atomics.load(checks, 0)
    }
  }
  /** Lets a thread that hangs go on. */
  const release = () => {
    Atomics.store(checks, 1, 1)
    Atomics.notify(checks, 1)
  }
  const options = { host: "127.0.0.1", port: 0, path, maximumBytes: 100_000, ...more }
  const layer = Receiver.layerWith(options).pipe(
    Layer.provide(counting),
    Layer.provide(ConstructionWebhooks.layer),
    Layer.provide(Inbox.layer),
    Layer.provide(store),
    Layer.provideMerge(Layer.merge(ConstructionWebhooks.Callbacks.layer, Keyring.layerWith(secret))),
    Layer.provideMerge(Reasons.layer),
    Layer.provideMerge(clock)
  )
  const runtime = ManagedRuntime.make(layer)
  const callbacks = await runtime.runPromise(Effect.service(ConstructionWebhooks.Callbacks))
  const keyring = await runtime.runPromise(Effect.service(Keyring))
  const status = () => runtime.runPromise(Effect.flatMap(Receiver, (receiver) => receiver.status))
  return {
    callbacks,
    keyring,
    looked,
    release,
    status,
    /** On a virtual clock. */
    pass: async (time: Duration.Input) => {
      await status()
      return runtime.runPromise(TestClock.adjust(time))
    },
    port: (await status()).port,
    seen: () => runtime.runPromise(Effect.flatMap(Receiver, (receiver) => receiver.refusedSeen)),
    /** Of all that has been answered. */
    reasons: async () => {
      await status()
      return runtime.runPromise(Effect.flatMap(Reasons, ({ wrong }) => wrong))
    },
    [Symbol.asyncDispose]: () => runtime.dispose()
  }
}

export const sign = (body: string, by = secret): string => createHmac("sha256", by).update(body).digest("hex")

/** The head of a request, as it is sent. */
export const head = (headers: Readonly<Record<string, string | number>>, line = `POST ${path} HTTP/1.1`): string =>
  [line, "Host: localhost", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n")

export const signedRequest = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  head({ "X-Service-Signature": sign(body), "Content-Length": Buffer.byteLength(body), ...headers }) + body

/** A connection that has just written this, from another address of this machine if need be. */
export const send = (port: number, first: string | Uint8Array, localAddress = "127.0.0.1") => {
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  const statuses: Array<number> = []
  const closed = new Promise<void>((done) => socket.once("close", () => done()))
  const answers: { text: string } = { text: "" }
  const waiting: Array<() => void> = []
  socket.on("error", () => undefined)
  socket.on("data", (chunk: Buffer) => {
    answers.text += String(chunk)
    statuses.length = 0
    for (const [, status] of answers.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) statuses.push(Number(status))
    for (const wake of waiting.splice(0)) wake()
  })
  if (first.length > 0) socket.write(first)
  /** Waits for the first `count` statuses; fewer if the connection ended before. */
  const answered = async (count = 1): Promise<ReadonlyArray<number>> => {
    while (statuses.length < count && !socket.closed) {
      await Promise.race([closed, new Promise<void>((done) => waiting.push(done))])
    }
    return statuses.slice(0, count)
  }
  const status = async (): Promise<number | undefined> => (await answered())[0]
  return {
    socket,
    statuses,
    answers,
    answered,
    status,
    closed,
    write: (more: string | Uint8Array) => socket.write(more)
  }
}

/** Sends one whole request and closes the connection. */
export const deliver = async (port: number, text: string): Promise<number | undefined> => {
  const sent = send(port, text)
  const status = await sent.status()
  sent.socket.destroy()
  return status
}

export const until = async (isThere: () => boolean): Promise<void> => {
  while (!isThere()) await new Promise((done) => setImmediate(done))
}
