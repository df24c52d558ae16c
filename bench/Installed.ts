/**
 * Peers from npm, installed when a benchmark needs them, into a folder below the system's temporary folder, which later
 * runs reuse. They are no part of the project.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Skipped {
  readonly skipped: string
}

const patienceMs = 120_000

/** The folder with the packages, or why there is none. */
export const installed = (name: string, packages: Readonly<Record<string, string>>): string | Skipped => {
  const folder = join(tmpdir(), `siteledger-bench-peer-${name}`)
  const isThere = Object.keys(packages).every((each) => existsSync(join(folder, "node_modules", each, "package.json")))
  if (isThere) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "peer", private: true, dependencies: packages }))
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--workspaces=false"]
  const npm = spawnSync("npm", ["install", ...options], { cwd: folder, encoding: "utf8", timeout: patienceMs })
  if (npm.status === 0) return folder
  const why =
    npm.error?.message ?? /npm (?:error|ERR!) code (\S+)/.exec(npm.stderr)?.[1] ?? `it ended with ${npm.status}`
  return { skipped: `npm couldn't install ${Object.keys(packages).join(", ")}: ${why}` }
}
