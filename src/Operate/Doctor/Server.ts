/**
 * The PostgreSQL server, for `siteledger doctor`: checked over one connection that can't write, except for what `Books`
 * tries, which is rolled back. If no connection can be made, that is the only finding.
 */
import type { Redacted } from "effect"
import { Clock, Effect } from "effect"
import { type Client, DatabaseError } from "pg"
import { CheckFailed, examine, examineAll, fail, type Finding, ok, type CheckResult, warn } from "../Doctor.ts"
import { mostConnections } from "../../Stores/Postgres/ConnectionCounts.ts"
import { Connections, isOurs } from "../../Stores/Postgres/Connections.ts"
import * as Failure from "../../Stores/Postgres/Failure.ts"
import { oldestVersion } from "../../Stores/Postgres/Migrations.ts"
import * as Books from "./Books.ts"
import { type Answer, type Ask } from "./Roles.ts"
import * as Roles from "./Roles.ts"
import { schemas } from "./Schemas.ts"

const answerMs = 4_000
const limits = { connectionTimeoutMillis: answerMs, statement_timeout: answerMs, query_timeout: answerMs }

const connect = async (client: Client): Promise<Client> => {
  await client.connect()
  return client
}

/** Judges the sealed texts in the Store. */
type Judge<R> = (sealed: ReadonlyArray<string>) => Effect.Effect<CheckResult, unknown, R>

export const server = <R>(url: Redacted.Redacted, secrets: Judge<R>): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const connections = new Connections(url)
      yield* Effect.addFinalizer(() => Effect.promise(() => connections.close()))
      const client = connections.client(limits)
      yield* Effect.addFinalizer(() => Effect.promise(() => client.end().catch(() => undefined)))
      const connected = yield* Effect.result(
        Effect.tryPromise({ try: () => connect(client), catch: (cause) => Failure.of(cause, connections.name) })
      )
      if (connected._tag === "Failure") {
        return yield* examine("PostgreSQL", Effect.succeed(fail(connected.failure.message)))
      }
      return yield* checks(client, connections.name, secrets)
    })
  )

const failed = (cause: unknown, name: string) => new CheckFailed({ message: Failure.of(cause, name).message })

/** An answer that didn't arrive in time, or with which the server ended the session, says nothing about a statement. */
const isAnswer = (cause: unknown): cause is DatabaseError =>
  cause instanceof DatabaseError && cause.code?.startsWith("57") === false

/** The SQLSTATE of an error; undefined if there is none. */
const codeOf = async (outcome: Promise<unknown>): Promise<string | undefined> => {
  try {
    await outcome
    return undefined
  } catch (cause) {
    if (isAnswer(cause)) return cause.code
    throw cause
  }
}

const checks = <R>(client: Client, name: string, secrets: Judge<R>) => {
  const ask: Ask = (query, values = []) =>
    Effect.tryPromise({
      try: async () => (await client.query<Answer>(query, [...values])).rows,
      catch: (cause) => failed(cause, name)
    })
  const one = (query: string) => Effect.map(ask(query), (rows) => rows[0] ?? {})
  const attempt: Books.Attempt = (statements) =>
    Effect.tryPromise({ try: () => codeOf(client.query(statements)), catch: (cause) => failed(cause, name) })
  return examineAll([
    examine("PostgreSQL", answering(one, name)),
    // From here on no query can write unless it asks to.
    examine("read-only", Effect.as(ask("set session characteristics as transaction read only"), [])),
    examine("schemas", schemas(ask)),
    examine("secrets", Effect.flatMap(sealedSecrets(ask), secrets)),
    examine("worker's role", Roles.worker(ask)),
    examine("books", Books.books(ask, attempt)),
    examine("analysts", Roles.analysts(ask)),
    examine("clock", clock(one)),
    examine("connections", freeConnections(ask)),
    examine("durability", durability(one)),
    examine("encryption", encryption(one))
  ])
}

type One = (query: string) => Effect.Effect<Answer, CheckFailed>

