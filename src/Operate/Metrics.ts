/**
 * Metrics: what Status says, and how long things took, in Effect's registry. `/metrics` shows it in the Prometheus text
 * format, and if OpenTelemetry receives metrics, the same values are pushed to it.
 *
 * Status is read on request, and if metrics are sent, as often as they are, at least every ten seconds. While it can't
 * be read, its values stay as they were, which `siteledger_status_ok` shows; the receiver's counts are still current.
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Receiver } from "../Intake/Receiver.ts"
import { Telemetry } from "../Runtime/Telemetry.ts"
import * as Timings from "../Runtime/Timings.ts"
import { ofStatus, program, receiving, statusOk } from "./Metrics/Families.ts"
import type { Family, Sample } from "./Metrics/Family.ts"
import { Status } from "./Status.ts"

export class Metrics extends Context.Service<Metrics, { readonly text: Effect.Effect<string> }>()(
  "siteledger/Metrics"
) {
  static readonly layer: Layer.Layer<Metrics, never, Receiver | Status> = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const status = yield* Status
      const receiver = yield* Receiver
      const shown = yield* Effect.acquireRelease(
        Effect.map(Effect.context<never>(), (context) => new Shown(context)),
        (all) => Effect.sync(() => all.clear())
      )
      yield* Timings.begin
      const refresh = Effect.gen(function* () {
        shown.show(program, undefined)
        shown.show(receiving, yield* receiver.status)
        // Handles defects too: without an answer, a scraper wouldn't learn that the store is unavailable.
        const report = yield* status.report.pipe(
          Effect.timeout(longestReading),
          Effect.asSome,
          Effect.catchCause(() => Effect.succeedNone)
        )
        const nowMs = yield* Clock.currentTimeMillis
        if (Option.isSome(report)) shown.show(ofStatus, { report: report.value, nowMs })
        shown.show([statusOk], { isRead: Option.isSome(report) })
      })
      const { metricsEvery } = yield* Telemetry
      if (metricsEvery !== undefined) {
        const pause = Duration.min(metricsEvery, longestPause)
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep(pause))))
      }
      return Metrics.of({ text: Effect.andThen(refresh, PrometheusMetrics.format()) })
    })
  )
}

/** Between two reads of Status, whose values then go to OpenTelemetry. */
const longestPause = Duration.seconds(10)
/** Prometheus waits for ten. */
const longestReading = Duration.seconds(5)

interface Series {
  value: number
  readonly registration: Metric.Registration
}

/** The series in the registry: each with its newest value, and without those that no longer have one. */
class Shown {
  readonly #context: Context.Context<never>
  readonly #families = new Map<string, Map<string, Series>>()

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  show<F>(families: ReadonlyArray<Family<F>>, facts: F): void {
    for (const family of families) this.#set(family, family.of(facts))
  }

  #set(family: Family<never>, samples: ReadonlyArray<Sample>): void {
    const before = this.#families.get(family.name) ?? new Map<string, Series>()
    const now = new Map<string, Series>()
    for (const { labels = {}, value } of samples) {
      const key = JSON.stringify(labels)
      const series = before.get(key) ?? this.#registered(family, labels)
      series.value = value
      now.set(key, series)
    }
    for (const [key, { registration }] of before) if (!now.has(key)) registration.remove()
    this.#families.set(family.name, now)
  }

  clear(): void {
    for (const series of this.#families.values()) for (const { registration } of series.values()) registration.remove()
    this.#families.clear()
  }

  #registered({ name, says, type, unit }: Family<never>, labels: Readonly<Record<string, string>>): Series {
    const attributes = unit === undefined ? labels : { ...labels, unit }
    const value = { value: 0 }
    const registration =
      type === "gauge"
        ? Metric.registerUnsafe(Metric.gauge(name, { description: says, attributes }), this.#context, {
            get: () => ({ value: value.value }),
            update: () => undefined,
            modify: () => undefined
          })
        : Metric.registerUnsafe(
            Metric.counter(name, { description: says, attributes, incremental: true }),
            this.#context,
            {
              get: () => ({ count: value.value, incremental: true }),
              update: () => undefined,
              modify: () => undefined
            }
          )
    return Object.assign(value, { registration })
  }
}

export const response = Effect.gen(function* () {
  const text = yield* (yield* Metrics).text
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
})
