/**
 * A fresh, empty database for a test, on the PostgreSQL that PostgresServer.ts starts; removed when the test ends, even
 * with clients connected.
 *
 * If there is none for this platform, `skipped` says why: `describe.skipIf(Postgres.skipped !== undefined)`.
 */
import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { variables } from "./PostgresServer.ts"

export const skipped: string | undefined = process.env[variables.skipped]

/** Of the admin database, where others are made. */
export const postgresUrl = (): string => {
  const isOld = process.env[variables.isOld] !== undefined
  const url = (isOld ? process.env[variables.oldUrl] : undefined) ?? process.env[variables.url]
  if (url === undefined || process.env[variables.failed] !== undefined) {
    throw new Error(`No PostgreSQL: ${skipped ?? process.env[variables.failed] ?? "test/GlobalSetup.ts did not run"}`)
  }
  return url
}

export type Row = Readonly<Record<string, string | null>>

export interface Database extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** The rows of the last statement, every value as the text in which PostgreSQL writes it. */
  readonly query: (sql: string) => Promise<ReadonlyArray<Row>>
}

const asText = { getTypeParser: () => String }

const connected = async (url: string): Promise<Client & AsyncDisposable> => {
  const client = new Client({ connectionString: url, types: asText })
  // A test may end its server's connections.
  client.on("error", () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

type Query = (sql: string) => Promise<ReadonlyArray<Row>>

/** On one connection. */
export const session = async <A>(url: string, use: (query: Query) => Promise<A>): Promise<A> => {
  await using client = await connected(url)
  return await use(async (sql) => (await client.query<Row>(sql)).rows)
}

export const query = async (url: string, sql: string): Promise<ReadonlyArray<Row>> => {
  await using client = await connected(url)
  const result = await client.query<Row>(sql)
  const results: ReadonlyArray<typeof result> = Array.isArray(result) ? result : [result]
  return results.at(-1)?.rows ?? []
}

export const database = async (): Promise<Database> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  await query(postgresUrl(), `create database ${name}`)
  const url = Object.assign(new URL(postgresUrl()), { pathname: name }).href
  return {
    name,
    url,
    query: (sql) => query(url, sql),
    [Symbol.asyncDispose]: async () => {
      await query(postgresUrl(), `drop database ${name} with (force)`)
    }
  }
}
