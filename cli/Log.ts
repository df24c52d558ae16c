/**
 * The process's log: on stderr, in the format and from the level that the environment sets, and never faster than a set
 * rate (`Log/Limit`). Data goes to stdout, so a pipe never gets a log line. The same lines, metrics and traces go to
 * OpenTelemetry if it is configured (`Telemetry`).
 */
import { Effect, Layer, Logger, References } from "effect"
import * as Settings from "../config/Settings.ts"
import { formats } from "./Log/Formats.ts"
import * as Limit from "./Log/Limit.ts"
import * as Telemetry from "./Telemetry.ts"

const stderr = Layer.unwrap(
  Effect.map(Settings.Settings, ({ logFormat, logLevel, color }) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(formats[logFormat](color && process.stderr.isTTY))]),
      Layer.succeed(References.MinimumLogLevel, logLevel)
    )
  )
)

export const layer = Limit.layer.pipe(Layer.provideMerge(Telemetry.layer), Layer.provideMerge(stderr))

/** The settings, and a log configured by them. */
export const layerSettings = layer.pipe(Layer.provideMerge(Settings.layer))
