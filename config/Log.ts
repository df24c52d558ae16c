/**
 * The variables of the log.
 */
import * as Parse from "./Parse.ts"
import { optional, preset } from "./Variable.ts"

export const log = {
  logLevel: preset(
    "LOG_LEVEL",
    "Lowest level that is logged: trace, debug, info, warn, error, fatal, all, none.",
    Parse.logLevel,
    "info"
  ),
  logFormat: preset("LOG_FORMAT", "Format of the log on stderr: pretty, json or logfmt.", Parse.logFormat, "pretty"),
  noColor: optional("NO_COLOR", "Any value turns colours off.", Parse.plain, "1")
}
