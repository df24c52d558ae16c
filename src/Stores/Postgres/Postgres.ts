/**
 * One PostgreSQL database that holds Store and Warehouse, shared by any number of workers.
 *
 * `run` and `atomically` join the transaction of a surrounding `atomically`, whichever service started it: all of it is
 * committed, or nothing. A nested `atomically` can fail alone. Interrupting a query cancels it on the server. If the
 * answer to a COMMIT is lost, the server is asked for the outcome by transaction id.
 */
import { Clock, Context, Effect, Exit, Layer, type Redacted, Schema, Semaphore } from "effect"
import { type ControlledTransaction, type Kysely, sql } from "kysely"
import { Connections, type Tables, workerName } from "./Connections.ts"
import * as Failure from "./Failure.ts"
import { runningMs } from "../../Runtime/Boot.ts"
import { Resources } from "../Resources.ts"
import { KnownTables } from "./KnownTables.ts"
import { migrate } from "./Migrations.ts"
import type { Session } from "./Sessions.ts"
import { watch } from "./Vanished.ts"

export class PostgresError extends Schema.TaggedError<PostgresError>()("PostgresError", {
  /**
   * Refused: the engine can never hold this data. Full: the server's disk is full. Locked: a conflicting transaction
   * rolled this one back. Unusable: a person must act (password, rights, version). Failed: retry later.
   */
  reason: Schema.Literals(["Refused", "Full", "Locked", "Unusable", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export class Postgres extends Context.Service<
  Postgres,
  {
    readonly run: <A>(query: (db: Kysely<Tables>) => Promise<A>) => Effect.Effect<A, PostgresError>
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | PostgresError, R>
    /** Whether an enclosing transaction is open. */
    readonly isAtomic: Effect.Effect<boolean>
    /** See Store. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
    readonly connections: Connections
    readonly tables: KnownTables
    /** Host, port and database, for messages; without user and password. */
    readonly name: string
  }
>()("siteledger/Postgres") {
  /** Migrates first; fails with one sentence if the server can't be used. */
  static readonly layerAt = (url: Redacted.Redacted): Layer.Layer<Postgres, PostgresError> =>
    Layer.effect(Postgres, make(url))
}

interface Open {
  readonly transaction: ControlledTransaction<Tables>
  readonly session: Session
  /** The nesting depth, which names the savepoint. */
  readonly depth: number
  /** One query at a time: a rollback to a savepoint would undo other queries too. */
  readonly turn: Semaphore.Semaphore
  /** Effects that wait for the commit. */
  readonly after: Array<Effect.Effect<void>>
}

const Current = Context.Reference<Open | undefined>("siteledger/Postgres/Current", { defaultValue: () => undefined })

/** Failures name the server. */
type Attempt = <A>(use: (signal: AbortSignal) => Promise<A>) => Effect.Effect<A, PostgresError>

/** An interruption waits until the query has ended. */
const attempting =
  (name: string): Attempt =>
  (use) =>
    Effect.callback((resume, signal) => {
      const run = async () => use(signal)
      const settled = run().then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.fail(new PostgresError(Failure.of(cause, name))))
      )
      return Effect.promise(() => settled)
    })

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const connections = yield* Effect.acquireRelease(
    Effect.sync(() => new Connections(url, workerName())),
    (opened) => Effect.promise(() => opened.close())
  )
  const { db, name, sessions } = connections
  const attempt = attempting(name)
  const whole = wholly(attempt, connections)
  const nested = nesting(attempt)
  // Started before anything can wait for a lock.
  yield* Effect.forkScoped(watch(connections))
  yield* attempt(() => migrate(connections))
  const resources = yield* Resources
  const tables = yield* attempt(() => KnownTables.open(db, resources))
  return Postgres.of({
    run: (query) =>
      Effect.flatMap(Current, (open) =>
        open === undefined
          ? attempt((signal) => sessions.cancelling(signal, () => query(db)))
          : open.turn.withPermit(
              attempt((signal) => sessions.cancellingAt([open.session], signal, () => query(open.transaction)))
            )
      ),
    atomically: (effect) =>
      Effect.flatMap(Current, (open) =>
        open === undefined ? whole(effect) : open.turn.withPermit(nested(open, effect))
      ),
    isAtomic: Effect.map(Current, (open) => open !== undefined),
    afterCommit: (effect) =>
      Effect.flatMap(Current, (open) =>
        open === undefined ? effect : Effect.sync(() => void open.after.push(effect))
      ),
    connections,
    tables,
    name
  })
})

