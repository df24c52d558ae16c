/**
 * The receiver's listener: a plain node:http server with limits on time, size and connections.
 *
 * A connection ends with an answer that announces it, or when it has to yield (`Connections`). Before a stop, every
 * answer announces the end, and connections that are then idle are closed.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import type { Connections, Visit } from "./Connections.ts"
import type { Limits } from "./Limits.ts"

// An import reads everything that node:http exports, which loads a client for fetch: 30 ms, and 3 MB for good.
const { createServer } = process.getBuiltinModule("node:http")

/** Detects a peer that has gone silently, such as one behind a firewall that forgot the connection. */
const probing = { keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * Connections that wait to be accepted, which happens once per turn of the event loop. Beyond this number (or the
 * system's own limit) senders retry after a second.
 */
const backlog = 4_096

/** Rejects if it can't listen. */
export const listen = (
  { host, port }: { readonly host: string; readonly port: number },
  limits: Limits,
  connections: Connections,
  handle: (request: IncomingMessage, response: ServerResponse, visit: Visit) => void
): Promise<Server> =>
  new Promise((resolve, reject) => {
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
    server.once("error", reject)
    server.listen({ port, host, backlog }, () => resolve(server))
  })

/** By then, an active sender has sent its next request and received an answer that announces the end. */
const quietMs = 500
const patienceMs = 2_000

export const close = (server: Server, connections: Connections): Promise<void> =>
  new Promise((resolve) => {
    connections.closing(quietMs)
    // http's own `close` would close idle connections at once, some of them during a request.
    NetServer.prototype.close.call(server, () => {
      server.close()
      resolve()
    })
    setTimeout(() => server.closeIdleConnections(), quietMs).unref()
    setTimeout(() => server.closeAllConnections(), patienceMs).unref()
  })
