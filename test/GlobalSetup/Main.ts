/**
 * The program that tests start as the worker: the bundle that Bundle.ts made. Positions in its stack traces are
 * translated into those of the sources. Node could do that itself (`--enable-source-maps`), but then every start would
 * take half as long again.
 */
import { readFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = resolve(import.meta.dirname, "../..")

/** The name of the variable that passes it to the test processes. */
export const variable = "SITELEDGER_TEST_MAIN"

export const main = process.env[variable] ?? ""

const folder = dirname(main)

/** The bundle of src/Query/Query.ts, whose queries start faster too. */
export const query = join(folder, "Query.mjs")

/** Like the launcher, keeps Node's compiled code of the bundle. */
export const compileCache = join(folder, "compiled")

const maps = new Map<string, SourceMap>()

const mapOf = (file: string): SourceMap => {
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
  maps.set(file, map)
  return map
}

/** The text, with positions in the bundle replaced by those in the sources. */
export const traced = (text: string): string =>
  text.replace(/((?:file:\/\/)?\/[^\s()]+\.c?js):(\d+):(\d+)/g, (place, url: string, line: string, column: string) => {
    const file = url.startsWith("file:") ? fileURLToPath(url) : url
    if (dirname(file) !== folder) return place
    const origin = mapOf(file).findOrigin(Number(line), Number(column))
    if (!("fileName" in origin)) return place
    return `${relative(root, resolve(folder, origin.fileName))}:${origin.lineNumber}:${origin.columnNumber}`
  })
