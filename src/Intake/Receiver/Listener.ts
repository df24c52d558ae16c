/**
 * The receiver's listener: a plain node:http server with limits on time, size and connections.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Effect, Schema } from "effect"
import { whyNot } from "../../Runtime/SystemFailure.ts"

export class ReceiverError extends Schema.TaggedError<ReceiverError>()("ReceiverError", {
  message: Schema.String
}) {}

export interface Limits {
  /** From the first byte of a request to the end of its headers, and to its end; enforced within `checkEveryMs`. */
  readonly headersMs: number
  readonly requestMs: number
  readonly checkEveryMs: number
  readonly headerBytes: number
  readonly connections: number
  /** Total bytes of bodies read and not yet answered. */
  readonly inFlightBytes: number
}

export const defaultLimits: Limits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkEveryMs: 1_000,
  headerBytes: 8 * 1024,
  connections: 4_096,
  inFlightBytes: 64 * 1024 * 1024
}

export const listen = (
  { host, port }: { readonly host: string; readonly port: number },
  limits: Limits,
  handle: (request: IncomingMessage, response: ServerResponse) => void
): Effect.Effect<Server, ReceiverError> =>
  Effect.callback((resume) => {
    const settings = {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes
    }
    const server = createServer(settings, handle)
    server.maxConnections = limits.connections
    server.once("error", (cause) => {
      const message = `The receiver can't listen on ${host}:${port} (SITELEDGER_WEBHOOK_LISTEN): ${whyNot(cause)}.`
      resume(Effect.fail(new ReceiverError({ message })))
    })
    server.listen(port, host, () => resume(Effect.succeed(server)))
  })

export const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2_000).unref()
  })
