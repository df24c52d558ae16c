/**
 * The table of variables against `config/example.env`, the names of a later version, and the guess at what a typo meant.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Option, Redacted } from "effect"
import { layer, layerAll, ServiceSettings, Settings, variables } from "../../config/Settings.ts"
import type { Variable } from "../../config/Variables.ts"

const settings = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Settings, Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))

describe("names", () => {
  it.effect("a name that looks like a typo gets a warning with the nearest one, a foreign one gets none", () =>
    Effect.gen(function* () {
      const read = yield* settings({ SITELEDGER_WALK_EVRY: "1 hour", SITELEDGER_HOME: "x", PATH: "/bin" })
      assert.deepStrictEqual(read.warnings, [
        "SITELEDGER_WALK_EVRY is not a variable of siteledger; did you mean SITELEDGER_WALK_EVERY?"
      ])
    })
  )

  it.effect.each([["SITELEDGER_OPENAPI", "openapi.json", "is not supported yet"]] as const)(
    "%s=%s belongs to a later version and says so",
    ([name, value, sentence]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settings({ [name]: value }))
        assert.deepStrictEqual(
          error.problems.map((problem) => problem.variable),
          [name]
        )
        assert.include(error.message, `${name} ${sentence}`)
      })
  )
})

describe("SITELEDGER_ALERT_URL", () => {
  it.effect.each([
    "https://alerts.example.com/T0/secret?x=1",
    "http://127.0.0.1:9/x",
    "http://[::1]:9/x",
    "http://localhost/x"
  ])("takes https, and http to loopback: %s", (url) =>
    Effect.gen(function* () {
      const { alertUrl } = yield* settings({ SITELEDGER_ALERT_URL: url })
      assert.strictEqual(Redacted.value(Option.getOrThrow(alertUrl)), url)
      assert.notInclude(String(alertUrl), "secret")
    })
  )

  it.effect.each([
    "http://alerts.example.com/x",
    "alerts.example.com",
    "/x",
    "https://u:p@alerts.example.com",
    "ftp://x"
  ])("refuses anything else, and doesn't repeat it: %s", (url) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(settings({ SITELEDGER_ALERT_URL: url }))
      assert.include(message, "SITELEDGER_ALERT_URL must be an absolute https URL")
      assert.notInclude(message, url)
    })
  )
})

describe("config/example.env", () => {
  it("names every variable once, under its sentence, and commented out unless it is required", () => {
    const text = readFileSync(new URL("../../config/example.env", import.meta.url), "utf8")
    const entries = [...text.matchAll(/^# (.+)\n(#?)([A-Z_]+)=/gm)].map(([, meaning, mark, name]) => ({
      meaning,
      mark,
      name
    }))
    assert.deepStrictEqual(
      entries,
      variables.map((one: Variable) => ({
        meaning: one.meaning,
        mark: one.required === true ? "" : "#",
        name: one.name
      }))
    )
    assert.strictEqual(text.match(/^#?[A-Z_]+=/gm)?.length, variables.length)
  })

  it.effect("is accepted with everything in it switched on, save the file that is not there", () =>
    Effect.gen(function* () {
      const text = readFileSync(new URL("../../config/example.env", import.meta.url), "utf8")
      const on = text.replace(/^#(?=[A-Z])(?!SITELEDGER_FIELD_ALIASES)/gm, "")
      const env = ConfigProvider.layer(ConfigProvider.fromDotEnvContents(on))
      const read = yield* Effect.provide(ServiceSettings, Layer.provide(layerAll, env))
      assert.strictEqual(Duration.toMinutes(read.walkEvery), 60)
    })
  )
})
