/**
 * The receiver's listener: a plain node:http server with limits on time, size and connections.
 *
 * A connection ends with an answer that announces it, or when it is the one to yield (`Connections`). Before a stop every
 * answer announces it, and what is then idle is closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { Effect, Schema } from "effect"
import { allowedDescriptors } from "../../Runtime/Descriptors.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import type { BodyLimits } from "./Bodies.ts"
import type { Connections, Visit } from "./Connections.ts"

export class ReceiverError extends Schema.TaggedError<ReceiverError>()("ReceiverError", {
  message: Schema.String
}) {}

export interface Limits extends BodyLimits {
  /** From the first byte of a request to the end of its headers, and to its end; enforced within `checkEveryMs`. */
  readonly headersMs: number
  readonly requestMs: number
  readonly checkEveryMs: number
  readonly headerBytes: number
  readonly connections: number
  /** The first answer on a connection of this age is its last one. */
  readonly connectionMs: number
  /** What senders are told: those that listen close an idle connection themselves after this time. */
  readonly announcedIdleMs: number
  /** Longer than any sender keeps a connection, because it closes without announcement. */
  readonly idleMs: number
}

const kibibyte = 1024

/** A quarter of the descriptors is for the rest of the worker. */
const connectionsFor = (descriptors: number): number => Math.min(4_096, Math.floor((descriptors * 3) / 4))

export const defaultLimits: Limits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkEveryMs: 1_000,
  headerBytes: 8 * kibibyte,
  connections: connectionsFor(allowedDescriptors()),
  connectionMs: 10 * 60_000,
  announcedIdleMs: 60_000,
  // Load balancers keep a connection for up to 4,000 s.
  idleMs: 75 * 60_000,
  inFlightBytes: 32 * kibibyte ** 2,
  smallBytes: 64 * kibibyte,
  bytesPerSecond: 8 * kibibyte,
  behindMs: 2_000,
  crowdedBytesPerSecond: 256 * kibibyte,
  tickMs: 250
}

/** Finds out whether a peer has gone without a word, such as one behind a firewall that forgot the connection. */
const probing = { keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * Connections that wait to be accepted, which happens once per turn of the event loop. Past this many (or the system's
 * own limit) their senders try again after a second.
 */
const backlog = 4_096

export const listen = (
  { host, port }: { readonly host: string; readonly port: number },
  limits: Limits,
  connections: Connections,
  handle: (request: IncomingMessage, response: ServerResponse, visit: Visit) => void
): Effect.Effect<Server, ReceiverError> =>
  Effect.callback((resume) => {
    const settings = {
      ...probing,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes,
      keepAliveTimeout: limits.announcedIdleMs,
      keepAliveTimeoutBuffer: limits.idleMs - limits.announcedIdleMs
    }
    const server = createServer(settings, (request, response) => {
      const visit = connections.began(request, response)
      if (visit !== undefined) handle(request, response, visit)
    })
    server.on("connection", (socket) => connections.opened(socket))
    server.once("error", (cause) => {
      const message = `The receiver can't listen on ${host}:${port} (SITELEDGER_WEBHOOK_LISTEN): ${whyNot(cause)}.`
      resume(Effect.fail(new ReceiverError({ message })))
    })
    server.listen({ port, host, backlog }, () => resume(Effect.succeed(server)))
  })

/** A sender that is at work has sent its next request by then, and got an answer that announces the end. */
const quietMs = 500
const patienceMs = 2_000

export const close = (server: Server, connections: Connections): Effect.Effect<void> =>
  Effect.callback((resume) => {
    connections.closing(quietMs)
    // http's own would close idle connections at once, some of them under a request.
    NetServer.prototype.close.call(server, () => {
      server.close()
      resume(Effect.void)
    })
    setTimeout(() => server.closeIdleConnections(), quietMs).unref()
    setTimeout(() => server.closeAllConnections(), patienceMs).unref()
  })
