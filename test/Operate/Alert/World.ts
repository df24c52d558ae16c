/**
 * Reasons that a test sets, a Store, and an endpoint that accepts alerts (or doesn't), on a virtual clock: one life of
 * the worker after another.
 */
import { join } from "node:path"
import { setImmediate as immediate } from "node:timers/promises"
import { Clock, Context, DateTime, Duration, Effect, Exit, Layer, Redacted, Scope, Tracer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { WorkerStatus } from "../../../src/Operate/AdminApi/StatusReport.ts"
import * as Alert from "../../../src/Operate/Alert.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Waiting, type Waits } from "../../../src/Operate/Waiting.ts"
import { Workers } from "../../../src/Operate/Workers.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"

export const start = Date.UTC(2026, 10, 20, 2)
const marked = "https://alerts.example.com/T0/MARKED-secret"

export interface Taken {
  readonly id: string
  readonly status: string
  readonly level: string
  readonly at: string
  readonly since: string
  readonly reasons: ReadonlyArray<string>
  /** Of a reminder. */
  readonly holds?: Waits["holds"]
  readonly quarantined?: Waits["quarantined"]
  readonly instance: string
  readonly dataDir: string
}

/** Seconds since the start of the test. */
export const seconds = (instant: string): number => (Date.parse(instant) - start) / 1000

export const world = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const path = yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (folder) =>
    Effect.sync(() => removeFolder(folder))
  )
  /** 0: the connection is refused. */
  const endpoint = { status: 200, attempts: [] as Array<number>, taken: [] as Array<Taken> }
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      endpoint.attempts.push(((yield* Clock.currentTimeMillis) - start) / 1000)
      const { status } = endpoint
      if (status === 0) {
        const cause = Object.assign(new Error(marked), { code: "ECONNREFUSED" })
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause })
        })
      }
      const body = request.body._tag === "Uint8Array" ? request.body.body : assert(request.body._tag)
      if (status === 200) endpoint.taken.push(JSON.parse(Buffer.from(body).toString()) as Taken)
      return HttpClientResponse.fromWeb(request, new Response(null, { status }))
    })
  )
  /** Other workers on the same database. */
  const others: Array<WorkerStatus> = []
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const options = {
    url: Redacted.make(marked),
    instance: "https://me.example.com/hooks",
    dataDir: path,
    timezone: DateTime.zoneMakeNamedUnsafe("Asia/Kathmandu")
  }
  const layer = Alert.layerWith(options).pipe(
    Layer.provide(Layer.succeed(Workers, { id: "this", all: Effect.sync(() => others) })),
    Layer.provide(Waiting.layerWith({ moneyTypes: ["ipc.paid"], criticalAfter: Duration.days(3) })),
    Layer.provideMerge(Sqlite.layerAt(join(path, "store.sqlite"))),
    Layer.provideMerge(Reasons.layer),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
  )
  const live = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(layer, scope)
    const reasons = Context.get(services, Reasons)
    return { reasons, store: Context.get(services, Store), stop: Scope.close(scope, Exit.void) }
  })
  /** Everything that a tracer sees. */
  const traced = () => JSON.stringify(spans.map(({ attributes, events, name }) => [name, [...attributes], events]))
  return { endpoint, live, marked, others, path, traced }
})

const assert = (tag: string): never => {
  throw new Error(`The body is not text: ${tag}`)
}

/** Lets time pass, a second at a time, and lets the store and the endpoint answer in between. */
export const pass = (seconds: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < seconds; passed++) {
      yield* TestClock.adjust("1 second")
      for (let turn = 0; turn < 8; turn++) yield* Effect.promise(() => immediate())
    }
  })