const wholly = (attempt: Attempt, { db, sessions }: Connections) => {
  const begin = Effect.gen(function* () {
    const { result, session } = yield* attempt(() => sessions.knowing(() => db.startTransaction().execute()))
    return { transaction: result, session, depth: 0, turn: yield* Semaphore.make(1), after: [] } satisfies Open
  })
  const rollback = ({ transaction }: Open) => Effect.ignore(attempt(() => transaction.rollback().execute()))

  /** Always returns the connection. */
  const commit = (open: Open) =>
    Effect.gen(function* () {
      const id = yield* Effect.onError(
        attempt(() => transactionId(open.transaction)),
        () => rollback(open)
      )
      const outcome = yield* Effect.result(attempt(() => open.transaction.commit().execute()))
      if (outcome._tag === "Success") return
      yield* rollback(open)
      const { failure } = outcome
      if (id === null || !Failure.isLost(failure.cause)) return yield* failure
      if ((yield* outcomeOf(attempt, db, { id, pid: open.session.pid })) !== "committed") return yield* failure
    })

  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | PostgresError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const open = yield* begin
        const exit = yield* Effect.exit(restore(Effect.provideService(effect, Current, open)))
        yield* Exit.isFailure(exit) ? rollback(open) : Effect.andThen(commit(open), Effect.all(open.after))
        return yield* exit
      })
    )
}

const nesting =
  (attempt: Attempt) =>
  <A, E, R>(outer: Open, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | PostgresError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const open = { ...outer, depth: outer.depth + 1, turn: yield* Semaphore.make(1), after: [] }
        const point = sql.raw(`s${open.depth}`)
        const execute = (text: ReturnType<typeof sql>) => attempt(() => text.execute(outer.transaction))
        const undo = Effect.ignore(execute(sql`rollback to savepoint ${point}`))
        yield* execute(sql`savepoint ${point}`)
        const exit = yield* Effect.exit(restore(Effect.provideService(effect, Current, open)))
        yield* Exit.isFailure(exit) ? undo : Effect.onError(execute(sql`release savepoint ${point}`), () => undo)
        if (Exit.isSuccess(exit)) outer.after.push(...open.after)
        return yield* exit
      })
    )

/** Null if nothing was written, so that nothing can be lost. */
const transactionId = async (db: Kysely<Tables>): Promise<string | null> => {
  const { rows } = await sql<{ id: string | null }>`select pg_current_xact_id_if_assigned()::text as id`.execute(db)
  return rows[0]?.id ?? null
}

const patienceMs = 30_000
const pauseMs = 200

/**
 * The outcome of a transaction, as soon as the server answers again. A session that still waits for a COMMIT that will
 * never arrive is terminated, which frees its locks.
 */
const outcomeOf = (attempt: Attempt, db: Kysely<Tables>, { id, pid }: { readonly id: string; readonly pid: number }) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const untilMs = runningMs(clock) + patienceMs
    const ask = attempt(async () => {
      const { rows } = await sql<{ status: string | null }>`select pg_xact_status(${id}::xid8) as status`.execute(db)
      return rows[0]?.status ?? "unknown"
    })
    const end = attempt(() =>
      sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where pid = ${pid} and backend_xid = ${id}::xid8::xid and state like 'idle%'`.execute(db)
    )
    while (true) {
      const answer = yield* Effect.result(ask)
      if (answer._tag === "Success" && answer.success !== "in progress") return answer.success
      if (runningMs(clock) > untilMs) return "unknown"
      if (answer._tag === "Success") yield* Effect.ignore(end)
      yield* Effect.sleep(pauseMs)
    }
  })
