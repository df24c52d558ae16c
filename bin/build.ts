/**
 * Makes `dist/` of the sources: the worker, and each file that it runs in a thread or a process of its own, as one module; and the
 * page that its admin listener serves.
 * Loading one big module takes half the time that loading fourteen hundred takes. `bin/siteledger` runs it unless a source is
 * newer than the begin of the build.
 *
 * The folder must lie where Node finds the packages that aren't bundled.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"
import { page } from "./page.ts"

const root = resolve(import.meta.dirname, "..")

/** Native code. */
export const ofDuckDb = "@duckdb/node-bindings"

/** CommonJS starts sooner: a module would make Node load all that `node:http` exports, with a client for fetch. */
export const main = "main.cjs"

interface Part {
  readonly source: string
  readonly external: Array<string | RegExp>
  /** By default the source's own name, as a module. */
  readonly file?: string
}

/** Whoever asks starts the files that lie beside it, so all lie together. */
const parts: ReadonlyArray<Part> = [
  { source: "src/Query/child.ts", external: [ofDuckDb] },
  { source: "src/Operate/Doctor/quick-check.ts", external: [] },
  { source: "src/Stores/Segments/inbox-thread.ts", external: [] },
  { source: "src/Stores/Sqlite/check-thread.ts", external: [] },
  { source: "src/Stores/Postgres/receiver-thread.ts", external: [] },
  { source: "src/Intake/Receiver/receiving.ts", external: [] },
  { source: "src/Operate/Audit/taking-thread.ts", external: [ofDuckDb] },
  { source: "connectors/construction/ConstructionSigning.ts", external: [] },
  { source: "connectors/construction/ConstructionErased.ts", external: [] },
  { source: "connectors/construction/reading-thread.ts", external: [] },
  { source: "cli/discover/yaml-thread.ts", external: [] },
  // The AWS SDK: loaded only where the lake is a bucket, as it is not to make every start longer.
  { source: "src/Lake/S3/sdk.ts", external: [] },
  // Last: what runs the others is there once they are.
  { source: "cli/main.ts", external: [ofDuckDb], file: main }
]

/** With a single other character, Node would keep the whole file at two bytes for each, and take longer to read it. */
const inAscii = (code: string): string => {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error("A backslash stands before a character that is to be escaped.")
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** Other comments are a sixth of the text, which Node keeps in memory. */
const legalOnly = { legal: true, annotation: false, jsdoc: false }

/** Of the page. */
const dashboard = "dashboard"

/** A package of which `dist/` holds something. */
export interface Bundled {
  readonly name: string
  readonly version: string
  /** As SPDX names it. */
  readonly license: string
  /** Its folder, from the root. */
  readonly at: string
}

/** Names them. */
export const list = "packages.json"

const packageOf = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]

const packagesOf = (modules: ReadonlyArray<string>): Set<string> =>
  new Set(modules.flatMap((module) => packageOf(module) ?? []))

// Returns the folders of the packages that it holds. Each in one file: a chunk of its own would lose the names that undici exports only as it runs.
export const bundle = async (folder: string, part: Part, sourcemap: boolean): Promise<ReadonlySet<string>> => {
  const { external, source, file = `${basename(source, ".ts")}.js` } = part
  // Effect looks for variables of bundlers of pages.
  const transform = { define: { "import.meta.env": "undefined" } }
  const made = await rolldown({ cwd: root, input: join(root, source), platform: "node", external, transform })
  const format = file.endsWith(".cjs") ? "cjs" : "esm"
  const written = {
    dir: folder,
    format,
    entryFileNames: file,
    codeSplitting: false,
    sourcemap,
    comments: legalOnly
  } as const
  const { output } = await made.write(written)
  await made.close()
  const path = join(folder, file)
  writeFileSync(path, inAscii(readFileSync(path, "utf8")))
  return packagesOf(output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])))
}

export const build = async (folder: string, sourcemap: boolean): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  // Else each start first reads the whole bundle as CommonJS.
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  const folders = packagesOf(await page(root, join(folder, dashboard)))
  for (const part of parts) for (const each of await bundle(folder, part, sourcemap)) folders.add(each)
  const packages = [...folders].toSorted().map((path): Bundled => {
    const { license, name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Bundled
    return { name, version, license, at: relative(root, path) }
  })
  writeFileSync(join(folder, list), `${JSON.stringify(packages, null, 2)}\n`)
}

/** File by file in place of what was built before, which a worker may be about to start a thread from. */
export const replace = async (target: string): Promise<void> => {
  const unfinished = join(target, "unfinished")
  rmSync(unfinished, { recursive: true, force: true })
  const begun = new Date()
  await build(unfinished, false)
  // A source that was changed meanwhile is newer.
  utimesSync(join(unfinished, main), begun, begun)
  const made = filesIn(unfinished)
  const kept = filesIn(target)
  // A document comes after what it names, and what runs all comes last.
  for (const name of made.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    renameSync(join(unfinished, name), join(target, name))
  }
  rmSync(unfinished, { recursive: true })
  for (const name of kept) if (!made.includes(name) && !name.startsWith("unfinished/")) rmSync(join(target, name))
}

const turnOf = (name: string): number => (name === main ? 2 : name.endsWith(".html") ? 1 : 0)

/** By their paths below it. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

if (import.meta.main) await replace(join(root, "dist"))