const answering = (one: One, name: string) =>
  Effect.gen(function* () {
    const found = yield* one(`
      select current_setting('server_version') as version, current_user as role, pg_is_in_recovery() as is_standby,
        current_setting('server_encoding') as encoding, current_setting('default_transaction_read_only') as read_only`)
    const version = String(found["version"])
    if (Number.parseInt(version, 10) < oldestVersion) {
      return fail(`${name}: version ${version} is too old.`, `Upgrade it to ${oldestVersion} or newer.`)
    }
    if (found["is_standby"] === true) return fail(`${name} is a standby.`, "Name the primary in SITELEDGER_WAREHOUSE.")
    if (found["read_only"] === "on") {
      return fail(`${name}: sessions of ${String(found["role"])} are read-only.`, readOnlyAdvice)
    }
    if (found["encoding"] !== "UTF8") {
      return fail(`${name}: its encoding is ${String(found["encoding"])}.`, "Create the database with --encoding=UTF8.")
    }
    return ok(`${name} answers as ${String(found["role"])}; its version is ${version}.`)
  })

const readOnlyAdvice = "Remove default_transaction_read_only from the worker's role; it is meant for analysts."

const sealedSecrets = (ask: Ask) =>
  Effect.gen(function* () {
    const [{ is_made: isMade } = {}] = yield* ask(
      "select to_regclass('siteledger.webhook_secrets') is not null as is_made"
    )
    if (isMade !== true) return []
    const found = yield* ask("select sealed from siteledger.webhook_secrets where sealed is not null")
    return found.map(({ sealed }) => String(sealed))
  })

const toleratedSeconds = 2

const clock = (one: One) =>
  Effect.gen(function* () {
    const beforeMs = yield* Clock.currentTimeMillis
    const answer = yield* one("select extract(epoch from clock_timestamp())::float8 * 1000 as ms")
    const here = (beforeMs + (yield* Clock.currentTimeMillis)) / 2
    const seconds = Math.abs(Number(answer["ms"]) - here) / 1000
    const sentence = `The clocks of this machine and the server differ by ${seconds.toFixed(1)} seconds.`
    return seconds > toleratedSeconds ? warn(sentence, "Synchronise both by NTP.") : ok(sentence)
  })

const freeConnections = (ask: Ask) =>
  Effect.gen(function* () {
    const [found = {}] = yield* ask(`
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true), '0')::int as places,
        (select count(*) from pg_stat_activity where backend_type = 'client backend'
          and not (${isOurs} and datname = current_database())) as others,
        (select rolconnlimit from pg_roles where rolname = current_user) as of_role,
        (select datconnlimit from pg_database where datname = current_database()) as of_database,
        to_regclass('siteledger.workers') is not null as has_workers`)
    const [{ count = 0 } = {}] =
      found["has_workers"] === true
        ? yield* ask(
            "select count(*) as count from siteledger.workers where seen_at::timestamptz > now() - interval '10 seconds'"
          )
        : []
    const workers = Math.max(1, Number(count))
    const needed = workers * mostConnections
    const limits = [found["of_role"], found["of_database"]].map(Number).filter((limit) => limit >= 0)
    const all = Math.min(Number(found["places"]), ...limits)
    const free = all - Number(found["others"])
    const sentence =
      `${workers === 1 ? "One worker takes" : `${workers} workers take`} up to ${needed} connections; the server has ` +
      `${all} for them, and others hold ${Number(found["others"])}.`
    if (all < mostConnections) return fail(sentence, connectionAdvice)
    return free < needed ? warn(sentence, connectionAdvice) : ok(sentence)
  })

const connectionAdvice = "Raise max_connections (or the limit of the role or database), or run fewer workers."

const settings: Readonly<Record<string, string>> = {
  fsync: "a power cut can destroy the whole database",
  full_page_writes: "a power cut can destroy tables",
  synchronous_commit: "a power cut can lose deliveries that were answered 2xx",
  data_checksums: "a damaged disk goes unnoticed"
}

const durability = (one: One) =>
  Effect.gen(function* () {
    const names = Object.keys(settings)
    const found = yield* one(`select ${names.map((name) => `current_setting('${name}') as ${name}`).join(", ")}`)
    const off = names.filter((name) => found[name] === "off")
    const warnings = off.map((name): CheckResult => warn(`${name} is off: ${settings[name]}.`, "Turn it on."))
    return warnings.length > 0 ? warnings : ok(`${names.join(", ")} are on.`)
  })

const encryption = (one: One) =>
  Effect.gen(function* () {
    const found = yield* one(`
      select ssl, coalesce(host(inet_client_addr()) = host(inet_server_addr()), true) as is_local
      from pg_stat_ssl where pid = pg_backend_pid()`)
    if (found["ssl"] === true) return ok("The connection is encrypted.")
    if (found["is_local"] === true) return ok("The connection isn't encrypted, and doesn't leave this machine.")
    return warn("The connection isn't encrypted.", "Add ?sslmode=verify-full to SITELEDGER_WAREHOUSE.")
  })
