/**
 * `siteledger migrate` on PostgreSQL: creates or migrates all tables, each schema as the role that owns it. First
 * `ledger`, if its owner's address is given; then everything that the worker's role may do, as at startup. Each part is
 * one transaction: a crash in between leaves a database on which older workers continue, and the next attempt continues
 * from there.
 */
import { Effect, Option, type Redacted, Schedule, Schema } from "effect"
import { sql } from "kysely"
import { Connections, ownersPath } from "../Stores/Postgres/Connections.ts"
import * as Failure from "../Stores/Postgres/Failure.ts"
import {
  migrate as migrateAsWorker,
  type Migrated,
  migrateLedgerFor,
  migrations
} from "../Stores/Postgres/Migrations.ts"
import { notOwner } from "../Stores/Postgres/Owner.ts"
import { versionsBefore } from "../Stores/Postgres/Relocation.ts"

export class MigrateError extends Schema.TaggedError<MigrateError>()("MigrateError", {
  isLocked: Schema.Boolean,
  message: Schema.String
}) {}

const variable = "SITELEDGER_MIGRATE_URL"

const opened = (...args: ConstructorParameters<typeof Connections>) =>
  Effect.acquireRelease(
    Effect.sync(() => new Connections(...args)),
    (connections) => Effect.promise(() => connections.close())
  )

/**
 * Retried if something else holds a lock, until an analyst's query or an export ends. The workers continue in between.
 */
const attempt = <A>(name: string, use: () => Promise<A>, from?: string): Effect.Effect<A, MigrateError> =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => {
      const { message, reason } = Failure.of(cause, name, from)
      return new MigrateError({ isLocked: reason === "Locked", message })
    }
  }).pipe(Effect.retry({ schedule: Schedule.spaced("3 seconds"), times: 9, while: ({ isLocked }) => isLocked }))

interface Place {
  readonly role: string
  /** Identifies the database and its server, independent of the address. */
  readonly place: string
}

const placeOf = async ({ db }: Connections): Promise<Place> => {
  const { rows } = await sql<Place>`
    select current_user as role, concat_ws(' ', pg_postmaster_start_time(), oid) as place from pg_database
    where datname = current_database()`.execute(db)
  return rows[0] ?? { role: "", place: "" }
}

const elsewhere = (name: string) =>
  new MigrateError({
    isLocked: false,
    message: `${name}: ${variable} must name the same database as SITELEDGER_WAREHOUSE. Nothing was changed.`
  })

const asOwner = (worker: Connections, address: Redacted.Redacted) =>
  Effect.gen(function* () {
    const owner = yield* opened(address, "siteledger migrate", ownersPath)
    const { name } = owner
    const here = yield* attempt(worker.name, () => placeOf(worker))
    const there = yield* attempt(name, () => placeOf(owner), variable)
    if (here.place !== there.place) return yield* elsewhere(name)
    const versions = yield* attempt(worker.name, () => versionsBefore(worker.db))
    return yield* attempt(name, () => migrateLedgerFor({ role: here.role, versions }, owner), variable)
  })

/** `address`: the worker's. `ownersAddress`: not needed if one role owns everything. */
export const migrate = (
  address: Redacted.Redacted,
  ownersAddress: Option.Option<Redacted.Redacted>
): Effect.Effect<Migrated, MigrateError> =>
  Effect.gen(function* () {
    const worker = yield* opened(address)
    const ledger = yield* Effect.transposeOption(Option.map(ownersAddress, (given) => asOwner(worker, given)))
    const migrated = yield* attempt(worker.name, () => migrateAsWorker(worker, migrations, notOwner))
    return Option.isSome(ledger) ? { ...migrated, ledger: ledger.value } : migrated
  }).pipe(Effect.scoped)
