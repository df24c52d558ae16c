/**
 * Which sessions on the server a piece of work has in hand, so that interrupting it cancels its queries and nobody
 * else's.
 *
 * A session is its work's own from the moment it is taken until it is given back. One that was cancelled is never
 * given back for others to use: the server may get to the request late. Where the server can't be asked, the
 * connection is cut instead, so that nothing waits for an answer that nobody wants any more.
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
  /** The work that goes on; what it takes from the pool is noted here. */
  readonly #work = new AsyncLocalStorage<Work>()
  readonly #control: () => Client

  constructor(control: () => Client) {
    this.#control = control
  }

  /** Takes a connection, and notes it as held until its release. */
  async take(pool: Pool): Promise<PoolClient> {
    const client = await pool.connect()
    const work = this.#work.getStore()
    if (work === undefined) return client
    const session = { pid: (client as Connected).processID, cut: () => cut(client), isCancelled: false }
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

  /** Runs, and says which session it holds at the end. */
  async knowing<A>(use: () => Promise<A>): Promise<{ readonly result: A; readonly session: Session }> {
    const held = new Set<Session>()
    const result = await this.#work.run({ held, signal: undefined }, use)
    const [session] = held
    if (session === undefined) throw new Error("A transaction holds no connection")
    return { result, session }
  }

  /** Settles soon after the signal. */
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
      // What the session does next is not to be met by a request that was meant for this.
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
      // A server that can't be asked is not waited for: the connection is cut when its time is over.
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** What pg's types don't tell. */
type Connected = PoolClient & { readonly processID: number }

/** Whatever waits on it fails at once. */
export const cut = (client: PoolClient): void => void client.connection.stream.destroy()
