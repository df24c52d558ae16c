/**
 * The service of the interface document, to run and to test against: it has tokens, projects, webhooks and the
 * deliveries of simulated lives, over real HTTP on this machine. It is served from the same ConstructionApi that the
 * worker's client is derived from.
 *
 * With a `statePath` it survives a restart: it knows its subscriptions and its failed deliveries, and repeats
 * deliveries that may have been under way; only tokens are lost. Without one, a restart is another service, with other
 * ids and secrets, and the same projects and events if the options are the same.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Array as Arr, Clock, Context, Effect, Layer, type Scope } from "effect"
import { HttpClient, HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import { createServer } from "node:http"
import * as Administration from "./Administration.ts"
import * as Attempt from "./Attempt.ts"
import * as Catalogue from "./Catalogue.ts"
import * as Checkpoint from "./Checkpoint.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Events from "./Events.ts"
import * as Faults from "./Faults.ts"
import * as FaultyAnswers from "./FaultyAnswers.ts"
import * as Guard from "./Guard.ts"
import * as OAuth from "./OAuth.ts"
import type { ResolvedOptions, SandboxOptions } from "./Options.ts"
import * as Projects from "./Projects.ts"
import * as Records from "./Records.ts"
import { allScopes, neededScope } from "./Scopes.ts"
import * as Simulation from "./Simulation.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as Truth from "./Truth.ts"
import { v1 } from "./Versions.ts"

export type { SandboxOptions } from "./Options.ts"

export interface SandboxTruth {
  /** Events emitted so far. */
  readonly steps: number
  /** Computed while iterated, so a million need no memory. */
  readonly entities: Iterable<Truth.EntityTruth>
  readonly projectCount: number
  readonly project: (index: number) => Projects.ProjectTruth
}

export interface SandboxStats extends Deliveries.DeliveryCounts {
  readonly steps: number
  readonly requests: { readonly answered: number; readonly unauthorized: number; readonly overLimit: number }
  /** Requests counted against the clients' plans in the last 60 seconds. */
  readonly usedLastMinute: number
}

export interface Sandbox {
  /** With the version path: `http://127.0.0.1:…/v1`. */
  readonly baseUrl: string
  /**
   * Without the version path: the token endpoint is `{authUrl}/oauth/token`, people log in at
   * `{authUrl}/oauth/authorize`.
   */
  readonly authUrl: string
  readonly options: ResolvedOptions
  /** The page for people: subscriptions, deliveries, records and faults. */
  readonly adminUrl: string
  /** What the authorization server has answered, and how to end its clients' tokens. */
  readonly oauth: OAuth.OAuthControl
  readonly truth: () => SandboxTruth
  readonly stats: Effect.Effect<SandboxStats>
  readonly subscriptions: () => ReadonlyArray<Subscriptions.Subscription>
  /** `until` waits for a condition on the counts; `replay` sends a failed delivery again. */
  readonly deliveries: Pick<Deliveries.Deliveries, "counts" | "list" | "now" | "replay" | "setHorizon" | "until">
  /** The events themselves, by number: type, id, body. */
  readonly events: Events.Events
  readonly emit: Simulation.Simulation["emit"]
  readonly subscribed: Simulation.Simulation["subscribed"]
  readonly drained: Simulation.Simulation["drained"]
  /** The faults, which can be set at any time. */
  readonly faults: Faults.Faults
  /** Returns a new secret, which signs all further attempts; undefined: no such subscription. */
  readonly rotateSecret: Simulation.Simulation["rotateSecret"]
  /** Replays every permanently failed delivery, as by hand; returns how many. */
  readonly replayFailed: Effect.Effect<number>
  /** The resources that `openapi: "full"` adds: every record of each, edits of them, and their faults. */
  readonly catalogue: Catalogue.Catalogue | undefined
}

const serve = Effect.fnUntraced(function* (service: Endpoints.Service & Administration.Administered) {
  const { host, port } = service.options
  const server = yield* NodeHttpServer.make(createServer, { host, port, gracefulShutdownTimeout: "1 second" })
  const faulty = FaultyAnswers.layerWith(service.options.seed, service.faults)
  const routes = HttpRouter.serve(
    Layer.mergeAll(Endpoints.layerWith(service, Administration.routes), Administration.layerWith(service), faulty),
    {
      disableLogger: true,
      disableListenLog: true
    }
  )
  const platform = Layer.merge(Layer.succeed(HttpServer.HttpServer, server), NodeHttpServer.layerHttpServices)
  yield* Layer.build(Layer.provide(routes, platform))
  return HttpServer.formatAddress(server.address)
})

const start = Effect.fnUntraced(function* (
  given: SandboxOptions = {}
): Effect.fn.Return<Sandbox, HttpServerError.ServeError | Checkpoint.CheckpointError, Scope.Scope> {
  const checkpoint = yield* Checkpoint.open(given)
  const { anchors, options } = checkpoint
  const events = Events.make({ ...options, anchors })
  const projects = Projects.make(options)
  const subscriptions = Subscriptions.make(options, events, checkpoint.subscriptions)
  const clock = yield* Clock.Clock
  const faults = Faults.make(options.faults, () => clock.currentTimeMillisUnsafe())
  const client = Context.get(yield* Layer.build(NodeHttpClient.layerUndici), HttpClient.HttpClient)
  const deliveries = yield* Deliveries.make({
    attempt: yield* Attempt.make(client, { subscriptions, faults, seed: options.seed }),
    timeScale: options.timeScale,
    concurrency: options.concurrency,
    maxWaiting: options.maxWaiting,
    firstId: checkpoint.nextDelivery
  })
  const simulation = yield* Simulation.make(checkpoint, events, subscriptions, deliveries, faults)
  const catalogue =
    options.openapi === "full" ? Catalogue.make({ options, projects, steps: simulation.steps, faults }) : undefined
  const scopes = [...allScopes, ...(catalogue?.scopes ?? [])]
  const oauth = OAuth.make({ ...options, scopes })
  const scopeOf = (method: string, path: string) => catalogue?.scopeOf(method, path) ?? neededScope(method, path)
  const guard = Guard.make(oauth, options.rateLimitHeaders, scopeOf)
  const authUrl = yield* serve({
    options,
    events,
    projects,
    records: Records.make(events),
    subscriptions,
    deliveries,
    simulation,
    oauth,
    guard,
    faults,
    catalogue,
    usedLastMinute: guard.used,
    clients: oauth.clients
  })

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
    requests: guard.requests(),
    usedLastMinute: guard.used(now)
  }))
  const replayFailed = Effect.suspend(() =>
    Effect.map(
      Effect.forEach(deliveries.list("failed"), ({ id }) => deliveries.replay(id)),
      Arr.countBy(Boolean)
    )
  )
  const { drained, emit, rotateSecret, subscribed } = simulation
  const baseUrl = `${authUrl}${v1.path}`
  return {
    baseUrl,
    authUrl,
    adminUrl: `${authUrl}${Administration.path}`,
    options,
    oauth,
    truth,
    stats,
    subscriptions: subscriptions.all,
    deliveries,
    events,
    emit,
    subscribed,
    drained,
    faults,
    rotateSecret,
    replayFailed,
    catalogue
  }
})

/** `start` serves until the scope closes. It fails only if it can't listen or can't write its state file. */
export const Sandbox = { start }
