/**
 * Which of several workers on one PostgreSQL database leads: the one whose connection holds an advisory lock.
 *
 * When that worker dies, the server frees the lock with its connection, and another worker takes it within seconds. A
 * worker that loses its connection stops leading at once.
 */
import { hostname } from "node:os"
import { Effect, Latch, Layer } from "effect"
import type { Client } from "pg"
import * as Beat from "../../Runtime/Beat.ts"
import { Leadership } from "../../Runtime/Leadership.ts"
import { supervised } from "../../Runtime/Supervisor.ts"
import { Postgres } from "./Postgres.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const lookEvery = "1 second"

/** Arbitrary, but used for nothing else in the database. */
export const lock = 7_130_221_000

/** Makes the server notice within ten seconds that the worker is gone or frozen, and free the lock. */
const settings = [
  "set tcp_keepalives_idle = 3",
  "set tcp_keepalives_interval = 2",
  "set tcp_keepalives_count = 3",
  "set idle_session_timeout = 10000"
].join("; ")

const connected = async (client: Client): Promise<Client> => {
  try {
    await client.connect()
    await client.query(settings)
    return client
  } catch (cause) {
    await client.end().catch(() => undefined)
    throw cause
  }
}

export const layer = Layer.effect(
  Leadership,
  Effect.gen(function* () {
    const { connections } = yield* Postgres
    const leading = yield* Latch.make(false)
    const following = yield* Latch.make(true)
    let client: Client | undefined
    let leads = false

    const turnTo = (now: boolean): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (now === leads) return Effect.void
        leads = now
        const [opened, closed] = now ? [leading, following] : [following, leading]
        return closed.close.pipe(
          Effect.andThen(opened.open),
          Effect.andThen(LogLine.write("leader.changed", { leads: now, host: hostname(), pid: process.pid }))
        )
      })

    /** The connection is otherwise idle. An answer proves that it still exists, and with it the lock. */
    const ask = async (): Promise<boolean> => {
      client ??= await connected(connections.client({ query_timeout: 3_000 }))
      const { rows } = await client.query<{ held: boolean }>(
        leads ? "select true as held" : `select pg_try_advisory_lock(${lock}) as held`
      )
      return rows[0]?.held ?? false
    }
    const drop = Effect.promise(async () => {
      const dropped = client
      client = undefined
      await dropped?.end().catch(() => undefined)
    })

    const look = Effect.tryPromise(ask).pipe(
      Effect.catch(() => Effect.as(Effect.forkDetach(drop), false)),
      Effect.flatMap(turnTo)
    )
    yield* Effect.addFinalizer(() => Effect.andThen(turnTo(false), drop))
    yield* look
    yield* Effect.forkScoped(supervised("the election of a leader", Effect.andThen(Beat.next(lookEvery), look)))
    return { isLeading: Effect.sync(() => leads), leading, following }
  })
)
