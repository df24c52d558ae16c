/**
 * Connections for single statements that finish quickly or fail: a delivery waits at most twice their limit, once for
 * the commit before its own and once for its own. Imports no Effect, because the receiver's thread uses it.
 */
import { Pool, type PoolConfig } from "pg"
import { discardWhenBroken, GuardedClient } from "./Guarded.ts"
import { valueOf } from "./Values.ts"

export const promptMs = 900

export const promptPool = (config: PoolConfig, max: number): Pool =>
  openPool(
    new Pool({
      ...config,
      types: { getTypeParser: valueOf },
      Client: GuardedClient,
      max,
      connectionTimeoutMillis: promptMs,
      statement_timeout: promptMs,
      lock_timeout: promptMs,
      query_timeout: promptMs
    })
  )

/** A pool whose connections may break at any time. */
export const openPool = (pool: Pool): Pool => {
  // An idle connection that the server closes is replaced at the next use.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => {
    // If it breaks in use, its query fails too; an unhandled event would end the program.
    client.on("error", () => undefined)
    discardWhenBroken(client)
  })
  return pool
}
