/**
 * Sessions of an erasure on PostgreSQL: one of the worker's role, and one of the role that owns the append-only tables,
 * which may be the same or another (`siteledger migrate` needs the same two).
 */
import { Effect, Option, type Redacted } from "effect"
import type { Kysely } from "kysely"
import { type Client, escapeIdentifier } from "pg"
import { Connections, ownersPath } from "../../Stores/Postgres/Connections.ts"
import * as Failure from "../../Stores/Postgres/Failure.ts"
import * as Owner from "../../Stores/Postgres/Owner.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { begun, EraseError } from "./Engine.ts"
import * as Alone from "./ServerAlone.ts"

export interface Session {
  /** The name of the database. */
  readonly name: string
  /** For long-running work. */
  readonly client: Client
  readonly db: Kysely<StoreTables>
  readonly connections: Connections
}

export const variable = "SITELEDGER_MIGRATE_URL"

/** `from`: the variable that has the address. */
export const attempt = <A>(
  { name }: Pick<Session, "name">,
  use: () => Promise<A>,
  from?: string
): Effect.Effect<A, EraseError> =>
  Effect.tryPromise({
    try: use,
    catch: (cause) =>
      cause instanceof EraseError ? cause : new EraseError({ message: Failure.of(cause, name, from).message })
  })

/** A step after the note was written. */
export const step = <A>(session: Session, use: () => Promise<A>): Effect.Effect<A, EraseError> =>
  Effect.mapError(attempt(session, use), ({ message }) => new EraseError({ message: `${begun}. ${message}` }))

export const opened = (from: string | undefined, address: Redacted.Redacted, path?: string) =>
  Effect.gen(function* () {
    const connections = yield* Effect.acquireRelease(
      Effect.sync(() => new Connections(address, Alone.unhurried.application_name, path)),
      (made) => Effect.promise(() => made.close())
    )
    const { name } = connections
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => connections.client(Alone.unhurried)),
      (made) => Effect.promise(() => made.end().catch(() => undefined))
    )
    yield* attempt({ name }, () => Alone.begin(client), from)
    return { name, client, db: connections.db as unknown as Kysely<StoreTables>, connections } satisfies Session
  })

const elsewhere = (name: string) =>
  new EraseError({
    message: `${name}: ${variable} must name the same database as SITELEDGER_WAREHOUSE. Nothing was changed.`
  })

/** Identifies the database and its server, independent of the address. */
const placeOf = async ({ client }: Session): Promise<string> => {
  const { rows } = await client.query<{ place: string }>(
    `select concat_ws(' ', pg_postmaster_start_time(), oid) as place from pg_database where datname = current_database()`
  )
  return rows[0]?.place ?? ""
}

/** A session that may change append-only tables; undefined if another role's address is needed. */
export const ownersOf = (worker: Session, url: Redacted.Redacted, ownersUrl: Option.Option<Redacted.Redacted>) =>
  Effect.gen(function* () {
    const owner = Option.isSome(ownersUrl)
      ? yield* opened(variable, ownersUrl.value, ownersPath)
      : yield* opened(undefined, url)
    const [here, there] = yield* Effect.all([
      attempt(worker, () => placeOf(worker)),
      attempt(owner, () => placeOf(owner), variable)
    ])
    if (here !== there) return yield* elsewhere(owner.name)
    const found = yield* attempt(owner, () => Owner.look(owner.db))
    if (!found.mayChange || found.owner === null) return undefined
    const role = escapeIdentifier(found.owner)
    if (found.owner !== found.role) yield* attempt(owner, () => owner.client.query(`set role ${role}`))
    return owner
  })
