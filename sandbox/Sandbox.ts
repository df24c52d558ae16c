/**
 * The service of the interface document, to run and to test against: token, projects, webhooks and the
 * deliveries of simulated lives, over real HTTP on this machine. Served from the same ConstructionApi that
 * the worker's client is derived from. With a `statePath` it survives its process: started again, it goes on,
 * knows its subscriptions and delivers again what may have been under way; only tokens die. Without, a restart
 * is another service, though with the same projects and events where the options are the same.
 */
import { NodeHttpClient, NodeHttpServer } from "@effect/platform-node"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import { createServer } from "node:http"
import * as Checkpoint from "./Checkpoint.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Events from "./Events.ts"
import { resolve, type ResolvedOptions, type SandboxOptions } from "./Options.ts"
import * as Projects from "./Projects.ts"
import * as RequestWindow from "./RequestWindow.ts"
import * as Simulation from "./Simulation.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as Tokens from "./Tokens.ts"
import * as Truth from "./Truth.ts"

export type { SandboxOptions } from "./Options.ts"

export interface SandboxTruth {
  /** Events emitted so far. */
  readonly steps: number
  /** Made while iterated, so that a million need no memory. */
  readonly entities: Iterable<Truth.EntityTruth>
  readonly projectCount: number
  readonly project: (index: number) => Projects.ProjectTruth
}

export interface SandboxStats extends Deliveries.DeliveryCounts {
  readonly steps: number
  readonly requests: { readonly answered: number; readonly unauthorized: number; readonly overLimit: number }
  /** Requests counted against the plan in the last 60 seconds. */
  readonly usedLastMinute: number
}

export interface Service {
  /** With the version path: `http://127.0.0.1:…/v1`. */
  readonly baseUrl: string
  /** Without: the token endpoint is `{authUrl}/oauth/token`. */
  readonly authUrl: string
  readonly options: ResolvedOptions
  readonly truth: () => SandboxTruth
  readonly stats: Effect.Effect<SandboxStats>
  readonly subscriptions: () => ReadonlyArray<Subscriptions.Subscription>
  /** Waiting, delivered and failed deliveries; `until` the counts are so; `replay` of a failed one. */
  readonly deliveries: Pick<Deliveries.Deliveries, "counts" | "list" | "replay" | "until">
  /** The events themselves, by number: type, id, body. */
  readonly events: Events.Events
  readonly emit: Simulation.Simulation["emit"]
  readonly drained: Simulation.Simulation["drained"]
}

/** Interface document §3.2: not scaled. */
const answerWithin = "10 seconds"

/** One POST to a receiver; true: it answered 2xx in time. */
const attemptWith = (client: HttpClient.HttpClient, subscriptions: Subscriptions.Subscriptions) =>
  Effect.fnUntraced(
    function* (delivery: Deliveries.Delivery) {
      const signed = subscriptions.sign(delivery.subscription, delivery.event, yield* Clock.currentTimeMillis)
      if (signed === undefined) return false
      const request = HttpClientRequest.post(signed.url).pipe(
        HttpClientRequest.bodyUint8Array(signed.body, "application/json"),
        HttpClientRequest.setHeaders(signed.headers)
      )
      // The body is read to its end, or else the connection can't be used again.
      const answered = yield* client.execute(request).pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOption(answerWithin),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )
      return answered._tag === "Some" && answered.value.status >= 200 && answered.value.status < 300
    },
    Effect.orElseSucceed(() => false)
  )

const serve = Effect.fnUntraced(function* (service: Endpoints.Service) {
  const { host, port } = service.options
  const server = yield* NodeHttpServer.make(createServer, { host, port, gracefulShutdownTimeout: "1 second" })
  const routes = HttpRouter.serve(Endpoints.layer(service), { disableLogger: true, disableListenLog: true })
  const platform = Layer.merge(Layer.succeed(HttpServer.HttpServer, server), NodeHttpServer.layerHttpServices)
  yield* Layer.build(Layer.provide(routes, platform))
  return HttpServer.formatAddress(server.address)
})

const start = Effect.fnUntraced(function* (
  given: SandboxOptions = {}
): Effect.fn.Return<Service, HttpServerError.ServeError, Scope.Scope> {
  const checkpoint = yield* Checkpoint.open(given, yield* resolve(given))
  const { anchors, options } = checkpoint
  const events = Events.make({ ...options, anchors })
  const projects = Projects.make(options)
  const subscriptions = Subscriptions.make(options.seed, events, checkpoint.subscriptions)
  const clients = yield* Layer.build(NodeHttpClient.layerUndici)
  const deliveries = yield* Deliveries.make({
    attempt: attemptWith(Context.get(clients, HttpClient.HttpClient), subscriptions),
    timeScale: options.timeScale,
    concurrency: options.concurrency,
    maxWaiting: options.maxWaiting
  })
  const simulation = yield* Simulation.make(checkpoint, events, subscriptions, deliveries)
  const tokens = Tokens.make(options, yield* Clock.currentTimeMillis)
  const window = RequestWindow.make(options.plan)
  const requests = { answered: 0, unauthorized: 0, overLimit: 0 }
  const authUrl = yield* serve({ options, projects, simulation, tokens, window, requests })

  const truth = (): SandboxTruth => {
    const steps = simulation.steps()
    return {
      steps,
      entities: { [Symbol.iterator]: () => Truth.entities(events, steps) },
      projectCount: projects.total(steps),
      project: (index) => projects.at(steps, index)
    }
  }
  const stats = Effect.map(Clock.currentTimeMillis, (now) => ({
    ...deliveries.counts(),
    steps: simulation.steps(),
    requests: { ...requests },
    usedLastMinute: window.used(now)
  }))
  const { drained, emit } = simulation
  const baseUrl = `${authUrl}${Endpoints.versionPath}`
  return {
    baseUrl,
    authUrl,
    options,
    truth,
    stats,
    subscriptions: subscriptions.all,
    deliveries,
    events,
    emit,
    drained
  }
})

export class Sandbox extends Context.Service<Sandbox, Service>()("siteledger/Sandbox") {
  /** Serves until the scope closes. Fails only where it can't listen. */
  static readonly start = start
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, HttpServerError.ServeError> =>
    Layer.effect(Sandbox, start(options))
}
