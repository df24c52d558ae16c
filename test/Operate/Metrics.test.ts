/** The names of the metrics, and that they show Status and nothing that has passed. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Receiver } from "../../src/Intake/Receiver.ts"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { Metrics } from "../../src/Operate/Metrics.ts"
import { sections } from "../../src/Operate/Metrics/Families.ts"
import type { Family } from "../../src/Operate/Metrics/Family.ts"
import { Status } from "../../src/Operate/Status.ts"
import { Telemetry } from "../../src/Runtime/Telemetry.ts"
import * as Timings from "../../src/Runtime/Timings.ts"
import { StoreError } from "../../src/Stores/Store.ts"
import { complaints, parse, promtool } from "../Exposition.ts"
import { atSeconds, expected, full } from "./FullReport.ts"

const layerOf = (report: Effect.Effect<StatusReport, StoreError>) => {
  const receiver = Receiver.of({ status: Effect.succeed(full.receiver), refusedSeen: Effect.succeed([]) })
  const parts = Layer.mergeAll(Layer.succeed(Status, Status.of({ report })), Layer.succeed(Receiver, receiver))
  return Layer.provide(Metrics.layer, parts)
}

/** With a registry of its own. */
const scene = <E>(
  report: Effect.Effect<StatusReport, StoreError>,
  body: (metrics: Metrics["Service"]) => Effect.Effect<void, E>,
  metricsEvery?: Duration.Duration
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime((atSeconds + 90) * 1000)
    const layer = layerOf(report)
    yield* Effect.scoped(Effect.provide(Effect.flatMap(Metrics, body), layer, { local: true }))
  }).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(Telemetry, { traces: false, metricsEvery })
  )

const all: ReadonlyArray<Family<never>> = Object.values(sections).flat()

const valuesIn = (text: string): ReadonlyMap<string, number> =>
  new Map([...parse(text).values()].flatMap(({ samples }) => [...samples]))

describe("the metrics", () => {
  it.effect("show everything that Status says, by Prometheus' conventions", () =>
    scene(Effect.succeed(full), (metrics) =>
      Effect.gen(function* () {
        const text = yield* metrics.text
        const values = valuesIn(text)
        assert.deepStrictEqual(
          expected.map(([name]) => [name, values.get(name)]),
          expected.map(([name, value]) => [name, value])
        )
        const named = parse(text)
        for (const { labels, name, says, type } of all) {
          const found = named.get(name)
          assert.deepInclude({ type: found?.type, help: found?.help }, { type, help: says }, name)
          const [first = ""] = found?.samples.keys() ?? []
          assert.deepStrictEqual(
            [...first.matchAll(/(\w+)="/g)].map(([, label]) => label),
            [...labels],
            name
          )
        }
        assert.deepStrictEqual(complaints(text), [])
        assert.strictEqual(promtool(text), "")
      })
    )
  )

  it.effect("of this process are its own", () =>
    scene(Effect.succeed(full), (metrics) =>
      Effect.gen(function* () {
        const values = valuesIn(yield* metrics.text)
        assert.isAbove(values.get("process_resident_memory_bytes") ?? 0, 10_000_000)
        assert.isAbove(values.get("process_cpu_seconds_total") ?? 0, 0.1)
        assert.closeTo(values.get("process_start_time_seconds") ?? 0, performance.timeOrigin / 1000, 1)
        const build = [...values.keys()].find((name) => name.startsWith("siteledger_build_info{")) ?? ""
        assert.match(build, new RegExp(`version="[\\d.]+",node="${process.versions.node}"`))
      })
    )
  )

  it.effect("no longer show what has passed, and follow what has changed", () => {
    let report = full
    return scene(
      Effect.sync(() => report),
      (metrics) =>
        Effect.gen(function* () {
          yield* metrics.text
          report = {
            ...full,
            reasonDetails: [],
            lastEventAt: null,
            ledger: { ...full.ledger, sink: null, entries: 99 }
          }
          const values = valuesIn(yield* metrics.text)
          const names = [...values.keys()].join("\n")
          assert.notInclude(names, "siteledger_reason_active")
          assert.notInclude(names, "siteledger_last_event")
          assert.notInclude(names, "siteledger_ledger_sink")
          assert.strictEqual(values.get("siteledger_ledger_entries"), 99)
          report = full
          assert.strictEqual(valuesIn(yield* metrics.text).get("siteledger_ledger_sink_dead"), 74)
        })
    )
  })

  const fails = new StoreError({ reason: "Failed", message: "The store fails." })
  for (const [how, broken] of Object.entries({ "can't be read": Effect.fail(fails), dies: Effect.die(fails) })) {
    it.effect(`stay as they were while Status ${how}, and say so`, () => {
      let isBroken = false
      const report = Effect.suspend(() => (isBroken ? broken : Effect.succeed(full)))
      return scene(report, (metrics) =>
        Effect.gen(function* () {
          yield* metrics.text
          isBroken = true
          const values = valuesIn(yield* metrics.text)
          assert.deepStrictEqual([values.get("siteledger_status_ok"), values.get("siteledger_ledger_entries")], [0, 71])
          isBroken = false
          assert.strictEqual(valuesIn(yield* metrics.text).get("siteledger_status_ok"), 1)
        })
      )
    })
  }

  it.effect("are those of the program and of the receiver alone, if Status couldn't be read yet", () =>
    scene(Effect.fail(new StoreError({ reason: "Failed", message: "The store fails." })), (metrics) =>
      Effect.gen(function* () {
        const values = valuesIn(yield* metrics.text)
        assert.strictEqual(values.get("siteledger_status_ok"), 0)
        assert.isAbove(values.get("process_resident_memory_bytes") ?? 0, 10_000_000)
        assert.strictEqual(values.get('siteledger_receiver_deliveries_total{outcome="not_stored"}'), 45)
        assert.isFalse(values.has("siteledger_ledger_entries"))
      })
    )
  )

  it.effect("don't wait for a Status that takes longer than five seconds", () =>
    scene(Effect.never, (metrics) =>
      Effect.gen(function* () {
        const asked = yield* Effect.forkChild(metrics.text)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(valuesIn(yield* Fiber.join(asked)).get("siteledger_status_ok"), 0)
      })
    )
  )

  it.effect("are read again by themselves only where they are sent, at most every ten seconds", () =>
    Effect.gen(function* () {
      const readings = { asked: 0, sent: 0 }
      const counting = (name: keyof typeof readings) =>
        Effect.sync(() => {
          readings[name]++
          return full
        })
      const pass = TestClock.adjust("1 minute")
      yield* scene(counting("asked"), () => pass)
      yield* scene(counting("sent"), () => pass, Duration.minutes(5))
      assert.deepStrictEqual(readings, { asked: 0, sent: 7 })
    })
  )

  it.effect("are gone from the registry when the pipelines stop", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      const layer = layerOf(Effect.succeed(full))
      const shown = Effect.flatMap(Metrics, ({ text }) => text)
      yield* Effect.scoped(Effect.provide(shown, layer, { local: true })).pipe(
        Effect.provideService(Metric.MetricRegistry, registry)
      )
      const left = [...registry.values()].map(({ id }) => id)
      assert.sameMembers(
        left,
        Object.values(Timings.timings)
          .filter(({ labels }) => labels.length === 0)
          .map(({ name }) => name)
      )
    })
  )
})

