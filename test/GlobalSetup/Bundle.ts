/**
 * The built worker (bin/build.ts), made once for each run of the tests from the current sources, because the tests
 * start hundreds of workers. `bin/siteledger` itself is started by test/launcher.test.ts, test/package.test.ts and
 * test/worker/Demo.test.ts.
 *
 * The folder lies below node_modules, where Node finds DuckDB's native package; it is removed at the end or, if this
 * process was killed, by the next run.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { build, bundle, main, ofDuckDb } from "../../bin/build.ts"

const root = resolve(import.meta.dirname, "../..")
const cache = join(root, "node_modules/.cache/siteledger")
const prefix = "tests-"

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

const removeOfTheDead = (): void => {
  for (const name of readdirSync(cache)) {
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length)))) remove(join(cache, name))
  }
}

/** A test that calls the bundled query shares these with it. */
const query = { source: "src/Query/Query.ts", external: [ofDuckDb, /^effect(\/|$)/, /^@effect\//], file: "Query.mjs" }

const bundles = async (folder: string): Promise<void> => {
  await build(folder, true)
  await bundle(folder, query, true)
}

export interface Bundle {
  readonly main: string
  readonly again: () => Promise<void>
}

export const make = async (): Promise<Bundle> => {
  mkdirSync(cache, { recursive: true })
  removeOfTheDead()
  const folder = join(cache, `${prefix}${process.pid}`)
  remove(folder)
  process.once("exit", () => remove(folder))
  await bundles(folder)
  return { main: join(folder, main), again: () => bundles(folder) }
}
