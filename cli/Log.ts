/**
 * The process's log: on stderr, in the format and from the level that the environment sets, and never more than a stated
 * rate (`Log/Limit`). Data goes to stdout, so a pipe never gets a log line. If OTEL_EXPORTER_OTLP_ENDPOINT is set, each of
 * OTEL_LOGS_EXPORTER, OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER that is `otlp` sends there too; the others send
 * nothing.
 */
import { Config, Effect, Layer, Logger, Option, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import * as Settings from "../config/Settings.ts"
import { formats } from "./Log/Formats.ts"
import * as Limit from "./Log/Limit.ts"

const stderr = Layer.unwrap(
  Effect.map(Settings.Settings, ({ logFormat, logLevel, color }) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(formats[logFormat](color && process.stderr.isTTY))]),
      Layer.succeed(References.MinimumLogLevel, logLevel)
    )
  )
)

const otlp = Otlp.layerFromConfig({ resource: { serviceName: "siteledger" }, loggerMergeWithExisting: true }).pipe(
  Layer.provide(OtlpSerialization.layerJson),
  Layer.provide(FetchHttpClient.layer)
)

const collector = Layer.unwrap(
  Effect.map(Effect.orDie(Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"))), (endpoint) =>
    Option.isNone(endpoint) ? Layer.empty : Layer.effectDiscard(Effect.void).pipe(Layer.provideMerge(otlp))
  )
)

export const layer = Limit.layer.pipe(Layer.provideMerge(collector), Layer.provideMerge(stderr))

/** The settings, and a log configured by them. */
export const layerSettings = layer.pipe(Layer.provideMerge(Settings.layer))
