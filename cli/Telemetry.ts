/**
 * What goes to an OpenTelemetry collector, over OTLP: if OTEL_EXPORTER_OTLP_ENDPOINT is set, each of logs, metrics and
 * traces whose exporter is `otlp`. Effect reads the other variables of OpenTelemetry (OTEL_RESOURCE_ATTRIBUTES,
 * OTEL_BSP_…, compression, timeouts, and those of one signal). If the collector fails, its data is dropped.
 */
import { hostname } from "node:os"
import { Cause, Config, Duration, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient, UrlParams } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { Settings, SettingsError } from "../config/Settings.ts"
import { version } from "../src/Runtime/Program.ts"
import { Telemetry } from "../src/Runtime/Telemetry.ts"

/** A parameter in a URL may be a key, so spans show only those of paging. */
const hidden = [/^(?!(page|per_page)$)/]

const isConfigError = (error: unknown): error is Config.ConfigError => error instanceof Config.ConfigError

/** Effect reads the variables that `config/` doesn't declare, and dies of those that it can't read. */
const refused = (cause: Cause.Cause<never>) => {
  const error = Cause.squash(cause)
  const [, variable] = (isConfigError(error) ? /\["(OTEL_\w+)"/.exec(error.message) : undefined) ?? []
  return variable === undefined
    ? Effect.failCause(cause)
    : Effect.fail(SettingsError.of([{ variable, sentence: "has a value that OpenTelemetry doesn't know." }]))
}

/** Adds to the existing loggers. */
export const layer = Layer.unwrap(
  Effect.map(Settings, (settings) => {
    const { otlpEndpoint, otlpHeaders, otlpMetrics, otlpMetricsEveryMs, otlpServiceName, otlpTraces } = settings
    if (settings.otlpDisabled || Option.isNone(otlpEndpoint)) return Layer.empty
    const exporting = Otlp.layerFromConfig({
      resource: {
        serviceName: otlpServiceName,
        serviceVersion: version,
        attributes: { "host.name": hostname(), "process.pid": process.pid }
      },
      headers: Option.getOrUndefined(Option.map(otlpHeaders, Redacted.value)),
      loggerMergeWithExisting: true
    }).pipe(
      Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]),
      Layer.catchCause((cause) => Layer.effectDiscard(refused(cause)))
    )
    const sent = Layer.succeed(Telemetry, {
      traces: otlpTraces === "otlp",
      metricsEvery: otlpMetrics === "otlp" ? Duration.millis(otlpMetricsEveryMs) : undefined
    })
    const redacting = Layer.succeed(UrlParams.CurrentRedactedNames, hidden)
    return Layer.mergeAll(Layer.effectDiscard(Effect.void).pipe(Layer.provideMerge(exporting)), sent, redacting)
  })
)
