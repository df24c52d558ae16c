/**
 * Who may ask the admin listener for what, over real HTTP and with mocks behind it: a refused request isn't carried
 * out.
 */
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, type Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import * as Settings from "../../config/Settings.ts"
import { EventReader } from "../../src/Domain/Event.ts"
import { Apply } from "../../src/Intake/Apply.ts"
import { Receiver } from "../../src/Intake/Receiver.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { Uptime } from "../../src/Intake/Uptime.ts"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Export } from "../../src/Lake/Export.ts"
import { Lake } from "../../src/Lake/Lake.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Outbox } from "../../src/Ledger/Outbox.ts"
import * as Admin from "../../src/Operate/Admin.ts"
import { AdminApi } from "../../src/Operate/AdminApi.ts"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { Metrics } from "../../src/Operate/Metrics.ts"
import { Backup } from "../../src/Operate/Backup.ts"
import { Status } from "../../src/Operate/Status.ts"
import { Lock, type WorkerNote } from "../../src/Runtime/Lock.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Restart } from "../../src/Runtime/Restart.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import { Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"

/** `fetch` sets the Host itself. */
const ask = ({ admin }: WorkerNote, method: string, path: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const asked = request(`${admin}${path}`, { method, headers, agent: false })
        asked.on("error", reject)
        asked.on("response", (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
        })
        asked.end()
      })
  )

/** A service of which the listener sees these parts. */
const played = <Id, Service>(service: Context.Key<Id, Service>, parts: Partial<Service> = {}): Layer.Layer<Id> =>
  Layer.succeed(service, parts as Service)

/** What no verb of these tests comes to. */
const unused = Layer.mergeAll(
  played(Receiver),
  played(Secrets),
  played(Uptime),
  played(AnalystCopy),
  played(Export),
  played(Copies),
  played(Ledger),
  played(EventReader),
  played(Outbox),
  played(Restart),
  played(Backup),
  played(Reasons),
  played(Lake),
  Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {})
)

/** `replays`: how often the verb was done. `failing`: which store takes no write. `report`: the status. */
interface Behind {
  report: Effect.Effect<StatusReport>
  replays: number
  failing: "none" | "store" | "warehouse"
}

const listening = (environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const behind: Behind = { report: Effect.succeed({} as StatusReport), replays: 0, failing: "none" }
    const notes: Array<WorkerNote> = []
    const write = Effect.suspend(() =>
      behind.failing === "store" ? new StoreError({ reason: "Full", message: "The store is full." }) : Effect.void
    )
    const probe = Effect.suspend(() =>
      behind.failing === "warehouse" ? new WarehouseError({ reason: "Failed", message: "It fails." }) : Effect.void
    )
    const services = Layer.mergeAll(
      unused,
      played(Lock, { announce: (note) => Effect.sync(() => void notes.push(note)) }),
      played(Apply, { replay: Effect.sync(() => ({ read: ++behind.replays, applied: 0 })) }),
      played(Store, { transaction: (() => write) as Store["Service"]["transaction"] }),
      played(Warehouse, { probe }),
      played(Status, { report: Effect.suspend(() => behind.report) }),
      played(Metrics, { text: Effect.succeed("") })
    )
    const given = { SITELEDGER_ADMIN_LISTEN: "127.0.0.1:0", ...environment }
    const settings = Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(given)))
    yield* Layer.build(Layer.fresh(Admin.layer).pipe(Layer.provide(services), Layer.provide(settings)))
    const [note] = notes
    assert.isDefined(note)
    return { behind, note }
  })

const token = "configured-by-a-person-0123456789"
const tokenNeeded = { status: 401, text: '{"error":"A valid token is needed."}\n' }
const foreignName = { status: 403, text: '{"error":"This listener answers to localhost only."}\n' }
const verbs = Object.values(AdminApi.groups.verbs.endpoints).map(({ path }) => path)

