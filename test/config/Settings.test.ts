/**
 * The configuration contract: defaults, every way in which a variable can be wrong, one message for all of them, and
 * no value in that message.
 */
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cron, Duration, Effect, Option, Redacted, Runtime } from "effect"
import { SettingsError } from "../../config/Settings.ts"
import { variables } from "../../config/Sections.ts"
import { documented } from "../../config/WireFiles.ts"
import { zoneName } from "../../config/Parse.ts"
import { temporaryFolder } from "../Folders.ts"
import { type Env, serviceSettings, settings } from "./Reading.ts"

const required: Env = {
  SITELEDGER_BASE_URL: "https://service.example.com/v1/",
  SITELEDGER_AUTH_URL: "https://auth.example.com",
  SITELEDGER_CLIENT_ID: "client",
  SITELEDGER_CLIENT_SECRET: "client-secret",
  SITELEDGER_WEBHOOK_URL: "https://me.example.com/hooks"
}

const service = (env: Env) => serviceSettings({ ...required, ...env })
const refusal = (env: Env) => Effect.flip(serviceSettings(env))
const file = (content: string) => {
  const path = join(temporaryFolder(), "value")
  writeFileSync(path, content)
  return path
}

/** The one problem of an environment that is otherwise good, as "NAME sentence". */
const problem = (env: Env) =>
  Effect.map(refusal({ ...required, ...env }), (error) => {
    assert.strictEqual(error.problems.length, 1, error.message)
    return `${error.problems[0]?.variable} ${error.problems[0]?.sentence}`
  })

