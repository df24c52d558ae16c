/**
 * How fast events become rows. First an inbox of 50,000 events of 5,000 IPCs is drained into the warehouse. Then
 * deliveries arrive at 100 per second over HTTP; measured is the time from each 2xx (as the sender sees it) until a
 * query sees its row. Goal: p99 ≤ 1 s. With PostgreSQL the same inbox is also drained by 1, 2 and 4 workers, each with
 * its own connections. Run: node bench/apply.ts [--engine postgres]
 */
import { Effect, Fiber, Layer } from "effect"
import * as ConstructionApart from "../connectors/construction/ConstructionApart.ts"
import * as ConstructionWebhooks from "../connectors/construction/ConstructionWebhooks.ts"
import { stores } from "../pipelines/stores.ts"
import { Apply } from "../src/Intake/Apply.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import { Copies } from "../src/Ledger/Copies.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import { Receiver } from "../src/Intake/Receiver.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import { Store } from "../src/Stores/Store.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import { settings } from "./BenchSettings.ts"
import { quantile, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { delivery, path, secret } from "./Signed.ts"
import type { Trickled } from "./Trickle.ts"

const events = Number(process.env["BENCH_EVENTS"] ?? 50_000)
const ipcs = events / 10
const perSecond = 100
const lastsSeconds = Number(process.env["BENCH_SECONDS"] ?? 10)
const pollMs = 10

await using engine = await Engine.open()

const fill = Effect.gen(function* () {
  const store = yield* Store
  for (let first = 0; first < events; first += 1000) {
    yield* Effect.promise(() =>
      store.deliveries.receive(Array.from({ length: 1000 }, (_, n) => delivery("IPC", first + n, ipcs)))
    )
  }
})

const applying = Apply.layer.pipe(
  Layer.provide(Layer.mergeAll(ConstructionApart.layer, Ledger.layer, Copies.layer)),
  Layer.provideMerge(Inbox.layer)
)

/** Seconds until the last event's row is visible. */
const drained = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const from = performance.now()
  while ((yield* warehouse.watermark) < events) yield* Effect.sleep("20 millis")
  return (performance.now() - from) / 1000
})

const receiving = Receiver.layerWith({ host: "127.0.0.1", port: 0, path, maximumBytes: 4 * 1024 * 1024 }).pipe(
  Layer.provide(ConstructionWebhooks.layer),
  Layer.provide([ConstructionWebhooks.Callbacks.layer, Keyring.layerWith(secret)])
)

/** Event id → when a query first saw it, together with its IPC's row. */
const watch = (seenAt: Map<string, number>) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    let through = String(events)
    while (true) {
      const rows = yield* warehouse.query((db) =>
        db
          .selectFrom("construction.events as e")
          .innerJoin("construction.ipcs as i", "i.id", "e.entity_id")
          .select(["e.event_id", "e.sequence"])
          .where("e.sequence", ">", through)
          .orderBy("e.sequence")
          .execute()
      )
      const now = Date.now()
      for (const row of rows) seenAt.set(row.event_id, now)
      through = rows.at(-1)?.sequence ?? through
      yield* Effect.sleep(pollMs)
    }
  })

const delays = Effect.gen(function* () {
  const { port } = yield* (yield* Receiver).status
  const seenAt = new Map<string, number>()
  const watching = yield* Effect.forkChild(watch(seenAt))
  const sender = yield* Effect.promise(() => start("Trickle.ts", port, "LIVE", perSecond * lastsSeconds, perSecond))
  const acknowledgedAt = Object.entries((JSON.parse(sender.line) as Trickled).acknowledgedAt)
  while (seenAt.size < acknowledgedAt.length) yield* Effect.sleep(pollMs)
  yield* Fiber.interrupt(watching)
  return acknowledgedAt.map(([id, at]) => (seenAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
})

/** Events per second of several workers on one inbox, all in this process. */
const shared = Effect.fnUntraced(function* (appliers: number) {
  const place = yield* Effect.promise(() => engine.place())
  const drain = Effect.gen(function* () {
    yield* fill
    // Each has its own pools and fibers; this one only watches.
    yield* Effect.forEach(
      Array.from({ length: appliers }, () => Layer.fresh(Layer.provide(applying, bottomAt(place)))),
      (worker) => Layer.build(worker),
      { concurrency: "unbounded" }
    )
    return Math.round(events / (yield* drained))
  })
  return { appliers, eventsPerSecond: yield* Effect.scoped(Effect.provide(drain, bottomAt(place), { local: true })) }
})

const measure = Effect.gen(function* () {
  yield* fill
  const worker = yield* Layer.build(applying)
  const seconds = yield* Effect.provide(drained, worker)
  const waits = yield* Effect.provide(delays, receiving).pipe(Effect.provide(worker))
  const several = Engine.fleets.length > 0 ? yield* Effect.forEach(Engine.fleets, shared) : undefined
  const result = {
    bench: "apply",
    engine: Engine.name,
    events,
    ipcs,
    eventsPerSecond: Math.round(events / seconds),
    arrivingPerSecond: perSecond,
    delivered: waits.length,
    visibleAfterP50Ms: quantile(waits, 0.5),
    visibleAfterP99Ms: quantile(waits, 0.99),
    visibleAfterMostMs: Math.max(...waits),
    seconds: round(seconds, 2),
    shared: several
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
})

const bottomAt = ({ environment }: Engine.Place) => Layer.fresh(Layer.provideMerge(stores, settings(environment)))

await Effect.runPromise(Effect.scoped(measure).pipe(Effect.provide(bottomAt(await engine.place()))))
