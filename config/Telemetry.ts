/**
 * The variables of OpenTelemetry, under their usual names. Nothing is sent unless the endpoint and an exporter are set.
 */
import { Redacted, Result } from "effect"
import * as Address from "./Address.ts"
import * as Parse from "./Parse.ts"
import { optional, preset, secret } from "./Variable.ts"

const exporter = (signal: "LOGS" | "METRICS" | "TRACES", what: string) =>
  preset(`OTEL_${signal}_EXPORTER`, `otlp sends ${what} to the collector; none doesn't.`, Parse.exporter, "none")

const visible = /^[\x20-\x7e]*$/
const pair = /^([\w-]+)=([\w!'()*.~+/=%-]+)$/

/** `name=value` pairs, percent-encoded. */
const headers: Parse.Parse<Redacted.Redacted<Readonly<Record<string, string>>>> = (text) =>
  Result.all(
    text.split(",").map((each) => {
      const [, name = "", value = ""] = pair.exec(each.trim()) ?? []
      return name === ""
        ? Result.fail(undefined)
        : Result.map(
            Result.try(() => decodeURIComponent(value)),
            (decoded) => [name.toLowerCase(), decoded] as const
          ).pipe(
            Result.filterOrFail(
              ([, decoded]) => visible.test(decoded),
              () => undefined
            )
          )
    })
  ).pipe(
    Result.map((pairs) => Redacted.make(Object.fromEntries(pairs))),
    Result.mapError(() => "must be pairs like api-key=abc,tenant=7 (values percent-encoded).")
  )

export const telemetry = {
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Address of an OpenTelemetry collector that takes OTLP over HTTP, as JSON; /v1/traces and the like are appended.",
    Address.collector,
    "http://127.0.0.1:4318"
  ),
  otlpLogs: exporter("LOGS", "the lines of the log"),
  otlpMetrics: exporter("METRICS", "the metrics"),
  otlpTraces: exporter("TRACES", "traces of deliveries, walks and exports"),
  otlpHeaders: secret(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "Headers of each request to the collector, like a key: pairs separated by commas.",
    headers,
    "api-key=change-me"
  ),
  otlpMetricsEveryMs: preset(
    "OTEL_METRIC_EXPORT_INTERVAL",
    "Interval at which the metrics are sent, in milliseconds.",
    Parse.positiveInteger,
    "60000"
  ),
  otlpServiceName: preset("OTEL_SERVICE_NAME", "The name of this service in telemetry.", Parse.plain, "siteledger"),
  otlpDisabled: preset(
    "OTEL_SDK_DISABLED",
    "true sends nothing, regardless of the other settings.",
    Parse.boolean,
    "false"
  )
}
