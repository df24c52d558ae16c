/** Someone else's program that uses packages. Nothing comes from the network. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { execute, modules, type Ran } from "./Tree.ts"

const tsconfig = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ["node"]
  },
  include: ["*.ts"]
}

export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), "siteledger-consumer-"))
  readonly #modules = join(this.folder, "node_modules")

  constructor() {
    this.write("package.json", JSON.stringify({ type: "module" }))
    this.write("tsconfig.json", JSON.stringify(tsconfig))
  }

  /** Installs a tarball as npm does, with all that it depends on. */
  async install(tarball: string): Promise<void> {
    await execute("npm", ["install", "--no-audit", "--no-fund", tarball], this.folder)
  }

  /** Copies everything that another consumer has. */
  copy({ folder }: Consumer): void {
    cpSync(folder, this.folder, { recursive: true })
  }

  /** Everything that is installed: names of packages, and bytes. */
  installed(): { readonly packages: ReadonlyArray<string>; readonly bytes: number } {
    const files = readdirSync(this.#modules, { recursive: true, encoding: "utf8" })
    const bytes = files
      .map((path) => statSync(join(this.#modules, path)))
      .map((each) => (each.isFile() ? each.size : 0))
    return {
      packages: readdirSync(this.#modules).filter((name) => !name.startsWith(".")),
      bytes: bytes.reduce((sum, size) => sum + size, 0)
    }
  }

  /** Additional packages of the program, from this tree. */
  link(...names: ReadonlyArray<string>): void {
    for (const name of names) {
      const link = join(this.#modules, name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(modules, name), link)
    }
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  /** Compiles all programs that have been written; rejects with what the compiler says. */
  check(): Promise<Ran> {
    return execute(join(modules, ".bin/tsc"), ["-p", "."], this.folder)
  }

  run(name: string, environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return execute(process.execPath, [name], this.folder, environment)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}
