/**
 * HTTP to the service, for the worker, `doctor` and `login`. Certificates are always verified; a failing one is
 * attached to the error, so that a person learns what is wrong with it. Redirects aren't followed. A compressed answer
 * is unpacked while it is read, so a limit on what is read applies to the unpacked size.
 */
import { type PeerCertificate, TLSSocket } from "node:tls"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { buildConnector } from "@effect/platform-node/Undici"
import { Effect, Layer } from "effect"
import { named } from "../../src/Runtime/Program.ts"
import * as Http from "../../src/Runtime/Http.ts"

/**
 * Node attaches a certificate to the error only if it is for another host. In a failed handshake it is gone with its
 * socket.
 */
const keepingCertificate =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) => {
    let cert: PeerCertificate | undefined
    // Returns the socket, although its type doesn't say so.
    const socket: unknown = connect(options, (...outcome) => {
      const [error] = outcome
      if (error !== null && cert !== undefined) Object.assign(error, { cert })
      callback(...outcome)
    })
    if (socket instanceof TLSSocket) {
      socket.prependOnceListener("secure", () => {
        cert = socket.getPeerCertificate()
      })
    }
  }

const dispatcher = Effect.gen(function* () {
  const agent = yield* Http.dispatcher(({ buildConnector }) => ({ connect: keepingCertificate(buildConnector({})) }))
  const { interceptors } = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
  return agent.compose(interceptors.decompress({ skipErrorResponses: false }))
})

export const layer = named(
  NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, dispatcher)))
)
