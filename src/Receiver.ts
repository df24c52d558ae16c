/**
 * The Receiver takes deliveries: verify → store → 2xx, nothing else.
 *
 * Guarantees: nothing is answered 2xx before it is on disk; a request without a well-formed signature is
 * answered 401 before its body is read, a wrongly signed one 401, and neither leaves a trace in a store; whatever
 * is validly signed is stored, whatever is in it. Slow, large and encoded requests are cut. Plain node:http:
 * Effect's server with a handler reached 0.55 to 0.67 of its throughput on this path.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from "node:http"
import { hash } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { ServiceSettings } from "../config/Settings.ts"
import { Inbox } from "./Inbox.ts"
import * as Instant from "./Instant.ts"
import { Reasons } from "./Reasons.ts"

/** What the unsigned headers say; they prove nothing. */
export interface Said {
  readonly eventId: string | undefined
  readonly type: string | null
  readonly issuedAt: Instant.Instant | null
}

/** The connector's part: the service's own way to sign. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** The signature's bytes; undefined when it is missing or malformed. */
    readonly read: (headers: IncomingHttpHeaders) => Uint8Array | undefined
    /** Constant time, over all valid secrets. */
    readonly verify: (body: Uint8Array, signature: Uint8Array) => boolean
    readonly said: (headers: IncomingHttpHeaders) => Said
    /** Resolves when new secrets may be there: at once, unless a subscription is being created. */
    readonly settled: () => Promise<void>
    /** Called once for each stored delivery, after it is on disk. */
    readonly accepted: (said: Said) => void
  }
>()("siteledger/Receiver/Signatures") {}

export interface ReceiverOptions {
  readonly host: string
  readonly port: number
  /** The path of the callback URL. */
  readonly path: string
  readonly maximumBytes: number
}

export interface ReceiverStatus {
  readonly port: number
  readonly accepted: number
  readonly rejected: number
  readonly tooLarge: number
  readonly encoded: number
  readonly notStored: number
}

export class ReceiverError extends Schema.TaggedError<ReceiverError>()("ReceiverError", {
  message: Schema.String
}) {}

export class Receiver extends Context.Service<Receiver, { readonly status: Effect.Effect<ReceiverStatus> }>()(
  "siteledger/Receiver"
) {
  static readonly layerWith = (options: ReceiverOptions) => Layer.effect(Receiver, make(options))

  static readonly layer = Layer.unwrap(
    Effect.map(ServiceSettings, ({ webhookListen, webhookUrl, webhookMaxBytes }) =>
      Receiver.layerWith({ ...webhookListen, path: webhookUrl.pathname, maximumBytes: webhookMaxBytes })
    )
  )
}

const headersMs = 5_000
const requestMs = 10_000
const checkEveryMs = 1_000
const headerBytes = 8 * 1024
const connections = 4_096
/** Bodies that are being read at the same time, together. */
const inFlightBytes = 64 * 1024 * 1024
/** So many wrong signatures in a row, with no right one between, are more than noise. */
const suspicious = 3

const make = (options: ReceiverOptions) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const signatures = yield* Signatures
    const reasons = yield* Reasons
    const clock = yield* Clock.Clock
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const counters = { accepted: 0, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 }
    const state = { inFlight: 0, rejectedInARow: 0 }

    const lost = (sentence: string): void => void runFork(reasons.set("receiver lost", sentence))
    const answer: Answerer = {
      options,
      signatures,
      state,
      now: () => Instant.fromMillis(clock.currentTimeMillisUnsafe()),
      offer: inbox.offer,
      accepted: (said) => {
        counters.accepted++
        if (state.rejectedInARow >= suspicious) runFork(reasons.clear("signatures"))
        state.rejectedInARow = 0
        signatures.accepted(said)
      },
      rejected: () => {
        counters.rejected++
        state.rejectedInARow++
        if (state.rejectedInARow === suspicious) runFork(reasons.set("signatures", wrongSecret))
      },
      tooLarge: () => {
        counters.tooLarge++
        lost(
          `A delivery larger than ${options.maximumBytes} bytes was refused (SITELEDGER_WEBHOOK_MAX_BYTES). ` +
            `Allow more and replay it in the service's administration.`
        )
      },
      encoded: () => {
        counters.encoded++
        lost("A delivery with a Content-Encoding was refused: a signature covers the plain bytes only.")
      },
      notStored: (cause) => {
        counters.notStored++
        runFork(Effect.logError("A delivery could not be stored and was answered 503", cause))
      }
    }
    const server = yield* Effect.acquireRelease(listen(options, answer), close)
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : options.port
    return Receiver.of({ status: Effect.sync(() => ({ port, ...counters })) })
  })

