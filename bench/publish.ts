/**
 * The copy for analysts after 1,000 of 5,000,000 events (PostgreSQL: 1,000,000) are new: made from the copy before it, beside a whole one in the
 * same run. Seconds, processor time (without the server's) and bytes written. Goals: 2 s, 1 s and 20 MB.
 * Run: node bench/publish.ts [--engine postgres]
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Change } from "../src/Domain/Change.ts"
import * as Version from "../src/Domain/Version.ts"
import type { EventRow } from "../src/Stores/WarehouseTables.ts"
import { median, peakMb, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { made, opened } from "./Publishing.ts"

const events = Number(process.env["BENCH_EVENTS"] ?? (Engine.name === "postgres" ? 1_000_000 : 5_000_000))
const ipcs = Number(process.env["BENCH_ENTITIES"] ?? events / 4)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const fresh = 1000
const at = "2026-12-01T00:00:00.000000Z"

await using engine = await Engine.open()
const place = await engine.place()
const target = join(place.directory, "analytics.duckdb")

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

await start("ExportRows.ts", "--engine", Engine.name, await made(place), events, ipcs, 0, events)
const { close, publish, write } = await opened(place)

const measured = async (isWhole: boolean) => {
  const [cpu, bytes, from] = [process.cpuUsage(), written(), performance.now()]
  const published = await publish(target, isWhole)
  if (published.isWhole !== isWhole) throw new Error("the copy was made in the other way")
  const { system, user } = process.cpuUsage(cpu)
  return {
    seconds: round((performance.now() - from) / 1000, 2),
    cpuSeconds: round((user + system) / 1e6, 2),
    writtenMb: round((written() - bytes) / 1e6, 1)
  }
}

/** As a stream brings them. */
const writeSome = async (from: number) => {
  const some = Array.from({ length: fresh }, (_, n) => event(from + n))
  for (let first = 0; first < fresh; first += 50) {
    const batch = some.slice(first, first + 50)
    await write({ events: batch, changes: batch.map(change) })
  }
}

const wholes = [await measured(true)]
await writeSome(events)
wholes.push(await measured(true))
const parts: typeof wholes = []
for (let n = 1; n <= rounds; n++) {
  await writeSome(events + n * fresh)
  parts.push(await measured(false))
}
await close()

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
