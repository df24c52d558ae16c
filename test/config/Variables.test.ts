/**
 * The variables against config/example.env and docs/configuration.md, the names of a later version, and the guess at
 * what a typo meant. After a change: UPDATE_DOCS=1 npx vitest run test/config/Variables.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Option, Redacted, Result } from "effect"
import { layerAll, ServiceSettings } from "../../config/Settings.ts"
import type { Variable } from "../../config/Variable.ts"
import { sections, variables } from "../../config/Sections.ts"
import { webhooks } from "../../config/Variables.ts"
import { settings } from "./Reading.ts"

describe("names", () => {
  it.effect("a name that looks like a typo gets a warning with the nearest one, a foreign one gets none", () =>
    Effect.gen(function* () {
      const read = yield* settings({ SITELEDGER_WALK_EVRY: "1 hour", SITELEDGER_HOME: "x", PATH: "/bin" })
      assert.deepStrictEqual(read.warnings, [
        "SITELEDGER_WALK_EVRY is not a variable of siteledger; did you mean SITELEDGER_WALK_EVERY?"
      ])
    })
  )
})

describe("SITELEDGER_TRUSTED_PROXIES", () => {
  const { read } = webhooks.trustedProxies

  it("takes addresses and ranges of either family", () => {
    const trusted = Result.getOrThrow(read("10.0.0.0/8, 192.0.2.7,2001:db8::/32, ::1"))
    const isTrusted = (address: string) => trusted.check(address, address.includes(":") ? "ipv6" : "ipv4")
    assert.isTrue(["10.255.0.1", "192.0.2.7", "2001:db8:ffff::1", "::1"].every(isTrusted))
    assert.isFalse(["11.0.0.1", "192.0.2.8", "2001:db9::1", "::2"].some(isTrusted))
  })

  it.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::1/129", "proxy.example.com", "10.0.0.1,", "10.0.0.1/8/8"])(
    "refuses anything else: %s",
    (text) => assert.match(Result.getFailure(read(text)).toString(), /must be addresses or CIDR ranges/)
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

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const assertWritten = (name: string, text: string) => {
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(path(name), text)
  assert.strictEqual(readFileSync(path(name), "utf8"), text)
}

const head = `# Every variable of siteledger, each with one sentence. A line that is commented out shows its default or an example.
# Load a copy with: set -a; . ./my.env; set +a. A secret may also come from a file: set its name followed by _FILE.`

const shown = ({ default: standard, example }: Variable<unknown>): string => standard ?? example ?? ""

const line = (variable: Variable<unknown>): string => {
  const text = shown(variable)
  const mark = variable.isRequired ? "" : "#"
  return `# ${variable.meaning}\n${mark}${variable.name}=${/\s/.test(text) ? `"${text}"` : text}`
}

const preface = `# Configuration

All environment variables, generated from \`config/Sections.ts\`; [config/example.env](../config/example.env) has them ready
to copy. A secret may also come from a file: set its name followed by \`_FILE\`. One message reports all variables that are
missing or bad, by name and without their values, and the exit code is 2.`

const row = (variable: Variable<unknown>): string => {
  const { default: standard, isRequired, isSecret, meaning, name } = variable
  const example = standard === undefined ? `e.g. \`${shown(variable)}\`` : `\`${standard}\``
  const kind = [...(isRequired ? ["required"] : []), ...(isSecret ? ["secret"] : []), example]
  return `| \`${name}\` | ${meaning.replaceAll("<", "\\<")} | ${kind.join(", ")} |`
}

describe("config/example.env", () => {
  it("names every variable once, under its sentence, and commented out unless it is required", () => {
    const parts = sections.map(([title, group]) => [`# --- ${title} ---`, ...Object.values(group).map(line)])
    const names = variables.map(({ name }) => name)
    assert.sameMembers([...new Set(names)], names)
    assertWritten("config/example.env", `${[head, ...parts.flat()].join("\n\n")}\n`)
  })

  it.effect(
    "is accepted with everything in it switched on, except the files that don't exist and further accounting systems",
    () =>
      Effect.gen(function* () {
        const text = readFileSync(path("config/example.env"), "utf8")
        const on = text.replace(
          /^#(?=[A-Z])(?!SITELEDGER_(FIELD_ALIASES|ENVELOPE|LEDGER_FILE|XERO|QUICKBOOKS|TRYTON))/gm,
          ""
        )
        const env = ConfigProvider.layer(ConfigProvider.fromDotEnvContents(on))
        const read = yield* Effect.provide(ServiceSettings, Layer.provide(layerAll, env))
        assert.strictEqual(Duration.toMinutes(read.walkEvery), 60)
      })
  )
})

it("docs/configuration.md says what each variable means and what it is by default", () => {
  const tables = sections.map(([title, group]) => {
    const rows = Object.values(group).map(row)
    return [`## ${title}`, "", "| variable | meaning | default or example |", "|---|---|---|", ...rows].join("\n")
  })
  assertWritten("docs/configuration.md", `${[preface, ...tables].join("\n\n")}\n`)
})