const wrongSecret =
  "Deliveries arrive that are signed with a secret we don't know. If somebody made the subscription by hand, " +
  "set SITELEDGER_WEBHOOK_SECRET; delete subscriptions that nobody needs in the service's Admin → API → Webhooks."

interface Answerer {
  readonly options: ReceiverOptions
  readonly signatures: Signatures["Service"]
  readonly state: { inFlight: number }
  readonly now: () => Instant.Instant
  readonly offer: Inbox["Service"]["offer"]
  readonly accepted: (said: Said) => void
  readonly rejected: () => void
  readonly tooLarge: () => void
  readonly encoded: () => void
  readonly notStored: (cause: unknown) => void
}

const listen = (options: ReceiverOptions, answer: Answerer): Effect.Effect<Server, ReceiverError> =>
  Effect.callback((resume) => {
    const limits = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: headerBytes
    }
    const server = createServer(limits, (request, response) => {
      handle(answer, request, response).catch((cause: unknown) => {
        answer.notStored(cause)
        refuse(response, 500)
      })
    })
    server.maxConnections = connections
    server.once("error", (cause) => {
      const where = `${options.host}:${options.port}`
      const message = `The receiver can't listen on ${where} (SITELEDGER_WEBHOOK_LISTEN): ${cause.message}`
      resume(Effect.fail(new ReceiverError({ message })))
    })
    server.listen(options.port, options.host, () => resume(Effect.succeed(server)))
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2_000).unref()
  })

/** Ends a request whose body nobody will read; the connection can't be used again. */
const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { connection: "close" }).end()
}

const handle = async (answer: Answerer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { options, signatures } = answer
  const path = (request.url ?? "").split("?", 1)[0]
  if (path !== options.path) return refuse(response, 404)
  if (request.method !== "POST") return refuse(response, 405)
  const signature = signatures.read(request.headers)
  if (signature === undefined) return refuse(response, 401)
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    answer.encoded()
    return refuse(response, 415)
  }
  const body = await readBody(answer, request)
  if (body === "aborted") return
  if (body === "too-large") return refuse(response, 413)
  const isValid = signatures.verify(body, signature) || (await verifyLater(signatures, body, signature))
  if (!isValid) {
    answer.rejected()
    response.writeHead(401).end()
    return
  }
  await store(answer, body, signatures.said(request.headers), response)
}

/** A first delivery may overtake the answer that brings its secret. */
const verifyLater = async (
  signatures: Signatures["Service"],
  body: Uint8Array,
  signature: Uint8Array
): Promise<boolean> => {
  await signatures.settled()
  return signatures.verify(body, signature)
}

const store = async (answer: Answerer, body: Buffer, said: Said, response: ServerResponse): Promise<void> => {
  const bodySha256 = hash("sha256", body, "buffer")
  try {
    await answer.offer({
      body,
      bodySha256,
      eventId: said.eventId ?? madeUpId(bodySha256),
      headerType: said.type,
      issuedAt: said.issuedAt,
      receivedAt: answer.now()
    })
  } catch (cause) {
    answer.notStored(cause)
    response.writeHead(503, { "retry-after": "5" }).end()
    return
  }
  response.writeHead(200).end()
  answer.accepted(said)
}

/** The same body always gets the same id. */
const madeUpId = (bodySha256: Buffer): string => {
  const hex = bodySha256.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}

const readBody = (answer: Answerer, request: IncomingMessage): Promise<Buffer | "too-large" | "aborted"> =>
  new Promise((resolve) => {
    const { options, state } = answer
    const chunks: Array<Buffer> = []
    let bytes = 0
    const finish = (result: Buffer | "too-large" | "aborted"): void => {
      state.inFlight -= bytes
      bytes = 0
      resolve(result)
    }
    if (Number(request.headers["content-length"] ?? 0) > options.maximumBytes) {
      answer.tooLarge()
      return resolve("too-large")
    }
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength
      state.inFlight += chunk.byteLength
      const isTooLarge = bytes > options.maximumBytes
      if (!isTooLarge && state.inFlight <= inFlightBytes) return void chunks.push(chunk)
      if (isTooLarge) answer.tooLarge()
      request.removeAllListeners("data")
      request.pause()
      finish("too-large")
    })
    request.once("end", () => finish(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.once("close", () => finish("aborted"))
    request.once("error", () => finish("aborted"))
  })
