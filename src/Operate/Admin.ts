/**
 * The admin listener: health, status and metrics for operators, and the verbs for the command line.
 *
 * Guarantees: a verb is carried out only for a token whose owner may do so (`Callers`). Once SITELEDGER_ADMIN_TOKEN is
 * set, status and metrics also need a token. Otherwise a request for these under a foreign Host name is refused, so a
 * web page can't read them by DNS rebinding. No secret is revealed.
 */
import { createServer, type Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Duration, Effect, Layer } from "effect"
import { HttpEffect, HttpMiddleware, HttpRouter, HttpServer, type HttpServerResponse } from "effect/http"
import { type Listen, Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import { Lock } from "../Runtime/Lock.ts"
import * as Callers from "./Admin/Callers.ts"
import { answer } from "./Admin/Callers.ts"
import { payloadFor } from "./Admin/Given.ts"
import * as AdminLog from "./AdminLog.ts"
import { AdminApi, neededFor } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import * as Dashboard from "./Dashboard.ts"
import { Feed } from "./Dashboard/Feed.ts"
import { Sessions } from "./Dashboard/Sessions.ts"
import * as Metrics from "./Metrics.ts"
import { Status } from "./Status.ts"
import { Store, writeMeta } from "../Stores/Store.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"
import { carryOut } from "./Verbs.ts"
import { Warehouse } from "../Stores/Warehouse.ts"

const gracePeriod = Duration.seconds(2)

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i

/** Without a configured token, only requests under this machine's own names are answered. */
const local: Dashboard.Guard = (respond) => (request) =>
  loopback.test(request.headers["host"] ?? "")
    ? respond(request)
    : Effect.succeed(answer(403, { error: "This listener answers to localhost only." }))

const orExplain = <E extends { readonly message: string }, R>(body: Effect.Effect<unknown, E, R>) =>
  Effect.match(body, {
    onFailure: (error) => answer(500, { error: error.message }),
    onSuccess: (value) => answer(200, value)
  })

const ready = Effect.gen(function* () {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  yield* store.transaction((tx) => writeMeta(tx, "probed_at", at))
  yield* warehouse.probe
  return answer(200, { ready: true })
}).pipe(Effect.catch((error) => Effect.succeed(answer(503, { ready: false, reason: error.message }))))

const ending = answer(503, { error: "The worker is ending, or starting again: ask again in a moment." })

/**
 * If the worker ends meanwhile, the request is interrupted, and Effect's answer would have no text; nor would its
 * answer to a defect.
 */
const status = orExplain(Effect.flatMap(Status, (service) => service.report)).pipe(
  Effect.catchDefect((defect) =>
    Effect.succeed(answer(500, { error: defect instanceof Error ? defect.message : "Status can't be read now." }))
  ),
  HttpEffect.withPreResponseHandler((_request, response) => Effect.succeed(response.status === 503 ? ending : response))
)

const routes = Effect.gen(function* () {
  const callers = yield* Callers.make
  const { guarded, guardsReading, token } = callers
  const reading = <R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
    guardsReading ? guarded("read", () => handler) : local(() => handler)
  const router = yield* HttpRouter.HttpRouter
  yield* router.add("GET", "/health/live", Effect.succeed(answer(200, { live: true })))
  yield* router.add("GET", "/health/ready", ready)
  yield* router.add("GET", AdminApi.groups.worker.endpoints.status.path, reading(status))
  yield* router.add("GET", "/metrics", reading(Metrics.response))
  for (const { identifier: name, path } of Object.values(AdminApi.groups.verbs.endpoints)) {
    const done = (principal: string) =>
      orExplain(
        Effect.flatMap(payloadFor(name), (payload) =>
          AdminLog.told({ verb: name, payload, principal })(carryOut(name, payload, principal))
        )
      )
    // Completed even if the client hangs up.
    yield* router.add("POST", path, guarded(neededFor(name), done), { uninterruptible: true })
  }
  yield* Dashboard.routes(callers, guardsReading ? (respond) => respond : local)
  yield* announce(token)
})

/** Leaves a note of our address for the command line. At shutdown the note is removed first. */
const announce = Effect.fnUntraced(function* (token: string) {
  const lock = yield* Lock
  const server = yield* HttpServer.HttpServer
  const startedAt = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const admin = HttpServer.formatAddress(server.address)
  yield* lock.announce({ pid: process.pid, startedAt, admin, token })
})

const cantListen = ({ host, port }: Listen, cause: unknown) =>
  new VerbError({
    message: `The admin listener can't listen on ${host}:${port} (SITELEDGER_ADMIN_LISTEN): ${whyNot(cause)}.`
  })

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { adminListen } = yield* Settings
    const held: { server?: Server } = {}
    const make = (): Server => (held.server = createServer())
    // Open connections must not delay the shutdown.
    yield* Effect.addFinalizer(() => Effect.sync(() => held.server?.closeAllConnections()))
    return NodeHttpServer.layer(make, { ...adminListen, gracefulShutdownTimeout: gracePeriod }).pipe(
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effect(HttpServer.HttpServer, Effect.fail(cantListen(adminListen, cause)))
      )
    )
  })
)

/** Requests that poll have no trace. */
const polled: ReadonlyArray<string> = ["/health/live", "/health/ready", "/metrics", "/status", "/stream"]

export const layer = HttpRouter.serve(
  HttpRouter.use(() => routes),
  {
    disableLogger: true,
    disableListenLog: true,
    // Without a middleware, Effect creates no span unless traces are sent, and the log would have no trace id.
    middleware: (request) => request
  }
).pipe(
  Layer.provide([server, HttpMiddleware.layerTracerDisabledForUrls(polled), Feed.layer]),
  Layer.provideMerge(Sessions.layer)
)
