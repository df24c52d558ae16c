/**
 * Tracks which server sessions a piece of work holds, so that interrupting it cancels its own queries and no others.
 *
 * A session belongs to its work from the moment it is taken until it is released. A cancelled session is never reused,
 * because the server may act on the request late. If the server can't be reached to cancel, the connection is cut, so
 * that nothing waits for an answer that is no longer wanted.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Client, Pool, PoolClient } from "pg"

export interface Session {
  readonly pid: number
  readonly cut: () => void
  isCancelled: boolean
}

/** How long a cancelled query may take to end. */
const graceMs = 3_000

interface Work {
  readonly held: Set<Session>
  readonly signal: AbortSignal | undefined
}

export class Sessions {
  /** The current work; the sessions it takes from the pool are noted here. */
  readonly #work = new AsyncLocalStorage<Work>()
  readonly #control: () => Client

  constructor(control: () => Client) {
    this.#control = control
  }

  /** Takes a connection and notes it as held until its release. */
  async take(pool: Pool): Promise<PoolClient> {
    const client = await pool.connect()
    const work = this.#work.getStore()
    if (work === undefined) return client
    const session = { pid: pidOf(client), cut: () => cut(client), isCancelled: false }
    const release = client.release.bind(client)
    client.release = (error) => {
      work.held.delete(session)
      release(error ?? session.isCancelled)
    }
    work.held.add(session)
    if (work.signal?.aborted !== true) return client
    client.release()
    throw new Error("Interrupted before it began")
  }

  /** Also returns the session that is still held at the end. */
  async knowing<A>(use: () => Promise<A>): Promise<{ readonly result: A; readonly session: Session }> {
    const held = new Set<Session>()
    const result = await this.#work.run({ held, signal: undefined }, use)
    const [session] = held
    if (session === undefined) throw new Error("A transaction holds no connection")
    return { result, session }
  }

  /** Settles soon after the signal aborts. */
  cancelling<A>(signal: AbortSignal, use: () => Promise<A>): Promise<A> {
    const held = new Set<Session>()
    return this.cancellingAt(held, signal, () => this.#work.run({ held, signal }, use))
  }

  async cancellingAt<A>(held: Iterable<Session>, signal: AbortSignal, use: () => Promise<A>): Promise<A> {
    let cancelled: Promise<unknown> = Promise.resolve()
    let overdue: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      cancelled = Promise.all([...held].map((session) => this.#cancel(session)))
      overdue = setTimeout(() => {
        for (const session of held) session.cut()
      }, graceMs)
    }
    signal.addEventListener("abort", onAbort)
    try {
      return await use()
    } finally {
      signal.removeEventListener("abort", onAbort)
      clearTimeout(overdue)
      // A late cancel request must not hit the session's next statement.
      await cancelled
    }
  }

  async #cancel(session: Session): Promise<void> {
    session.isCancelled = true
    const client = this.#control()
    try {
      await client.connect()
      await client.query("select pg_cancel_backend($1)", [session.pid])
    } catch {
      // If the server can't be reached, the connection is cut after `graceMs`.
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** Missing from pg's types. */
type Connected = (Client | PoolClient) & { readonly processID: number }

/** The process id of its session on the server. */
export const pidOf = (client: Client | PoolClient): number => (client as Connected).processID

/** Everything that waits on the connection fails at once. */
export const cut = (client: Client | PoolClient): void => void client.connection.stream.destroy()
