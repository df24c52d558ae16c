/**
 * A connection that survives an answer which breaks PostgreSQL's protocol. pg's parser throws on one, and where it is called
 * an exception would end the program. Here it ends the connection: everything that waits on it fails, and may be retried.
 */
import type { Duplex } from "node:stream"
import { Client, type ClientConfig, DatabaseError, type PoolClient } from "pg"

type Listener = (bytes: Buffer) => void

/** Missing from pg's types. */
interface Attaching {
  attachListeners: (stream: Pick<Duplex, "on">) => void
}

const caught =
  (stream: Duplex, listener: Listener): Listener =>
  (bytes) => {
    try {
      listener(bytes)
    } catch (cause) {
      stream.destroy(new Error("the server's answer breaks its protocol", { cause }))
    }
  }

export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const connection = this.connection as unknown as Attaching
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      const all = stream as Duplex
      attach({
        on: (event: string, listener: Listener) => all.on(event, event === "data" ? caught(all, listener) : listener)
      } as Pick<Duplex, "on">)
    }
  }
}

/** pg would reuse a connection that is still waiting for the answer to a query that timed out. */
export const discardWhenBroken = (client: PoolClient): void => {
  const query = client.query.bind(client) as (...args: ReadonlyArray<unknown>) => unknown
  const noticing = (...args: ReadonlyArray<unknown>): unknown => {
    const answer = query(...args)
    if (answer instanceof Promise) {
      answer.catch((cause: unknown) => {
        if (!(cause instanceof DatabaseError)) Object.assign(client, { _queryable: false })
      })
    }
    return answer
  }
  Object.assign(client, { query: noticing })
}
