/** The accounting system that gets the entries: one at most, with everything that it needs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { Post } from "../../config/Accounting.ts"
import { type Env, settings } from "./Reading.ts"

const sink = (env: Env) => Effect.map(settings(env), (read) => read.ledgerSink)

/** A system to which entries are posted. */
const post = (env: Env) =>
  Effect.map(sink(env), (found) => {
    const { status, system } = Option.getOrThrow(found)
    assert.strictEqual(system.kind, "post")
    const { secret, url } = system as Post
    return { status, url: url.href, secret: Redacted.value(secret) }
  })

const url = "https://books.example.com/entries?book=7"
const secret = "a-shared-secret"

it.effect("nothing configured sends nothing; a URL and a secret send drafts", () =>
  Effect.gen(function* () {
    assert.isTrue(Option.isNone(yield* sink({ SITELEDGER_LEDGER_SINK_SECRET: secret })))
    const found = yield* post({ SITELEDGER_LEDGER_SINK_URL: url, SITELEDGER_LEDGER_SINK_SECRET: secret })
    assert.deepStrictEqual(found, { status: "draft", url, secret })
  })
)

it.effect("the secret may lie in a file, and entries may be posted at once", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "siteledger-sink-"))
    const path = join(folder, "secret")
    writeFileSync(path, `${secret}\n`)
    const env = {
      SITELEDGER_LEDGER_SINK_URL: "http://127.0.0.1:9000",
      SITELEDGER_LEDGER_SINK_SECRET_FILE: path,
      SITELEDGER_LEDGER_SINK_STATUS: "Posted"
    }
    const found = yield* Effect.ensuring(
      post(env),
      Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    assert.deepInclude(found, { secret, status: "posted" })
  })
)

it.effect.each([["http://localhost:1/x"], ["http://[::1]:1"], ["http://127.8.0.1"]] as const)(
  "%s stays on this machine and needs no encryption",
  ([text]) =>
    Effect.gen(function* () {
      const found = yield* sink({ SITELEDGER_LEDGER_SINK_URL: text, SITELEDGER_LEDGER_SINK_SECRET: secret })
      assert.isTrue(Option.isSome(found))
    })
)

const refusal = (env: Env) => Effect.flip(sink(env))
const named = (env: Env) => Effect.map(refusal(env), ({ problems }) => problems.map(({ variable }) => variable))

it.effect.each([
  ["http://books.example.com"],
  ["https://user:pass@books.example.com"],
  ["https://books.example.com/#top"],
  ["books.example.com"]
] as const)("a sink at %s is refused by name and its text isn't repeated", ([text]) =>
  Effect.gen(function* () {
    const error = yield* refusal({ SITELEDGER_LEDGER_SINK_URL: text, SITELEDGER_LEDGER_SINK_SECRET: secret })
    assert.deepStrictEqual(
      error.problems.map((problem) => problem.variable),
      ["SITELEDGER_LEDGER_SINK_URL"]
    )
    assert.notInclude(error.message, text)
  })
)

it.effect("a URL without a secret is one problem, and it names the secret", () =>
  Effect.gen(function* () {
    const error = yield* refusal({ SITELEDGER_LEDGER_SINK_URL: url })
    assert.deepStrictEqual(
      [...error.problems],
      [{ variable: "SITELEDGER_LEDGER_SINK_SECRET", sentence: "is missing; SITELEDGER_LEDGER_SINK_URL needs it." }]
    )
  })
)

it.effect.each([
  ["SITELEDGER_LEDGER_SINK_SECRET", "short"],
  ["SITELEDGER_LEDGER_SINK_STATUS", "final"]
] as const)("%s=%s is refused by name", ([name, value]) =>
  Effect.map(
    named({ SITELEDGER_LEDGER_SINK_URL: url, SITELEDGER_LEDGER_SINK_SECRET: secret, [name]: value }),
    (names) => assert.deepStrictEqual(names, [name])
  )
)

const xero = {
  SITELEDGER_XERO_CLIENT_ID: "id",
  SITELEDGER_XERO_CLIENT_SECRET: secret,
  SITELEDGER_XERO_TENANT_ID: "tenant",
  SITELEDGER_XERO_CURRENCY: "NZD"
}
const quickBooks = {
  SITELEDGER_QUICKBOOKS_CLIENT_ID: "id",
  SITELEDGER_QUICKBOOKS_CLIENT_SECRET: secret,
  SITELEDGER_QUICKBOOKS_REALM_ID: "realm",
  SITELEDGER_QUICKBOOKS_REFRESH_TOKEN: "token",
  SITELEDGER_QUICKBOOKS_CURRENCY: "USD"
}
const tryton = {
  SITELEDGER_TRYTON_URL: "https://tryton.example.com/books/",
  SITELEDGER_TRYTON_USER: "siteledger",
  SITELEDGER_TRYTON_PASSWORD: secret,
  SITELEDGER_TRYTON_CURRENCY: "EUR"
}

it.effect("Xero, QuickBooks and Tryton need what is theirs, and go to their own addresses", () =>
  Effect.gen(function* () {
    const systems = [
      [xero, "xero", "https://api.xero.com/api.xro/2.0"],
      [quickBooks, "quickBooks", "https://quickbooks.api.intuit.com/"],
      [tryton, "tryton", "https://tryton.example.com/books/"]
    ] as const
    for (const [env, kind, address] of systems) {
      const { status, system } = Option.getOrThrow(yield* sink(env))
      assert.deepStrictEqual([status, system.kind, system.url.href], ["draft", kind, address])
      assert.deepInclude(system, { company: null })
      const [main = "", ...others] = Object.keys(env)
      for (const name of others) {
        const error = yield* refusal({ ...env, [name]: "" })
        assert.deepStrictEqual([...error.problems], [{ variable: name, sentence: `is missing; ${main} needs it.` }])
      }
      // Without what names the system, the rest means nothing.
      assert.isTrue(Option.isNone(yield* sink({ ...env, [main]: "" })))
    }
  })
)

it.effect("entries go to one accounting system", () =>
  Effect.gen(function* () {
    const own = { SITELEDGER_LEDGER_SINK_URL: url, SITELEDGER_LEDGER_SINK_SECRET: secret }
    const error = yield* refusal({ ...own, ...xero })
    assert.deepStrictEqual(
      [...error.problems],
      [
        {
          variable: "SITELEDGER_XERO_CLIENT_ID",
          sentence: "is set beside SITELEDGER_LEDGER_SINK_URL: entries go to one accounting system."
        }
      ]
    )
    assert.deepStrictEqual(yield* named({ ...quickBooks, ...tryton }), ["SITELEDGER_TRYTON_URL"])
    assert.deepStrictEqual(yield* named({ ...xero, SITELEDGER_XERO_CURRENCY: "euro" }), ["SITELEDGER_XERO_CURRENCY"])
  })
)
