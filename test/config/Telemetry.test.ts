/** What is read of OpenTelemetry's variables: the headers for the collector, and that none of them is repeated. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { settings } from "./Reading.ts"

const required = {
  SITELEDGER_BASE_URL: "https://api.example.com/v1",
  SITELEDGER_AUTH_URL: "https://auth.example.com",
  SITELEDGER_CLIENT_ID: "id",
  SITELEDGER_CLIENT_SECRET: "secret",
  SITELEDGER_WEBHOOK_URL: "https://siteledger.example.com/webhooks"
}

const read = (headers: string) => settings({ ...required, OTEL_EXPORTER_OTLP_HEADERS: headers })

describe("OTEL_EXPORTER_OTLP_HEADERS", () => {
  const given = {
    "api-key=abc": { "api-key": "abc" },
    "API-Key=abc, tenant=7": { "api-key": "abc", tenant: "7" },
    "Authorization=Basic%20dXNlcjpwYXNz==": { authorization: "Basic dXNlcjpwYXNz==" }
  }
  for (const [text, headers] of Object.entries(given)) {
    it.effect(`reads ${text}`, () =>
      Effect.gen(function* () {
        const { otlpHeaders } = yield* read(text)
        assert.deepStrictEqual(Option.map(otlpHeaders, Redacted.value), Option.some(headers))
        assert.notInclude(String(otlpHeaders), "abc")
      })
    )
  }

  for (const text of ["abc", "key=", "=abc", "a=b,", "a=b c", "a=%zz", "a=%ff", "a=%", "a=b%0d%0ac"]) {
    it.effect(`refuses ${text}`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(read(text))
        const sentence = "must be pairs like api-key=abc,tenant=7 (values percent-encoded)."
        assert.include(message, `OTEL_EXPORTER_OTLP_HEADERS ${sentence}`)
      })
    )
  }
})

it.effect("sends nothing by default", () =>
  Effect.gen(function* () {
    const { otlpDisabled, otlpEndpoint, otlpLogs, otlpMetrics, otlpTraces } = yield* settings({
      ...required,
      OTEL_EXPORTER_OTLP_ENDPOINT: " "
    })
    assert.deepStrictEqual(
      [otlpDisabled, otlpEndpoint, otlpLogs, otlpMetrics, otlpTraces],
      [false, Option.none(), "none", "none", "none"]
    )
  })
)