describe("what is read", () => {
  it.effect("an empty environment gives every default of Settings", () =>
    Effect.gen(function* () {
      const read = yield* settings({})
      assert.strictEqual(read.dataDir, resolve("data"))
      assert.deepStrictEqual(read.warehouse, { engine: "duckdb", path: resolve("data/warehouse.duckdb") })
      assert.deepStrictEqual(read.lake, { kind: "folder", path: resolve("data/lake") })
      assert.strictEqual(Cron.next(read.exportCron, "2026-11-20T03:00:00Z").toISOString(), "2026-11-21T02:00:00.000Z")
      assert.strictEqual(zoneName(read.timezone), "UTC")
      assert.deepStrictEqual(read.adminListen, { host: "127.0.0.1", port: 8081 })
      assert.isTrue(Option.isNone(read.adminToken))
      assert.deepStrictEqual([read.logLevel, read.logFormat, read.color], ["Info", "pretty", true])
      assert.deepStrictEqual(read.warnings, [])
    })
  )

  it.effect("the required variables alone give every default of ServiceSettings", () =>
    Effect.gen(function* () {
      const { clientSecret, longestPause, walkEvery, baseUrl, authUrl, webhookUrl, trustedProxies, ...rest } =
        yield* service({})
      assert.deepStrictEqual(trustedProxies.rules, [])
      assert.strictEqual(baseUrl.href, "https://service.example.com/v1")
      assert.strictEqual(authUrl.origin, "https://auth.example.com")
      assert.strictEqual(webhookUrl.pathname, "/hooks")
      assert.deepStrictEqual(Option.map(clientSecret, Redacted.value), Option.some("client-secret"))
      assert.strictEqual(Duration.toMinutes(walkEvery), 60)
      assert.strictEqual(Duration.toMinutes(longestPause), 60)
      assert.deepStrictEqual(rest, {
        clientId: "client",
        tokenAuth: "post",
        redirectUri: Option.none(),
        scopes: [],
        requestsPerMinute: 600,
        pageSize: 1000,
        pageMaxBytes: 33_554_432,
        answerMaxBytes: 1_048_576,
        tokenMaxBytes: 1_048_576,
        pageParam: "page",
        perPageParam: "per_page",
        webhookSecrets: [],
        webhookEvents: Option.none(),
        webhookListen: { host: "127.0.0.1", port: 8080 },
        webhookMaxBytes: 4_194_304,
        trustTypeHeader: false,
        fieldAliases: {},
        envelope: documented
      })
    })
  )

  it.effect("values are trimmed and an empty one is not set", () =>
    Effect.gen(function* () {
      const read = yield* service({ SITELEDGER_CLIENT_ID: "  me\t", SITELEDGER_REQUESTS_PER_MINUTE: "  " })
      assert.deepStrictEqual([read.clientId, read.requestsPerMinute], ["me", 600])
    })
  )

  it.effect("lists are split and stripped of repeats", () =>
    Effect.gen(function* () {
      const read = yield* service({
        SITELEDGER_SCOPES: "projects.read  ipcs.read projects.read",
        SITELEDGER_WEBHOOK_EVENTS: "ipc.paid, ipc.certified",
        SITELEDGER_WEBHOOK_SECRET: "first-secret, second-secret",
        SITELEDGER_WALK_EVERY: "2 seconds",
        SITELEDGER_TRUST_TYPE_HEADER: "TRUE"
      })
      assert.deepStrictEqual(read.scopes, ["projects.read", "ipcs.read"])
      assert.deepStrictEqual(Option.getOrThrow(read.webhookEvents), ["ipc.paid", "ipc.certified"])
      assert.deepStrictEqual(read.webhookSecrets.map(Redacted.value), ["first-secret", "second-secret"])
      assert.strictEqual(Duration.toMillis(read.walkEvery), 2000)
      assert.isTrue(read.trustTypeHeader)
    })
  )

  it.effect.each([
    { text: ":8080", listen: { host: "0.0.0.0", port: 8080 } },
    { text: "[::1]:9090", listen: { host: "::1", port: 9090 } },
    { text: "localhost:0", listen: { host: "localhost", port: 0 } }
  ])("a listener may be written as $text", ({ text, listen }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* service({ SITELEDGER_WEBHOOK_LISTEN: text })).webhookListen, listen)
    })
  )

  it.effect("the data directory moves the warehouse and the lake unless they say otherwise", () =>
    Effect.gen(function* () {
      const file = (path: string) => ({ engine: "duckdb" as const, path: resolve(path) })
      const moved = yield* settings({ SITELEDGER_DATA_DIR: "elsewhere" })
      assert.deepStrictEqual(moved.warehouse, file("elsewhere/warehouse.duckdb"))
      assert.deepStrictEqual(moved.lake, { kind: "folder", path: resolve("elsewhere/lake") })
      const set = yield* settings({ SITELEDGER_WAREHOUSE: "duckdb:w.duckdb", SITELEDGER_LAKE: "file:///srv/a%20lake" })
      assert.deepStrictEqual(set.warehouse, file("w.duckdb"))
      assert.deepStrictEqual(set.lake, { kind: "folder", path: "/srv/a lake" })
    })
  )

  it.effect("cron nicknames and the time zone make the schedule, and a fixed hour runs once when clocks go back", () =>
    Effect.gen(function* () {
      const daily = yield* settings({ SITELEDGER_EXPORT_CRON: "@daily", SITELEDGER_TIMEZONE: "Europe/Berlin" })
      assert.strictEqual(Cron.next(daily.exportCron, "2026-07-01T00:00:00Z").toISOString(), "2026-07-01T22:00:00.000Z")
      assert.strictEqual(daily.exportCron.onDstOverlap, "earlier")
      assert.strictEqual((yield* settings({ SITELEDGER_EXPORT_CRON: "@hourly" })).exportCron.onDstOverlap, "both")
    })
  )

  it.effect("a secret may come from a file, without its trailing newline", () =>
    Effect.gen(function* () {
      const { SITELEDGER_CLIENT_SECRET: _, ...others } = required
      const env = { ...others, SITELEDGER_CLIENT_SECRET_FILE: file("from a file\n") }
      const read = yield* serviceSettings(env)
      assert.deepStrictEqual(Option.map(read.clientSecret, Redacted.value), Option.some("from a file"))
    })
  )

  it.effect("an admin listener beyond loopback is allowed with a token", () =>
    Effect.gen(function* () {
      const read = yield* settings({ SITELEDGER_ADMIN_LISTEN: ":8081", SITELEDGER_ADMIN_TOKEN: "letmein" })
      assert.deepStrictEqual(Option.map(read.adminToken, Redacted.value), Option.some("letmein"))
    })
  )
})

