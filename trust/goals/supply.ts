/**
 * The supply chain of siteledger: every dependency is pinned, comes from the registry with a hash, has a licence that
 * is compatible with Apache-2.0, and runs an install script only if that is allowed; npm can list them all as an SBOM.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Goal } from "../Goal.ts"

const root = join(import.meta.dirname, "../..")

/** For shipped packages; development tools may have others. */
const licences = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "CC0-1.0",
  "Unlicense",
  "BlueOak-1.0.0",
  "MIT-0"
])

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}

const parse = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"))

/** For an "OR", one compatible licence is enough. */
const fits = (licence: string): boolean =>
  licence
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((one) => licences.has(one))

/** The packages that are bundled in `dist/`, as `name@version`. */
const bundled = (): ReadonlySet<string> => {
  const all = parse("dist/packages.json") as ReadonlyArray<{ readonly name: string; readonly version: string }>
  return new Set(all.map(({ name, version }) => `${name}@${version}`))
}

const lockedPackages = () =>
  Object.entries((parse("package-lock.json") as { readonly packages: Record<string, Locked> }).packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true
  )

const wrongIn =
  (allowed: Readonly<Record<string, boolean>>, isShipped: (name: string, locked: Locked) => boolean) =>
  ([path, locked]: readonly [string, Locked]): ReadonlyArray<string> => {
    const { hasInstallScript, integrity, license, resolved, version } = locked
    const name = path.split("node_modules/").at(-1) ?? path
    // Packages for other platforms aren't installed, and scripts of unlisted packages never run.
    const isDecided = Object.hasOwn(allowed, name) || !existsSync(join(root, path))
    return [
      // npm records no address for packages from the registry (.npmrc).
      ...(resolved === undefined ? [] : [`${name} comes from ${resolved}`]),
      ...(integrity?.startsWith("sha512-") === true ? [] : [`${name} ${version} has no SHA-512`]),
      ...(!isShipped(name, locked) || fits(license ?? "") ? [] : [`${name} has the licence ${license}`]),
      ...(hasInstallScript !== true || isDecided
        ? []
        : [`${name} runs an install script that isn't listed in allowScripts`])
    ]
  }

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

const manifests = ["package.json", "packages/client/package.json", "test/foreign/package.json"]

const unpinned = (path: string): ReadonlyArray<string> => {
  const { dependencies, devDependencies } = parse(path) as Manifest
  const all = Object.entries({ ...dependencies, ...devDependencies })
  const exact = /^(npm:[\w./@-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
  return all
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `${path} has ${name} ${version}, not one version`)
}

const bill = () => {
  const made = spawnSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
  try {
    const { bomFormat, components } = JSON.parse(made.stdout) as {
      readonly bomFormat: string
      readonly components: ReadonlyArray<unknown>
    }
    return bomFormat === "CycloneDX" ? components.length : 0
  } catch {
    return 0
  }
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 1,
  run: async () => {
    const packages = lockedPackages()
    const { allowScripts = {} } = parse("package.json") as Manifest
    const components = bill()
    const inDist = bundled()
    const isShipped = (name: string, { dev, version }: Locked) => dev !== true || inDist.has(`${name}@${version}`)
    const violations = [
      ...packages.flatMap(wrongIn(allowScripts, isShipped)),
      ...manifests.filter((path) => existsSync(join(root, path))).flatMap(unpinned),
      ...(components > 0 ? [] : ["npm sbom gives no CycloneDX document"])
    ]
    const shipped = packages.filter(([path, locked]) =>
      isShipped(path.split("node_modules/").at(-1) ?? path, locked)
    ).length
    return { runs: packages.length, violations, figures: { packages: packages.length, shipped, components } }
  }
}
