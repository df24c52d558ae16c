/**
 * The copy for analysts after 1,000 of 5,000,000 events are new: made from the copy before it, beside a whole one in the
 * same run. Seconds, processor time and bytes written. Goals: 2 s, 1 s and 20 MB. DuckDB only: with PostgreSQL, analysts
 * who want a file get a whole one. Run: node bench/publish.ts
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Layer } from "effect"
import { stores } from "../pipelines/stores.ts"
import type { Change } from "../src/Domain/Change.ts"
import * as Version from "../src/Domain/Version.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import type { EventRow } from "../src/Stores/WarehouseTables.ts"
import { settings } from "./BenchSettings.ts"
import { median, peakMb, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"

const events = Number(process.env["BENCH_EVENTS"] ?? 5_000_000)
const ipcs = Number(process.env["BENCH_ENTITIES"] ?? events / 4)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const fresh = 1000
const at = "2026-12-01T00:00:00.000000Z"

await using engine = await Engine.open()
const place = await engine.place()
const target = join(place.directory, "analytics.duckdb")
const bottom = Layer.fresh(Layer.provideMerge(stores, settings(place.environment)))

const withStores = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof bottom>>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, bottom, { local: true })))

const event = (sequence: number): EventRow => ({
  body_sha256: String(sequence).padStart(64, "0"),
  sequence: String(sequence),
  event_id: `new-${sequence}`,
  event_type: "ipc.certified",
  event_timestamp: at,
  entity: "ipcs",
  entity_id: `IPC-${(sequence * 7919) % ipcs}`,
  payload: JSON.stringify({ event_type: "ipc.certified", note: "x".repeat(400) }),
  issued_at: null,
  received_at: at,
  deliveries: "1",
  outcome: "applied",
  reason: null,
  alarms: "[]"
})

const change = ({ entity_id, sequence }: EventRow): Change => ({
  entity: "ipcs",
  id: entity_id ?? "",
  version: Version.make(1_800_000_000_000_000 + Number(sequence), 3, sequence),
  source: "event",
  seenAt: at,
  values: { certified_amount: `${sequence}.0000`, certified_at: at },
  misfits: {},
  extra: {}
})

const written = (): number => Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0)

const measured = (isWhole: boolean) =>
  Effect.gen(function* () {
    const { publish } = yield* Warehouse
    const [cpu, bytes] = [process.cpuUsage(), written()]
    const [duration] = yield* Effect.timed(publish(target, { isWhole }))
    const { system, user } = process.cpuUsage(cpu)
    return {
      seconds: round(Duration.toSeconds(duration), 2),
      cpuSeconds: round((user + system) / 1e6, 2),
      writtenMb: round((written() - bytes) / 1e6, 1)
    }
  })

const writeSome = (from: number) =>
  Effect.gen(function* () {
    const { write } = yield* Warehouse
    const some = Array.from({ length: fresh }, (_, n) => event(from + n))
    // As a stream brings them.
    for (let first = 0; first < fresh; first += 50) {
      const batch = some.slice(first, first + 50)
      yield* write({ events: batch, changes: batch.map(change) })
    }
  })

await withStores(Effect.void)
await start("ExportRows.ts", join(place.directory, "warehouse.duckdb"), events, ipcs, 0, events)
const compare = Effect.gen(function* () {
  const wholes = [yield* measured(true)]
  yield* writeSome(events)
  wholes.push(yield* measured(false))
  const parts: typeof wholes = []
  for (let n = 1; n <= rounds; n++) {
    yield* writeSome(events + n * fresh)
    parts.push(yield* measured(false))
  }
  return { wholes, parts }
})
const { parts, wholes } = await withStores(compare)

const medians = (all: typeof parts) => ({
  seconds: median(all.map(({ seconds }) => seconds)),
  cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
  writtenMb: median(all.map(({ writtenMb }) => writtenMb))
})
process.stdout.write(
  `${JSON.stringify({
    bench: "publish",
    engine: Engine.name,
    events,
    fresh,
    fileMb: Math.round(statSync(target).size / 1e6),
    whole: medians(wholes),
    part: medians(parts),
    ratio: round(medians(parts).seconds / medians(wholes).seconds, 3),
    peakMb: peakMb()
  })}\n`
)
