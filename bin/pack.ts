/**
 * Prepares what `npm pack` takes: `dist/` as `bin/build.ts` makes it; in `licenses/`, the licences of the packages that
 * are bundled in it; and a bill of materials of everything that is shipped (SBOM, CycloneDX), from npm's data.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { type Bundled, list, replace } from "./build.ts"

const root = resolve(import.meta.dirname, "..")
const dist = join(root, "dist")
const folder = join(root, "licenses")

interface Component {
  readonly "bom-ref": string
  readonly properties?: ReadonlyArray<{ readonly name: string }>
  readonly hashes?: ReadonlyArray<unknown>
}

/** The fields that are read and changed here. */
interface Bill {
  readonly serialNumber: string
  readonly metadata: { readonly timestamp: string; readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

const isText = (file: string): boolean => /^(licen[cs]e|notice|copying)/i.test(file)

const licences = (packages: ReadonlyArray<Bundled>): string =>
  packages
    .map(({ at, license, name, version }) => {
      const texts = readdirSync(join(root, at)).filter(isText).toSorted()
      const all = texts.map((file) => readFileSync(join(root, at, file), "utf8").trim())
      return [`${name} ${version} (${license})`, ...all].join("\n\n")
    })
    .join(`\n\n${"-".repeat(80)}\n\n`)

const isOfDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name }) => name === "cdx:npm:package:development")

/** The project's own folders come from no registry and aren't in the package. */
const isOurs = ({ hashes }: Component): boolean => hashes === undefined

/**
 * Of everything that npm would install, only what is installed with the package or bundled in it. The same sources give
 * the same bill.
 */
const shipped = ({ serialNumber: _number, ...bill }: Bill, packages: ReadonlyArray<Bundled>) => {
  const { timestamp: _time, ...metadata } = bill.metadata
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  const isShipped = (each: Component) => bundled.has(each["bom-ref"]) || !(isOfDevelopment(each) || isOurs(each))
  const components = bill.components.filter(isShipped)
  const refs = new Set([metadata.component, ...components].map((each) => each["bom-ref"]))
  return {
    ...bill,
    metadata: { ...metadata, component: { ...metadata.component, name: "siteledger" } },
    components,
    dependencies: bill.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  }
}

await replace(dist)
const packages = JSON.parse(readFileSync(join(dist, list), "utf8")) as ReadonlyArray<Bundled>
const asked = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]
const bill = JSON.parse(execFileSync("npm", asked, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 })) as Bill
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, "of-others.txt"), `${licences(packages)}\n`)
writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(shipped(bill, packages), null, 2)}\n`)
