/**
 * The process's log: on stderr, in the format and from the level that the environment asks for. Data goes to
 * stdout, so a pipe never gets a log line.
 */
import { Effect, Layer, Logger, References } from "effect"
import { Settings } from "../../config/Settings.ts"

const loggers = {
  pretty: (colors: boolean) => Logger.consolePretty({ colors }),
  json: () => Logger.consoleJson,
  logfmt: () => Logger.consoleLogFmt
}

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ logFormat, logLevel, color }) =>
    Layer.mergeAll(
      Logger.layer([loggers[logFormat](color && process.stderr.isTTY)]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, logLevel)
    )
  )
)
