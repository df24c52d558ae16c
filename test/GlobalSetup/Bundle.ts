/**
 * The worker as a bundle, made once for each run of the tests: they start hundreds of workers, and loading a thousand
 * modules takes three times as long as loading two big ones. What `bin/siteledger` runs (the sources, and the built
 * files of a package) is started by test/launcher.test.ts, test/package.test.ts and test/worker/Demo.test.ts.
 *
 * The folder lies below node_modules, where Node finds DuckDB's native package; it is removed at the end, and when this
 * process was killed, by the next run.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { rolldown } from "rolldown"

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

const ofDuckDb = "@duckdb/node-bindings"
/** Loaded only where the lake is a bucket: it is not to make every start longer. */
const ofAws = [/^@aws-sdk\//, /^@smithy\//]
/** A test that calls what is bundled shares these with it. */
const ofEffect = [/^effect(\/|$)/, /^@effect\//]

// Each in one file: a chunk of its own would lose the names that undici exports only as it runs.
const bundle = async (folder: string, path: string, external: Array<string | RegExp>): Promise<void> => {
  const made = await rolldown({ cwd: root, input: join(root, path), platform: "node", external })
  await made.write({ dir: folder, format: "esm", codeSplitting: false, sourcemap: true })
  await made.close()
}

const bundles = async (folder: string): Promise<void> => {
  await bundle(folder, "cli/main.ts", [ofDuckDb, ...ofAws])
  // Whoever asks, in the worker or in a test, starts the files that lie beside.
  await bundle(folder, "src/Query/child.ts", [ofDuckDb])
  await bundle(folder, "src/Operate/Doctor/quick-check.ts", [])
  await bundle(folder, "src/Stores/Segments/inbox-thread.ts", [])
  await bundle(folder, "src/Stores/Sqlite/check-thread.ts", [])
  await bundle(folder, "src/Intake/Receiver/receiver-thread.ts", [])
  await bundle(folder, "src/Intake/Receiver/receiving.ts", [])
  await bundle(folder, "connectors/construction/ConstructionSigning.ts", [])
  await bundle(folder, "connectors/construction/reading-thread.ts", [])
  await bundle(folder, "src/Query/Query.ts", [ofDuckDb, ...ofEffect])
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
  mkdirSync(folder)
  // Else each start first reads the whole bundle as CommonJS.
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  await bundles(folder)
  return { main: join(folder, "main.js"), again: () => bundles(folder) }
}
