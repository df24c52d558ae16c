/**
 * The admin listener: health, status, metrics for whoever runs the worker, and the verbs for the command line.
 *
 * Guarantees: it changes nothing without the token (the one in `worker.json`, or SITELEDGER_ADMIN_TOKEN, which
 * then also guards the status and the metrics); a request under a foreign Host name is refused, so a web page
 * can't reach it by DNS rebinding. It tells no secret.
 */
import { createServer, type Server } from "node:http"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Duration, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Listen, Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Json from "../Domain/Json.ts"
import { Ledger as LedgerService } from "../Ledger/Ledger.ts"
import type { Outbox } from "../Ledger/Outbox.ts"
import * as Ledger from "../Ledger/Verbs.ts"
import { Lock } from "../Runtime/Lock.ts"
import * as Metrics from "./Metrics.ts"
import { Status } from "./Status.ts"
import { Store, writeMeta } from "../Stores/Store.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"
import * as Verbs from "./Verbs.ts"
import { Warehouse } from "../Stores/Warehouse.ts"

const gracePeriod = Duration.seconds(2)

/** The token for this run: the configured one, or a new one that only `worker.json` tells. */
const tokens = Effect.map(Settings, ({ adminToken }) => ({
  guardsReading: Option.isSome(adminToken),
  token: Option.match(adminToken, {
    onNone: () => randomBytes(32).toString("hex"),
    onSome: Redacted.value
  })
}))

const bearer = (request: HttpServerRequest.HttpServerRequest): string =>
  /^Bearer (.+)$/i.exec(request.headers["authorization"] ?? "")?.[1] ?? ""

const isToken = (given: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"))

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i

const answer = (status: number, body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`${Json.stringify(body)}\n`, { status, contentType: "application/json" })

/** What the token guards. */
const guarded =
  (token: string) =>
  <R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
    isToken(bearer(request), token) ? handler : Effect.succeed(answer(401, { error: "The admin token is needed." }))

/** Without a token of its own the listener is for this machine, by this machine's names. */
const local =
  <R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
    loopback.test(request.headers["host"] ?? "")
      ? handler
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

const status = orExplain(Effect.flatMap(Status, (service) => service.report))

const verbArguments = Effect.map(
  Effect.orElseSucceed(
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.text),
    () => ""
  ),
  (text): Readonly<Record<string, string>> => {
    const given = text === "" ? {} : Json.parse(text)
    return Json.isObject(given)
      ? Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
      : {}
  }
)

const routes = Effect.gen(function* () {
  const { token, guardsReading } = yield* tokens
  const reading = guardsReading ? guarded(token) : local
  const changing = guarded(token)
  const router = yield* HttpRouter.HttpRouter
  yield* router.add("GET", "/health/live", Effect.succeed(answer(200, { live: true })))
  yield* router.add("GET", "/health/ready", ready)
  yield* router.add("GET", "/status", reading(status))
  yield* router.add("GET", "/metrics", reading(Metrics.response))
  // A verb is carried through though the one who asked hangs up.
  const verb = <E extends { readonly message: string }, R>(name: string, body: Effect.Effect<unknown, E, R>) =>
    router.add("POST", `/verbs/${name}`, changing(orExplain(body)), { uninterruptible: true })
  yield* verb("export", Verbs.exportNow)
  yield* verb("publish", Verbs.publish)
  yield* verb("replay", Verbs.replay)
  yield* verb("rebuild", Verbs.rebuild)
  yield* verb("backup", Effect.flatMap(verbArguments, Verbs.backup))
  yield* verb("close-gap", Effect.flatMap(verbArguments, Verbs.closeGap))
  yield* verb("secret-list", Verbs.listSecrets)
  yield* verb("secret-add", Effect.flatMap(verbArguments, Verbs.addSecret))
  yield* verb("secret-retire", Effect.flatMap(verbArguments, Verbs.retireSecret))
  for (const [name, body] of Object.entries(Ledger.verbs)) {
    const asked: LedgerVerb = body
    yield* verb(name, Effect.flatMap(verbArguments, asked))
  }
  yield* announce(token)
})

type LedgerVerb = (
  given: Readonly<Record<string, string>>
) => Effect.Effect<unknown, { readonly message: string }, Settings | Store | Warehouse | LedgerService | Outbox>

/** Tells the command line where we are. The note is the first thing to go at the end. */
const announce = Effect.fnUntraced(function* (token: string) {
  const lock = yield* Lock
  const server = yield* HttpServer.HttpServer
  const startedAt = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const admin = HttpServer.formatAddress(server.address)
  yield* lock.announce({ pid: process.pid, startedAt, admin, token })
})

const cantListen = ({ host, port }: Listen, cause: unknown) =>
  new Verbs.VerbError({
    message: `The admin listener can't listen on ${host}:${port} (SITELEDGER_ADMIN_LISTEN): ${whyNot(cause)}.`
  })

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { adminListen } = yield* Settings
    const held: { server?: Server } = {}
    const make = (): Server => (held.server = createServer())
    // Whoever is still connected must not hold up the end.
    yield* Effect.addFinalizer(() => Effect.sync(() => held.server?.closeAllConnections()))
    return NodeHttpServer.layer(make, { ...adminListen, gracefulShutdownTimeout: gracePeriod }).pipe(
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effect(HttpServer.HttpServer, Effect.fail(cantListen(adminListen, cause)))
      )
    )
  })
)

export const layer = HttpRouter.serve(
  HttpRouter.use(() => routes),
  {
    disableLogger: true,
    disableListenLog: true
  }
).pipe(Layer.provide(server))
