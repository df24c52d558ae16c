/**
 * The formats of the log, one line each, except that a cause takes more lines in `pretty`. A LogLine has its name under
 * `event` and its fields beside it; a line that is written within a trace has the trace's id. Text from outside can't
 * move the cursor.
 */
import { Cause, Logger, References } from "effect"
import * as Json from "../../src/Domain/Json.ts"
import * as Text from "../../src/Query/Text.ts"
import { nameKey } from "../../src/Runtime/LogLine.ts"

type Written = Logger.Options<unknown>

const messageOf = ({ message }: Written): string =>
  (Array.isArray(message) ? message : [message])
    .map((part) => (typeof part === "string" ? part : part instanceof Error ? part.message : Json.stringify(part)))
    .join(" ")

const causeOf = ({ cause }: Written): string | undefined =>
  cause.reasons.length === 0 ? undefined : Cause.pretty(cause)

const fieldsOf = (written: Written) => {
  const { [nameKey]: event, ...fields } = written.fiber.getRef(References.CurrentLogAnnotations)
  return {
    timestamp: written.date.toISOString(),
    level: written.logLevel.toUpperCase(),
    [nameKey]: event,
    message: messageOf(written),
    ...fields,
    trace_id: written.fiber.cache.span?.traceId,
    cause: causeOf(written)
  }
}

const json = Logger.make((written: Written) => Text.visibleJson(JSON.stringify(fieldsOf(written))))

const bare = /^[\w.:/@+-]+$/

const logfmt = Logger.make((written: Written) =>
  Object.entries(fieldsOf(written))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : Json.stringify(value)
      return `${name}=${bare.test(text) ? text : Text.visibleJson(JSON.stringify(text))}`
    })
    .join(" ")
)

const colors: Readonly<Record<string, string>> = { FATAL: "31", ERROR: "31", WARN: "33", INFO: "32", DEBUG: "34" }

const pretty = (isColored: boolean) =>
  Logger.make((written: Written) => {
    const color = (code: string, text: string) => (isColored ? `\u001B[${code}m${text}\u001B[0m` : text)
    const { [nameKey]: event, cause, level, message, timestamp } = fieldsOf(written)
    const time = timestamp.slice(11, 23)
    const name = typeof event === "string" ? ` ${color("1", event)}:` : ":"
    const more = cause === undefined ? "" : `\n${Text.visibleLines(cause)}`
    return `[${time}] ${color(colors[level] ?? "90", level)}${name} ${Text.visible(message)}${more}`
  })

export const formats = { pretty, json: () => json, logfmt: () => logfmt }
