/**
 * The PostgreSQL of a run, started at its first use and stopped at the end. It is as durable as a real one; it can be
 * restarted, and its backends can be killed.
 */
import { Client } from "pg"
import { type PostgresServer, start } from "../bench/PostgresServer.ts"

export interface Server extends PostgresServer {
  /** Rows as JSON values, with numbers of any size as text. */
  readonly query: (url: string, sql: string) => Promise<ReadonlyArray<Record<string, unknown>>>
}

let held: Promise<PostgresServer> | undefined

const query: Server["query"] = async (url, sql) => {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => String } })
  client.on("error", () => undefined)
  await client.connect()
  try {
    const answer: unknown = await client.query<Record<string, unknown>>(sql)
    // Several statements give several answers; the last one counts.
    return (Array.isArray(answer) ? answer.at(-1) : answer).rows as ReadonlyArray<Record<string, unknown>>
  } finally {
    await client.end()
  }
}

export const shared = async (): Promise<Server> => {
  held ??= start()
  return { ...(await held), query }
}

export const close = async (): Promise<void> => {
  await (await held)?.stop()
}
