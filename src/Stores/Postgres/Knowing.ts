/**
 * Keeps out a worker that doesn't know everything that was erased. While something is erased, no worker has a session.
 * A worker whose machine slept or was cut off meanwhile needs a new session, which is refused. Imports no Effect,
 * because the receiver's thread uses it.
 */
import type { ClientBase, PoolConfig } from "pg"
import { UnusableServer } from "./Failure.ts"

export interface Knowing {
  /** How many erasures the worker knows; undefined if it hasn't asked yet, or isn't a worker. */
  erasures: number | undefined
}

const outdated = new UnusableServer(
  "something was erased while this worker had no connection, which it would bring back: start it again"
)

/** The pool awaits it before a new session is used, although its type doesn't say so. */
export const knowing = (known: Knowing): Pick<PoolConfig, "onConnect"> => ({
  onConnect: async (client: ClientBase) => {
    if (known.erasures === undefined) return
    const { rows } = await client.query<{ count: string }>("select count(*)::text as count from siteledger.erasures")
    if (Number(rows[0]?.count) !== known.erasures) throw outdated
  }
})