describe("what is refused", () => {
  it.effect("all problems of both services come in one message that exits with 2", () =>
    Effect.gen(function* () {
      const error = yield* refusal({ SITELEDGER_PAGE_SIZE: "0", LOG_LEVEL: "loud" })
      const names = error.problems.map((one) => one.variable)
      assert.sameMembers(names, [...Object.keys(required), "SITELEDGER_PAGE_SIZE", "LOG_LEVEL"])
      for (const name of names) assert.include(error.message, name)
      assert.instanceOf(error, SettingsError)
      assert.strictEqual(Runtime.getErrorExitCode(error), 2)
    })
  )

  it.effect("a verb that doesn't talk to the service requires none of its variables", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settings({ SITELEDGER_PAGE_SIZE: "0" })).logLevel, "Info")
    })
  )

  it.effect.each([
    ["SITELEDGER_BASE_URL", "service.example.com/v1"],
    ["SITELEDGER_BASE_URL", "https://user:pass@service.example.com/v1"],
    ["SITELEDGER_AUTH_URL", "https://auth.example.com/?tenant=1"],
    ["SITELEDGER_WEBHOOK_URL", "/hooks"],
    ["SITELEDGER_WEBHOOK_URL", "ftp://me.example.com/hooks"],
    ["SITELEDGER_REQUESTS_PER_MINUTE", "6e2"],
    ["SITELEDGER_REQUESTS_PER_MINUTE", "-600"],
    ["SITELEDGER_WALK_EVERY", "0 hours"],
    ["SITELEDGER_WALK_EVERY", "1 fortnight"],
    ["SITELEDGER_WALK_EVERY", "1h30"],
    ["SITELEDGER_WALK_EVERY", "9".repeat(30) + "h"],
    ["SITELEDGER_PAGE_PARAM", "a page"],
    ["SITELEDGER_PER_PAGE_PARAM", "page"],
    ["SITELEDGER_WEBHOOK_SECRET", "long-enough,"],
    ["SITELEDGER_WEBHOOK_SECRET", "long-enough,short"],
    ["SITELEDGER_WEBHOOK_EVENTS", ","],
    ["SITELEDGER_WEBHOOK_LISTEN", "8080"],
    ["SITELEDGER_WEBHOOK_LISTEN", "127.0.0.1:65536"],
    ["SITELEDGER_WEBHOOK_LISTEN", "127.0.0.1:8081"],
    ["SITELEDGER_TRUSTED_PROXIES", "proxy.example.com"],
    ["SITELEDGER_WEBHOOK_MAX_BYTES", "4MiB"],
    ["SITELEDGER_TRUST_TYPE_HEADER", "constructor"],
    ["SITELEDGER_FIELD_ALIASES", "no-such-file.json"],
    ["SITELEDGER_ENVELOPE", "no-such-file.json"],
    ["SITELEDGER_ADMIN_LISTEN", "0.0.0.0:8081"],
    ["SITELEDGER_ADMIN_LISTEN", "[::]:8081"],
    ["SITELEDGER_ADMIN_TOKEN", "two words"],
    ["SITELEDGER_WAREHOUSE", "warehouse.duckdb"],
    ["SITELEDGER_WAREHOUSE", "duckdb::memory:"],
    ["SITELEDGER_EXPORT_CRON", "0 2 * *"],
    ["SITELEDGER_EXPORT_CRON", "0 0 31 2 *"],
    ["SITELEDGER_EXPORT_CRON", "constructor"],
    ["SITELEDGER_TIMEZONE", "Europe/Nowhere"],
    ["LOG_LEVEL", "constructor"],
    ["LOG_FORMAT", "xml"]
  ] as const)("%s=%s is refused by name", ([name, value]) =>
    Effect.gen(function* () {
      assert.match(yield* problem({ [name]: value }), new RegExp(`^${name} .*\\.$`))
    })
  )

  it.effect("a secret given twice, or by a file that is missing or empty, is refused under its name", () =>
    Effect.gen(function* () {
      assert.match(
        yield* problem({ SITELEDGER_CLIENT_SECRET_FILE: file("x") }),
        /^SITELEDGER_CLIENT_SECRET and SITELEDGER_CLIENT_SECRET_FILE are both set/
      )
      for (const path of ["no-such-file", file(" \n")]) {
        assert.match(yield* problem({ SITELEDGER_ADMIN_TOKEN_FILE: path }), /^SITELEDGER_ADMIN_TOKEN_FILE names a/)
      }
    })
  )

  it.effect("no value is repeated in a message, for any variable", () =>
    Effect.gen(function* () {
      const names = variables.map(({ isSecret, name }) => (isSecret ? `${name}_FILE` : name))
      const error = yield* refusal(Object.fromEntries(names.map((name) => [name, "hunter2 hunter2"])))
      assert.isAbove(error.problems.length, 15)
      assert.notInclude(JSON.stringify(error) + error.message, "hunter2")
    })
  )
})
