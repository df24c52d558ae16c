/**
 * A program of somebody else that has siteledger installed: the package is built and packed from a copy of this tree,
 * and unpacked below the `node_modules` of a temporary folder, beside its dependencies. Nothing comes from the network.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const tree = fileURLToPath(new URL("../..", import.meta.url))
const modules = join(tree, "node_modules")
const isOurs = (path: string) => !["node_modules", ".git", "data", "dist"].some((name) => path === join(tree, name))

/** What the client needs; it must get along without DuckDB, Kysely and the rest of the worker's. */
const dependencies = ["effect", "@types/node"]

const tsconfig = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ["node"]
  }
}

export interface Ran {
  readonly stdout: string
  readonly stderr: string
}

export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), "siteledger-package-"))
  readonly installed = join(this.folder, "node_modules/siteledger")

  async install(): Promise<void> {
    const { folder, installed } = this
    const source = join(folder, "source")
    cpSync(tree, source, { recursive: true, filter: isOurs })
    symlinkSync(modules, join(source, "node_modules"))
    await this.#run("npm", ["run", "build"], source)
    await this.#run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], source)
    mkdirSync(installed, { recursive: true })
    const packages = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
    await this.#run("tar", ["-xzf", ...packages, "-C", installed, "--strip-components", "1"])
    for (const name of dependencies) {
      const link = join(folder, "node_modules", name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(modules, name), link)
    }
    this.write("package.json", JSON.stringify({ type: "module" }))
    this.write("tsconfig.json", JSON.stringify({ ...tsconfig, include: ["*.ts"] }))
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  /** Compiles all programs that have been written; rejects with what the compiler says. */
  check(): Promise<Ran> {
    return this.#run(join(modules, ".bin/tsc"), ["-p", "."])
  }

  /** Runs one to its end; rejects when that is a failure or doesn't come. */
  run(name: string, environment: Readonly<Record<string, string>>): Promise<Ran> {
    return this.#run(process.execPath, [name], this.folder, environment)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #run(
    program: string,
    options: ReadonlyArray<string>,
    cwd = this.folder,
    environment: Readonly<Record<string, string>> = {}
  ): Promise<Ran> {
    const env = {
      PATH: [join(modules, ".bin"), process.env["PATH"]].join(delimiter),
      HOME: this.folder,
      npm_config_offline: "true",
      ...environment
    }
    return promisify(execFile)(program, options, { cwd, env, timeout: 60_000 }).catch((cause: Error & Ran) => {
      throw new Error([cause.message, cause.stdout, cause.stderr].join("\n"), { cause })
    })
  }
}
