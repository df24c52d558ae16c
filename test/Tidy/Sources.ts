/** The files of the project and what they import, read as text: good enough for code that oxfmt has laid out. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))
const ignored = new Set(["node_modules", ".git", "dist", "data"])

const walk = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : walk(path)
    return entry.isFile() ? [path] : []
  })

export const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The text without its whole-line comments, which may name what code may not. */
export const code = (path: string) => read(path).replace(/^\s*(\/\/|\/\*\*?|\*).*$/gm, "")

export const all = walk("")
export const sources = all.filter((path) => /\.tsx?$/.test(path))

export const under = (...folders: ReadonlyArray<string>) =>
  sources.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))

/** What a file imports, types included, or starts by its URL, as paths from the root. */
export const imports = (path: string): ReadonlyArray<string> =>
  [...code(path).matchAll(/(?:\bfrom|\bimport\(?|new URL\(|import\.meta\.resolve\()\s*"(\.{1,2}\/[^"]*)"/g)].map(
    ([, target]) => normalize(join(dirname(path), target ?? ""))
  )
