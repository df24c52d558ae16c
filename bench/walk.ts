/**
 * Parts of a load, in this process: the warehouse's write alone, for new rows and for the same rows again, compared
 * with the engine's own bulk load; and a walk with 200 ms latency, compared with the least time that this latency
 * allows. Goals: 0.95 of that floor one request at a time, 0.85 with 8 in flight. Run: node bench/walk.ts [--engine
 * postgres]
 */
import { Duration, Effect, Layer } from "effect"
import * as Construction from "../connectors/construction/Construction.ts"
import { Skew } from "../src/Operate/Skew.ts"
import { service } from "../pipelines/service.ts"
import { stores } from "../pipelines/stores.ts"
import { Subscription } from "../src/Intake/Subscription.ts"
import { Walk } from "../src/Walk/Walk.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import * as BareAppender from "./BareAppender.ts"
import * as BareCopy from "./BareCopy.ts"
import { settings } from "./BenchSettings.ts"
import { round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Projects from "./Projects.ts"

const isPostgres = Engine.name === "postgres"
const total = Number(process.env["BENCH_ROWS"] ?? (isPostgres ? 100_000 : 300_000))
await using engine = await Engine.open()

const subscribed = Layer.succeed(
  Subscription,
  Subscription.of({
    attempted: Effect.void,
    status: Effect.succeed({ url: "", verifiedAt: null, obsolete: [], toDelete: [] })
  })
)

const seconds = (from: number): number => (performance.now() - from) / 1000

const walk = async (rows: number, latencyMs: number, concurrency: number): Promise<number> => {
  const { environment } = await engine.place()
  const server = await start("ListServer.ts", rows, latencyMs)
  const origin = `http://127.0.0.1:${server.line}`
  const worker = Walk.layerWith({ every: Duration.hours(1), pageSize: 1000, concurrency }).pipe(
    Layer.provideMerge(Construction.layer),
    Layer.provideMerge(subscribed),
    Layer.provideMerge(service),
    Layer.provideMerge(Skew.layer),
    Layer.provideMerge(stores),
    Layer.provideMerge(
      settings({
        SITELEDGER_BASE_URL: `${origin}/v1`,
        SITELEDGER_AUTH_URL: origin,
        SITELEDGER_REQUESTS_PER_MINUTE: "600000",
        ...environment
      })
    )
  )
  const through = Effect.gen(function* () {
    const service = yield* Walk
    const from = performance.now()
    while (!(yield* service.isThrough)) yield* Effect.sleep("5 millis")
    return seconds(from)
  })
  const took = await Effect.runPromise(Effect.scoped(Effect.provide(through, worker)))
  server.process.kill()
  return rows / took
}

/** As many as a walk writes at once. */
const atOnce = 10_000

/** Rows per second of the warehouse's write alone: for new rows, and for the same rows in a later walk. */
const writes = async () => {
  const { environment } = await engine.place()
  const measure = Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const pass = Effect.gen(function* () {
      let took = 0
      for (let first = 1; first <= total; first += atOnce) {
        const changes = Projects.changes(first, atOnce)
        const from = performance.now()
        yield* warehouse.write({ changes, events: [] })
        took += seconds(from)
      }
      return Math.round(total / took)
    })
    return { fresh: yield* pass, same: yield* pass }
  })
  const bottom = Layer.provideMerge(stores, settings(environment))
  return Effect.runPromise(Effect.scoped(Effect.provide(measure, bottom)))
}

const bare = async (): Promise<number> => {
  const place = await engine.place()
  return place.url === undefined
    ? BareAppender.load(place, total, BareAppender.byValue)
    : BareCopy.load(place.url, total)
}

const rate = await bare()
const written = await writes()
const columns = isPostgres ? undefined : await BareAppender.load(await engine.place(), total, BareAppender.byColumn)
const share = Math.min(1, total / 100_000)
const oneAtATime = await walk(30_000 * share, 200, 1)
const eightInFlight = await walk(160_000 * share, 200, 8)
process.stdout.write(
  `${JSON.stringify({
    bench: "walk",
    engine: Engine.name,
    rows: total,
    bareRowsPerSecond: Math.round(rate),
    writtenPerSecond: written.fresh,
    writtenRatio: round(written.fresh / rate),
    writtenAgainPerSecond: written.same,
    ...(columns === undefined
      ? {}
      : { bareColumnsRowsPerSecond: Math.round(columns), writtenRatioToColumns: round(written.fresh / columns) }),
    shareOfFloorOneAtATime: round(oneAtATime / 5_000),
    shareOfFloorEightInFlight: round(eightInFlight / 40_000)
  })}\n`
)
