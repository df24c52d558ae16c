/**
 * The receiver's listener: a plain node:http server with limits on time, size and connections.
 *
 * A connection ends with an answer that announces it, or when it is the one to yield (`Connections`). Before a stop every
 * answer announces it, and what is then idle is closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import type { Connections, Visit } from "./Connections.ts"
import type { Limits } from "./Limits.ts"

/** Finds out whether a peer has gone without a word, such as one behind a firewall that forgot the connection. */
const probing = { keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * Connections that wait to be accepted, which happens once per turn of the event loop. Past this many (or the system's
 * own limit) their senders try again after a second.
 */
const backlog = 4_096

/** Rejects if it can't listen there. */
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

/** A sender that is at work has sent its next request by then, and got an answer that announces the end. */
const quietMs = 500
const patienceMs = 2_000

export const close = (server: Server, connections: Connections): Promise<void> =>
  new Promise((resolve) => {
    connections.closing(quietMs)
    // http's own would close idle connections at once, some of them under a request.
    NetServer.prototype.close.call(server, () => {
      server.close()
      resolve()
    })
    setTimeout(() => server.closeIdleConnections(), quietMs).unref()
    setTimeout(() => server.closeAllConnections(), patienceMs).unref()
  })
