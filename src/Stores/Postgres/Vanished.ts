/**
 * Ends what vanished workers have left on the server: a machine without power or network never closes its sessions,
 * whose transactions would hold rows and locks for a minute.
 *
 * Every worker's sessions carry its name, and each worker asks something every second. If none of a worker's sessions
 * did anything for four seconds, by our own monotonic clock, the worker has vanished. Its open transactions that wait
 * for it are terminated, so that their work is free again. If the worker was only frozen, its work fails as after any
 * lost connection, and is retried. A worker also terminates its own transactions whose connections it has given up. If
 * the server doesn't answer, the connections are cut, so that nothing waits on them when the network is back.
 */
import { Clock, Effect } from "effect"
import type { Client } from "pg"
import * as Beat from "../../Runtime/Beat.ts"
import { runningMs } from "../../Runtime/Boot.ts"
import type { Connections } from "./Connections.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const lookEvery = "1 second"
const answerMs = 3_000
const silentMs = 4_000
/** Even a busy server answers sooner. */
const unreachableMs = 8_000

/** Waiting for the worker or for a lock, not in the middle of its own work or commit. */
const waitsInTransaction = `
  xact_start is not null and (state like 'idle in transaction%' or wait_event_type in ('Lock', 'Client'))`

const looking = `
  select application_name as name, max(greatest(state_change, query_start))::text as active,
    coalesce(json_agg(pid) filter (where ${waitsInTransaction}), '[]') as waiting
  from pg_stat_activity
  where datname = current_database() and usename = current_user and application_name like 'siteledger worker %'
  group by application_name`

/** Only if the session still belongs to the same worker and still waits. */
const ending = `
  select pid, pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1::integer[]) and application_name = $2 and ${waitsInTransaction}`

interface Seen {
  readonly name: string
  readonly active: string
  readonly waiting: string
}

/** Which workers have been silent, and for how long. */
export const makeSilence = () => {
  let last = new Map<string, { readonly active: string; readonly sinceMs: number }>()
  return (seen: ReadonlyArray<Pick<Seen, "active" | "name">>, nowMs: number): ReadonlySet<string> => {
    last = new Map(
      seen.map(({ active, name }) => {
        const before = last.get(name)
        return [name, before?.active === active ? before : { active, sinceMs: nowMs }]
      })
    )
    return new Set([...last].filter(([, { sinceMs }]) => nowMs - sinceMs >= silentMs).map(([name]) => name))
  }
}

/** Runs until interrupted. */
export const watch = (connections: Connections) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => runningMs(clock)
    const silence = makeSilence()
    let client: Client | undefined
    let answeredMs = now()

    const connected = async (): Promise<Client> => {
      const fresh = connections.client({ query_timeout: answerMs, application_name: connections.worker })
      client = fresh
      await fresh.connect()
      return fresh
    }
    const end = async (by: Client, name: string, pids: ReadonlyArray<number>): Promise<number> => {
      if (pids.length === 0) return 0
      const { rows } = await by.query(ending, [pids, name])
      return rows.length
    }
    const look = async (): Promise<ReadonlyArray<string>> => {
      const by = client ?? (await connected())
      const { rows } = await by.query<Seen>(looking)
      answeredMs = now()
      const silent = silence(rows, answeredMs)
      const ended: Array<string> = []
      for (const { name, waiting } of rows) {
        const pids = JSON.parse(waiting) as ReadonlyArray<number>
        const isOwn = name === connections.worker
        const orphans = isOwn ? pids.filter((pid) => !connections.isOpen(pid)) : silent.has(name) ? pids : []
        const count = await end(by, name, orphans)
        if (count > 0) ended.push(`Ended ${count} transactions of ${isOwn ? "this worker's lost connections" : name}`)
      }
      return ended
    }
    const drop = async (): Promise<void> => {
      const dropped = client
      client = undefined
      if (now() - answeredMs >= unreachableMs) connections.cutAll()
      await dropped?.end().catch(() => undefined)
    }
    const turn = Effect.tryPromise(look).pipe(
      Effect.flatMap((ended) =>
        Effect.forEach(ended, (sentence) => LogLine.write("connections.ended", { why: sentence }))
      ),
      Effect.catch(() => Effect.asVoid(Effect.forkDetach(Effect.promise(drop))))
    )
    yield* Effect.addFinalizer(() => Effect.promise(drop))
    yield* Effect.forever(Effect.andThen(turn, Beat.next(lookEvery)))
  }).pipe(Effect.scoped)