describe("a verb", () => {
  for (const configured of [undefined, token]) {
    it.live(`is done for the token alone, ${configured === undefined ? "made at the start" : "configured"}`, () =>
      Effect.gen(function* () {
        const { behind, note } = yield* listening(
          configured === undefined ? {} : { SITELEDGER_ADMIN_TOKEN: configured }
        )
        assert.notStrictEqual(note.token, configured)
        const wrong = [
          "",
          "Bearer",
          note.token,
          `Basic ${note.token}`,
          `Bearer ${note.token.slice(1)}`,
          `Bearer ${note.token}x`
        ]
        for (const authorization of wrong) {
          assert.deepStrictEqual(yield* ask(note, "POST", "/verbs/replay", { authorization }), tokenNeeded)
        }
        for (const path of verbs) assert.deepStrictEqual(yield* ask(note, "POST", path, {}), tokenNeeded)
        assert.strictEqual(behind.replays, 0)
        for (const right of [note.token, ...(configured === undefined ? [] : [configured])]) {
          const { status } = yield* ask(note, "POST", "/verbs/replay", { authorization: `bearer ${right}` })
          assert.strictEqual(status, 200)
        }
        assert.strictEqual(behind.replays, configured === undefined ? 1 : 2)
      })
    )
  }

  it.live("needs another token after each start, of 32 random bytes", () =>
    Effect.gen(function* () {
      const starts = [yield* listening(), yield* listening()]
      const [first, second] = starts.map(({ note }) => note.token)
      assert.match(first ?? "", /^[0-9a-f]{64}$/)
      assert.notStrictEqual(first, second)
    })
  )
})

describe("the status and the metrics", () => {
  it.live("are told to this machine by its own names, and under no other", () =>
    Effect.gen(function* () {
      const { note } = yield* listening()
      for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:8081", "[::1]", "[::1]:8081"]) {
        assert.strictEqual((yield* ask(note, "GET", "/status", { host })).status, 200, host)
      }
      const foreign = [
        "evil.example",
        "localhost.evil.example",
        "evil.localhost",
        "127.0.0.1.evil.example:8081",
        "1127.0.0.1",
        "[::1].evil.example",
        "[::11]"
      ]
      for (const path of ["/status", "/metrics"]) {
        for (const host of foreign) assert.deepStrictEqual(yield* ask(note, "GET", path, { host }), foreignName, host)
      }
    })
  )

  it.live("need the token that a person has configured, under any name", () =>
    Effect.gen(function* () {
      const { note } = yield* listening({ SITELEDGER_ADMIN_TOKEN: token })
      for (const path of ["/status", "/metrics"]) {
        assert.deepStrictEqual(yield* ask(note, "GET", path, {}), tokenNeeded)
      }
      const headers = { host: "metrics.example.com", authorization: `Bearer ${token}` }
      assert.deepStrictEqual(yield* ask(note, "GET", "/status", headers), { status: 200, text: "{}\n" })
    })
  )

  it.live("say why, also if a part of Status dies", () =>
    Effect.gen(function* () {
      const { behind, note } = yield* listening()
      behind.report = Effect.die(new StoreError({ reason: "Failed", message: "The server is away." }))
      const text = '{"error":"The server is away."}\n'
      assert.deepStrictEqual(yield* ask(note, "GET", "/status", {}), { status: 500, text })
    })
  )

  it.live("say that the worker ends, to who asked just before", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { behind, note } = yield* Scope.provide(listening(), scope)
      const isAsked = yield* Deferred.make<void>()
      behind.report = Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.never)
      const asking = yield* Effect.forkChild(ask(note, "GET", "/status", {}))
      yield* Deferred.await(isAsked)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(asking), {
        status: 503,
        text: '{"error":"The worker is ending, or starting again: ask again in a moment."}\n'
      })
    })
  )
})

describe("health", () => {
  it.live("is told to any probe: live always, ready while both stores take a write", () =>
    Effect.gen(function* () {
      const { behind, note } = yield* listening({ SITELEDGER_ADMIN_TOKEN: token })
      const probe = (path: string) => ask(note, "GET", `/health/${path}`, { host: "10.0.0.7:8081" })
      const isReady = { status: 200, text: '{"ready":true}\n' }
      assert.deepStrictEqual(yield* probe("ready"), isReady)
      for (const [failing, reason] of [
        ["store", "The store is full."],
        ["warehouse", "It fails."]
      ] as const) {
        behind.failing = failing
        assert.deepStrictEqual(yield* probe("ready"), { status: 503, text: `{"ready":false,"reason":"${reason}"}\n` })
        assert.deepStrictEqual(yield* probe("live"), { status: 200, text: '{"live":true}\n' })
      }
      behind.failing = "none"
      assert.deepStrictEqual(yield* probe("ready"), isReady)
    })
  )
})
