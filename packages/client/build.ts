/**
 * Builds the package into `dist/`: each entry as one file with the parts of the worker that it uses, and the
 * declarations that it needs. The entry for promises bundles its parts of Effect; the one for Effect uses the program's
 * own copy.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("../..", import.meta.url))
const here = fileURLToPath(new URL(".", import.meta.url))
const dist = join(here, "dist")

const entries = [
  { name: "client", source: new URL("../../connectors/construction/Client.ts", import.meta.url), external: [] },
  {
    name: "effect",
    source: new URL("../../connectors/construction/ClientForEffect.ts", import.meta.url),
    external: [/^effect(\/|$)/]
  }
]

type Entry = (typeof entries)[number]

/** The packages whose code the file contains. */
const bundle = async ({ external, name, source }: Entry): Promise<ReadonlyArray<string>> => {
  const build = await rolldown({ input: { [name]: fileURLToPath(source) }, cwd: root, platform: "node", external })
  const { output } = await build.write({ dir: dist, format: "esm", entryFileNames: "[name].js" })
  await build.close()
  const chunks = output.filter((each) => each.type === "chunk")
  const foreign = chunks
    .flatMap(({ imports }) => imports)
    .filter((each) => !each.startsWith("node:") && !external.some((pattern) => pattern.test(each)))
  if (foreign.length > 0) throw new Error(`${name} imports ${foreign.join(", ")}, which is not installed with it`)
  const contained = chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path] : []))
  )
  return contained.flatMap((path) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
}

/** The declarations that a declaration imports or re-exports. */
const imported = (path: string): ReadonlyArray<string> =>
  [...readFileSync(path, "utf8").matchAll(/\bfrom "(\.[^"]*)\.[jt]s"/g)].map(([, target]) =>
    join(dirname(path), `${target}.d.ts`)
  )

const declare = (): void => {
  const all = mkdtempSync(join(tmpdir(), "siteledger-client-"))
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", here, "--outDir", all], {
    stdio: "inherit"
  })
  const reached = new Set<string>()
  const reach = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    imported(path).forEach(reach)
  }
  for (const { source } of entries) {
    reach(join(all, relative(root, fileURLToPath(source))).replace(/\.ts$/, ".d.ts"))
  }
  for (const path of reached) cpSync(path, join(dist, relative(all, path)))
  rmSync(all, { recursive: true })
}

rmSync(dist, { recursive: true, force: true })
const packages = new Set((await Promise.all(entries.map(bundle))).flat())
declare()
cpSync(join(root, "LICENSE"), join(dist, "LICENSE"))
const licenses = [...packages].toSorted().map((folder) => {
  const license = join(folder, "LICENSE")
  if (!existsSync(license)) throw new Error(`${folder} has no LICENSE to hand on`)
  return `${relative(join(root, "node_modules"), folder)}\n\n${readFileSync(license, "utf8")}`
})
writeFileSync(join(dist, "LICENSES-OF-PARTS"), licenses.join("\n"))
