/**
 * A copy of this tree, to build and pack packages from without touching the tree itself. Nothing comes from the network.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

export const root = fileURLToPath(new URL("../..", import.meta.url))
export const modules = join(root, "node_modules")

const made = new Set(["node_modules", "dist", "licenses", ".git", "data"])
const isOurs = (path: string) =>
  !relative(root, path)
    .split("/")
    .some((part) => made.has(part))

export interface Ran {
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; rejects if it fails or doesn't end. */
export const execute = (
  program: string,
  options: ReadonlyArray<string>,
  cwd: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ran> => {
  const path = [join(modules, ".bin"), process.env["PATH"]].join(delimiter)
  const env = { PATH: path, HOME: tmpdir(), npm_config_offline: "true", ...environment }
  return promisify(execFile)(program, options, { cwd, env, timeout: 60_000 }).catch((cause: Error & Ran) => {
    throw new Error([cause.message, cause.stdout, cause.stderr].join("\n"), { cause })
  })
}

export class Tree {
  readonly folder = mkdtempSync(join(tmpdir(), "siteledger-tree-"))

  constructor() {
    cpSync(root, this.folder, { recursive: true, filter: isOurs })
    symlinkSync(modules, join(this.folder, "node_modules"))
  }

  /** Makes and packs the package of a folder; returns the path of the tarball. */
  async pack(folder = "."): Promise<string> {
    const at = join(this.folder, folder)
    await execute("npm", ["run", "prepack"], at)
    const { stdout } = await execute("npm", ["pack", "--json", "--ignore-scripts"], at)
    const [packed] = JSON.parse(stdout) as ReadonlyArray<{ readonly filename: string }>
    return join(at, packed?.filename ?? "")
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}