describe("a histogram", () => {
  it.effect("counts what took how long, in seconds, and has the buckets that the document states", () =>
    scene(Effect.succeed(full), (metrics) =>
      Effect.gen(function* () {
        yield* Timings.observe("export", 7)
        yield* Timings.observe("walk", 0.2, { resource: "projects" })
        const visible = yield* Timings.observer("visible")
        for (const seconds of [-1, 3]) visible(seconds)
        const text = yield* metrics.text
        const values = valuesIn(text)
        assert.strictEqual(values.get('siteledger_export_seconds_bucket{le="5"}'), 0)
        assert.strictEqual(values.get('siteledger_export_seconds_bucket{le="10"}'), 1)
        assert.strictEqual(values.get("siteledger_export_seconds_sum"), 7)
        assert.strictEqual(values.get('siteledger_walk_seconds_count{resource="projects"}'), 1)
        // A clock that was set back.
        assert.strictEqual(values.get('siteledger_delivery_visible_seconds_bucket{le="0.01"}'), 1)
        assert.strictEqual(values.get("siteledger_delivery_visible_seconds_sum"), 3)
        for (const { buckets, name } of Object.values(Timings.timings)) {
          const written = [...(parse(text).get(name)?.samples.keys() ?? [])].flatMap((sample) =>
            [...sample.matchAll(/le="([^"]+)"/g)].map(([, bound]) => bound)
          )
          assert.deepStrictEqual(written, [...buckets.map(String), "+Inf"], name)
        }
        assert.deepStrictEqual(complaints(text), [])
        assert.strictEqual(promtool(text), "")
      })
    )
  )
})

describe("our own check of the format", () => {
  it("finds what promtool finds", () => {
    const bad = [
      "# TYPE a_total gauge\na_total 1\n",
      "# HELP b A counter.\n# TYPE b counter\nb 1\n",
      "# HELP c_minutes Minutes.\n# TYPE c_minutes gauge\nc_minutes 1\n",
      '# HELP d A label.\n# TYPE d gauge\nd{tooLarge="1"} 1\n',
      "# HELP eF Camels.\n# TYPE eF gauge\neF 1\n",
      "# HELP g_count Ends badly.\n# TYPE g_count gauge\ng_count 1\n"
    ]
    for (const text of bad) assert.isNotEmpty(complaints(text), text)
    assert.deepStrictEqual(complaints("# HELP h_seconds Fine.\n# TYPE h_seconds gauge\nh_seconds 1\n"), [])
    assert.throws(() => parse("# HELP i It.\n# TYPE i gauge\ni{} one\n"))
    assert.throws(() => parse("# HELP i It.\n# TYPE i gauge\ni 1\ni 1\n"))
  })
})
