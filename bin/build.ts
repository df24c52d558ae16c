/**
 * Builds `dist/` from the sources: the worker, the verbs, every file that they run in a thread or process of its own,
 * each bundled as one module, and the page that the admin listener serves.
 * Loading one big module takes half the time of loading fourteen hundred small ones. `bin/siteledger` runs `dist/`
 * unless a source is newer than the start of the build.
 *
 * The folder must be where Node finds the packages that aren't bundled.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"
import { parseAst } from "rolldown/parseAst"
import { page } from "./page.ts"

const root = resolve(import.meta.dirname, "..")

/** Native code. */
export const ofDuckDb = "@duckdb/node-bindings"

export const main = "main.cjs"

interface Part {
  readonly source: string
  readonly external: Array<string | RegExp>
  /** Default: the source's own name, as CommonJS. */
  readonly file?: string
}

/** What `main` runs (load.ts). */
const programs: ReadonlyArray<Part> = [
  { source: "cli/main-worker.ts", external: [ofDuckDb], file: "worker.cjs" },
  { source: "cli/main.ts", external: [ofDuckDb], file: "verbs.cjs" }
]

/**
 * The parts start files that lie beside their own, so all are in one folder. As CommonJS they start sooner and take less
 * memory: an ES module makes Node load every export of a module such as `node:crypto` or `node:http`.
 */
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
  // The AWS SDK: loaded only if the lake is a bucket; otherwise it would make every start slower.
  { source: "src/Lake/S3/sdk.ts", external: [] },
  // Last, so that the parts exist once the file that runs them does.
  ...programs,
  { source: "bin/load.ts", external: [], file: main }
]

/**
 * With a single non-ASCII character, Node would hold the whole file at two bytes per character, and take longer to read
 * it.
 */
const inAscii = (code: string): string => {
  if (/\\[^\0-\x7f]/.test(code)) throw new Error("A backslash stands before a character that is to be escaped.")
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

const isProgram = (file: string): boolean => programs.some((program) => program.file === file)

/** A program as a function of what Node gives a CommonJS module. */
export const asFunction = (code: string): string =>
  `(function (exports, require, module, __filename, __dirname) {${code}\n})\n`

/** Other comments are a sixth of the text, which Node keeps in memory. */
const legalOnly = { legal: true, annotation: false, jsdoc: false }

/**
 * Without spaces, an idle worker takes 2 MB less: for the text, and for V8's table of its lines. Names stay, so that a
 * stack trace says which functions it is about.
 */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

/** One line for each statement, because Node prints the line in which an error was thrown. */
const inLines = (code: string): string => {
  const starts = parseAst(code).body.map(({ start }) => start)
  return starts.map((start, at) => code.slice(at === 0 ? 0 : start, starts[at + 1])).join("\n")
}

const lazy = join(import.meta.dirname, "lazy.ts")

const transform = {
  // Effect looks for variables that bundlers of web pages define.
  define: { "import.meta.env": "undefined" },
  inject: { "Intl.Segmenter": [lazy, "Segmenter"], FormData: [lazy, "FormData"] } satisfies Record<
    string,
    [string, string]
  >
}

/** The folder of the page. */
const dashboard = "dashboard"

/** A package that is bundled, wholly or in part, into `dist/`. */
export interface Bundled {
  readonly name: string
  readonly version: string
  /** Its SPDX identifier. */
  readonly license: string
  /** Its folder, relative to the root. */
  readonly at: string
}

/** The file that lists the bundled packages. */
export const list = "packages.json"

const packageOf = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]

const packagesOf = (modules: ReadonlyArray<string>): Set<string> =>
  new Set(modules.flatMap((module) => packageOf(module) ?? []))

// Returns the folders of the packages that the bundle contains. Each part becomes one file: a separate chunk would lose
// the names that undici exports only at run time.
export const bundle = async (folder: string, part: Part, sourcemap: boolean): Promise<ReadonlySet<string>> => {
  const { external, source, file = `${basename(source, ".ts")}.cjs` } = part
  const made = await rolldown({ cwd: root, input: join(root, source), platform: "node", external, transform })
  const format = file.endsWith(".cjs") ? "cjs" : "esm"
  const written = {
    dir: folder,
    format,
    entryFileNames: file,
    codeSplitting: false,
    sourcemap,
    // A source map wouldn't know the lines that are made below.
    minify: sourcemap ? false : minify,
    // As in a module, which each source is.
    strict: true,
    comments: legalOnly
  } as const
  const { output } = await made.write(written)
  await made.close()
  const path = join(folder, file)
  const ascii = inAscii(readFileSync(path, "utf8"))
  const code = sourcemap ? ascii : inLines(ascii)
  writeFileSync(path, isProgram(file) ? asFunction(code) : code)
  return packagesOf(output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])))
}

export const build = async (folder: string, sourcemap: boolean): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const folders = packagesOf(await page(root, join(folder, dashboard)))
  for (const part of parts) for (const each of await bundle(folder, part, sourcemap)) folders.add(each)
  const packages = [...folders].toSorted().map((path): Bundled => {
    const { license, name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Bundled
    return { name, version, license, at: relative(root, path) }
  })
  writeFileSync(join(folder, list), `${JSON.stringify(packages, null, 2)}\n`)
}

/** Replaces the earlier build file by file, because a worker may be about to start a thread from it. */
export const replace = async (target: string): Promise<void> => {
  const unfinished = join(target, "unfinished")
  rmSync(unfinished, { recursive: true, force: true })
  const begun = new Date()
  await build(unfinished, false)
  // So a source that was changed during the build is newer.
  utimesSync(join(unfinished, main), begun, begun)
  const made = filesIn(unfinished)
  const kept = filesIn(target)
  // A document comes after the files that it names, and the main file comes last.
  for (const name of made.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    renameSync(join(unfinished, name), join(target, name))
  }
  rmSync(unfinished, { recursive: true })
  for (const name of kept) if (!made.includes(name) && !name.startsWith("unfinished/")) rmSync(join(target, name))
}

const turnOf = (name: string): number => (name === main ? 3 : isProgram(name) ? 2 : name.endsWith(".html") ? 1 : 0)

/** Paths relative to the folder. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

if (import.meta.main) await replace(join(root, "dist"))
