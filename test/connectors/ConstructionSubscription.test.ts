/**
 * The subscription over a real Store, across restarts of the worker, with a service that gives a secret for every
 * creation: what is shown of it, and what happens to a secret that can't be stored at first.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Exit, Fiber, Layer, Logger, Schedule, Scope } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { layerAll } from "../../config/Settings.ts"
import type { NewSubscription } from "../../connectors/construction/ConstructionApi.ts"
import { ConstructionClient } from "../../connectors/construction/ConstructionClient.ts"
import * as ConstructionSubscription from "../../connectors/construction/ConstructionSubscription.ts"
import { Callbacks } from "../../connectors/construction/ConstructionWebhooks.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Receiver } from "../../src/Intake/Receiver.ts"
import { Keyring } from "../../src/Intake/Secrets/Keyring.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { pass } from "../Operate/Alert/World.ts"
import { dataDir } from "../Intake/Secrets/SecretsWorld.ts"

type Wanted = typeof NewSubscription.Type

/** What was requested from the service and logged, and whether the Store is full. */
const world = Effect.map(dataDir, (path) => ({
  path,
  asked: [] as Array<Wanted>,
  logged: [] as Array<string>,
  isFull: false,
  /** Called when the service has created a subscription. */
  onCreated: () => {},
  /** How the service answers a creation. */
  answer: "created" as "created" | "500" | "never"
}))
type World = Effect.Success<typeof world>

const client = (world: World) =>
  ConstructionClient.of({
    call: (_lane, send, read) => {
      const create = ({ payload }: { readonly payload: Wanted }) => {
        world.asked.push(payload)
        world.onCreated()
        if (world.answer === "never") return Effect.never
        const request = HttpClientRequest.post("https://service.example.com/v1/webhooks")
        const status = world.answer === "500" ? 500 : 201
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
      }
      const text = JSON.stringify({ secret: `whsec_${world.asked.length + 1}` })
      const answer = { text, startedMs: 0, endedMs: 0, serviceMs: undefined }
      const taken = Effect.suspend(() => (world.answer === "500" ? Effect.fail("It answered 500.") : Effect.void))
      const sent = send({ webhooks: { create } } as never, undefined as never)
      const once = sent.pipe(Effect.andThen(taken), Effect.andThen(read(answer)))
      return Effect.orDie(Effect.retry(once, Schedule.spaced("5 seconds")))
    }
  })

const full = new StoreError({ reason: "Full", message: "The store failed: disk full", cause: undefined })

const filling = (world: World) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) =>
      Store.of({
        ...store,
        transaction: (body) => Effect.suspend(() => (world.isFull ? Effect.fail(full) : store.transaction(body)))
      })
    )
  )

const settings = (world: World, url: string) =>
  layerAll.pipe(
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromUnknown({
          SITELEDGER_BASE_URL: "https://service.example.com/v1",
          SITELEDGER_AUTH_URL: "https://service.example.com",
          SITELEDGER_CLIENT_ID: "client",
          SITELEDGER_CLIENT_SECRET: "a secret of the client",
          SITELEDGER_WEBHOOK_URL: url,
          SITELEDGER_DATA_DIR: world.path
        })
      )
    )
  )

const counters = { port: 1, accepted: 0, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 }

const live = (world: World, url = "https://me.example.com/hooks?token=MARKED") =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const layer = ConstructionSubscription.layer.pipe(
      Layer.provideMerge(Secrets.layer),
      Layer.provideMerge(Layer.mergeAll(Keyring.layer, Callbacks.layer, Seal.layerAt(world.path))),
      Layer.provide(Layer.succeed(ConstructionClient, client(world))),
      Layer.provide(Layer.succeed(Receiver, { status: Effect.succeed(counters), refusedSeen: Effect.succeed([]) })),
      Layer.provide(settings(world, url)),
      Layer.provide(filling(world).pipe(Layer.provide(Sqlite.layerAt(join(world.path, "store.sqlite"))))),
      Layer.provideMerge(Reasons.layer),
      Layer.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void world.logged.push(line))]))
    )
    const services = yield* Layer.buildWithScope(layer, scope)
    return {
      keys: () =>
        Context.get(services, Keyring)
          .valid()
          .map(({ key }) => String(key.export())),
      status: Context.get(services, Subscription).status,
      attempted: Context.get(services, Subscription).attempted,
      reasons: Context.get(services, Reasons).wrong,
      stop: Scope.close(scope, Exit.void)
    }
  })

describe("a callback URL with a query", () => {
  it.effect("is sent to the service whole, and shown without the query", () =>
    Effect.gen(function* () {
      const given = yield* world
      const first = yield* live(given)
      yield* pass(2)
      assert.deepStrictEqual(
        given.asked.map(({ url }) => url),
        ["https://me.example.com/hooks?token=MARKED"]
      )
      assert.strictEqual((yield* first.status).url, "https://me.example.com/hooks")
      yield* first.stop
      const second = yield* live(given, "https://me.example.com/elsewhere?token=MARKED")
      yield* pass(70)
      const status = yield* second.status
      assert.deepStrictEqual(status.obsolete, ["https://me.example.com/hooks"])
      assert.include(given.logged.join("\n"), "Subscribed https://me.example.com/hooks")
      for (const shown of [status, given.logged, yield* second.reasons]) {
        assert.notInclude(JSON.stringify(shown), "MARKED")
      }
      yield* second.stop
    }).pipe(Effect.scoped)
  )
})

describe("a subscription whose secret can't be stored at first", () => {
  it.effect("is verified meanwhile, stored as soon as that is possible, and still known to the next start", () =>
    Effect.gen(function* () {
      const given = yield* world
      given.onCreated = () => void (given.isFull = true)
      const first = yield* live(given)
      yield* pass(25)
      assert.deepStrictEqual(first.keys(), ["whsec_1"])
      assert.match((yield* first.reasons).join(), /new subscription's secret isn't stored yet: .*disk full/)
      given.isFull = false
      yield* pass(12)
      assert.deepStrictEqual(yield* first.reasons, [])
      yield* first.stop
      const second = yield* live(given)
      yield* pass(2)
      assert.deepStrictEqual(second.keys(), ["whsec_1"])
      assert.strictEqual(given.asked.length, 1, "no other one is created")
      yield* second.stop
    }).pipe(Effect.scoped)
  )
})

describe("the first walk", () => {
  const startsAfter = (world: World, seconds: number) =>
    Effect.gen(function* () {
      const { attempted, stop } = yield* live(world)
      const walk = yield* Effect.forkChild(attempted)
      yield* pass(seconds)
      const hasStarted = walk.pollUnsafe() !== undefined
      yield* Fiber.interrupt(walk)
      return { hasStarted, stop }
    })

  it.effect("starts when the first creation was answered 500, and the creation is tried until it succeeds", () =>
    Effect.gen(function* () {
      const given = yield* world
      given.answer = "500"
      const { hasStarted, stop } = yield* startsAfter(given, 2)
      assert.isTrue(hasStarted)
      yield* pass(30)
      assert.isAbove(given.asked.length, 5)
      given.answer = "created"
      yield* pass(6)
      assert.include(given.logged.join("\n"), "Subscribed https://me.example.com/hooks")
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("starts after 10 s if the first creation isn't answered", () =>
    Effect.gen(function* () {
      const given = yield* world
      given.answer = "never"
      const early = yield* startsAfter(given, 8)
      assert.isFalse(early.hasStarted)
      yield* early.stop
      const late = yield* startsAfter(given, 12)
      assert.isTrue(late.hasStarted)
      yield* late.stop
    }).pipe(Effect.scoped)
  )
})
