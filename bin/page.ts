/**
 * Builds the admin listener's page from `dashboard/`: one script, one style sheet and its icon, each with its hash in
 * its name, and the document that names them. The same sources give the same files.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"

/** In order of precedence: each sheet overrides those before it. */
const sheets = ["colours", "frame", "parts", "tables", "views"]

const ofCharts = "node_modules/uplot/dist/uPlot.min.css"

/** Removes comments and insignificant spaces; none of our texts has a significant space next to these characters. */
const smaller = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,])\s*/g, "$1")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .trim()

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8)

/** Writes a file below `folder`; returns its address. */
const asset = (folder: string, name: string, ending: string, text: string): string => {
  const path = `assets/${name}-${hashOf(text)}.${ending}`
  writeFileSync(join(folder, path), text)
  return `/${path}`
}

/** Returns the paths of the bundled modules. */
export const page = async (root: string, folder: string): Promise<ReadonlyArray<string>> => {
  const source = join(root, "dashboard")
  mkdirSync(join(folder, "assets"), { recursive: true })
  const made = await rolldown({ cwd: root, input: join(source, "main.tsx"), platform: "browser" })
  const { output } = await made.generate({ format: "esm", minify: true, codeSplitting: false })
  await made.close()
  const [script] = output
  const css = [join(root, ofCharts), ...sheets.map((name) => join(source, `style/${name}.css`))]
  const addresses = {
    "/assets/main.js": asset(folder, "main", "js", script.code),
    "/assets/style.css": asset(
      folder,
      "style",
      "css",
      smaller(css.map((path) => readFileSync(path, "utf8")).join("\n"))
    ),
    "/assets/mark.svg": asset(folder, "mark", "svg", readFileSync(join(source, "mark.svg"), "utf8"))
  }
  const document = Object.entries(addresses).reduce(
    (html, [name, address]) => html.replace(name, () => address),
    readFileSync(join(source, "index.html"), "utf8")
  )
  writeFileSync(join(folder, "index.html"), document)
  return script.moduleIds
}
