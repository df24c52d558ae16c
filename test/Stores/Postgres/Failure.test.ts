/**
 * Why a server can't be used, as one sentence that a person can act on. It names host, port and database, and nothing
 * secret.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseError } from "pg"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Failure from "../../../src/Stores/Postgres/Failure.ts"
import * as Databases from "../../Postgres.ts"
import { answering, breaking } from "./Answering.ts"
import { ask, database, storesAt, using } from "./World.ts"

const opening = (url: string | URL) =>
  Effect.scoped(Effect.flip(Effect.provide(Effect.asVoid(Postgres), storesAt(`${url}`))))

const here = (name: string): string => {
  const { hostname, port } = new URL(Databases.postgresUrl())
  return `PostgreSQL at ${hostname}:${port}, database ${name}`
}

/** Creates a role, which is dropped with the test; returns the URL for it. */
const role = (url: string, rights = "login") =>
  Effect.gen(function* () {
    const name = `someone_${randomUUID().slice(0, 8)}`
    const own = yield* database
    yield* ask(own, `create role ${name} password 'hush' ${rights}`)
    yield* Effect.addFinalizer(() => ask(own, `drop owned by ${name}; drop role ${name}`))
    return Object.assign(new URL(url), { username: name, password: "hush" })
  })

const test = <E>(fact: string, body: Effect.Effect<void, E, Effect.Services<typeof database>>) =>
  it.live(fact, () => Effect.scoped(body))

describe.skipIf(Databases.skipped !== undefined)("a server that can't be used", () => {
  test(
    "wrong password, and unknown user",
    Effect.gen(function* () {
      const own = yield* database
      for (const change of [{ password: "guessed" }, { username: "nobody_knows" }]) {
        const error = yield* opening(Object.assign(new URL(own.url), change))
        assert.strictEqual(error.message, `${here(own.name)}: user or password is wrong: check SITELEDGER_WAREHOUSE.`)
        assert.strictEqual(error.reason, "Unusable")
      }
    })
  )

  test(
    "missing database",
    Effect.gen(function* () {
      const error = yield* opening(Object.assign(new URL(Databases.postgresUrl()), { pathname: "not%20there" }))
      assert.strictEqual(
        error.message,
        `${here("not there")}: there is no such database: create it first (siteledger creates only its schemas).`
      )
      assert.strictEqual(error.reason, "Unusable")
    })
  )

  test(
    "missing rights",
    Effect.gen(function* () {
      const own = yield* database
      const url = yield* role(own.url)
      const byFile = "this role may not make one: let an administrator run config/postgres-roles.sql"
      for (const [sql, sentence] of [
        ["select", `there is no schema ledger, and ${byFile}, and then run siteledger migrate`],
        [
          "create schema ledger",
          "the ledger's tables need a migration, which only their owner may do: run siteledger migrate"
        ],
        [
          "create table ledger.kysely_migration (name text)",
          "permission denied for schema ledger; give the worker's role its rights (config/postgres-roles.sql)"
        ]
      ] as const) {
        yield* ask(own, sql)
        const error = yield* opening(url)
        assert.strictEqual(error.message, `${here(own.name)}: ${sentence}.`)
        assert.strictEqual(error.reason, "Unusable")
      }
    })
  )

  test(
    "a role that may not log in from here",
    Effect.gen(function* () {
      const own = yield* database
      const error = yield* opening(yield* role(own.url, "nologin"))
      assert.strictEqual(
        error.message,
        `${here(own.name)}: the server refuses this user from here: check its role and pg_hba.conf, and whether the server requires encryption.`
      )
      assert.strictEqual(error.reason, "Unusable")
    })
  )

  test(
    "too many connections",
    Effect.gen(function* () {
      const own = yield* database
      for (const [url, rights] of [
        [yield* role(own.url, "login connection limit 0"), "of the role"],
        [own.url, "of the database"]
      ] as const) {
        if (rights === "of the database") yield* ask(own, `alter database ${own.name} connection limit 0`)
        const address = rights === "of the database" ? yield* role(own.url) : url
        const error = yield* opening(address)
        assert.strictEqual(
          error.message,
          `${here(own.name)}: all of the server's connections are taken: raise max_connections, or run fewer workers (each takes up to 18).`
        )
        // It resolves itself when another worker ends.
        assert.strictEqual(error.reason, "Failed")
      }
    })
  )
})

describe("a server that answers but is unsuitable", () => {
  for (const [fact, row, sentence] of [
    [
      "because it is too old",
      { version: "13.9 (Somewhere 13.9-1)", path: "siteledger" },
      "PostgreSQL 14 or newer is needed; this server is 13.9 (Somewhere 13.9-1)."
    ],
    [
      "because it is a pooler",
      { version: "17.2", path: '"$user", public' },
      "siteledger needs a direct connection to the server, not a connection pooler."
    ]
  ] as const) {
    test(
      `is refused, ${fact}`,
      Effect.gen(function* () {
        const { port, url } = yield* using(() => answering(row))
        const error = yield* opening(url)
        assert.strictEqual(error.message, `PostgreSQL at 127.0.0.1:${port}, database books: ${sentence}`)
        assert.strictEqual(error.reason, "Unusable")
      })
    )
  }
})

describe("a server whose answer breaks the protocol", () => {
  test(
    "costs the connection, not the program",
    Effect.gen(function* () {
      const { port, url } = yield* using(breaking)
      const error = yield* opening(url)
      assert.include(error.message, `PostgreSQL at 127.0.0.1:${port}, database books: `)
      assert.strictEqual(error.reason, "Failed")
    })
  )
})

const failed = (code: string, message: string) =>
  Failure.of(Object.assign(new DatabaseError(message, 0, "error"), { code }), "There")

describe("a failure's sentence", () => {
  it("names no user and no role, even if the server does", () => {
    assert.strictEqual(
      failed("42501", 'must be able to SET ROLE "hush ""x"""').message,
      "There: must be able to SET ROLE; give the worker's role its rights (config/postgres-roles.sql)."
    )
    assert.notInclude(failed("28000", 'no pg_hba.conf entry for host "::1", user "hush", database "d"').message, "hush")
    assert.notInclude(failed("53300", 'too many connections for role "hush"').message, "hush")
  })

  it("says what to do if another session was in the way", () => {
    for (const code of ["55P03", "57014"]) {
      assert.match(
        failed(code, "canceling statement").message,
        /^There: canceling statement; .* \(pg_stat_activity .*try again\.$/
      )
    }
  })

  it("recognises a pooler that refuses the session's settings", () => {
    const { message, reason } = failed("08P01", "unsupported startup parameter: statement_timeout")
    assert.strictEqual(message, "There: siteledger needs a direct connection to the server, not a connection pooler.")
    assert.strictEqual(reason, "Unusable")
  })

  it("is Refused only for errors that data can cause", () => {
    const reasons = Object.entries({
      "22003": "Refused",
      "22021": "Refused",
      "22P02": "Refused",
      "22P05": "Refused",
      "23502": "Refused",
      "54000": "Refused",
      "54001": "Refused",
      "25006": "Failed",
      "42P01": "Failed",
      "40001": "Locked",
      "40P01": "Locked",
      "55P03": "Locked",
      "57014": "Locked",
      "53100": "Full",
      "57P01": "Failed",
      "08006": "Failed",
      XX000: "Failed"
    })
    for (const [code, reason] of reasons) assert.strictEqual(failed(code, "x").reason, reason, code)
  })

  it("says that a server doesn't answer only if it doesn't", () => {
    for (const cause of [new Error("Query read timeout"), Object.assign(new Error(""), { code: "ECONNREFUSED" })]) {
      assert.include(Failure.of(cause, "There").message, "There doesn't answer: ")
    }
    assert.strictEqual(Failure.of(new TypeError("x is undefined"), "There").message, "There: x is undefined.")
  })
})
