/**
 * The worker of an older version, as it was built: `Older/NNNN.json.br` holds its bundle (bin/build.ts, made small by the
 * bundler), named by the newest version of the tables that it knows. It is a file, because a checkout needs no history.
 *
 * When a version of the tables is added, a bundle of the commit before takes its place.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { removeFolder } from "../Folders.ts"

/** Of the tables. */
export const version = "0007"

/** Where Node finds DuckDB's native package. */
const cache = join(import.meta.dirname, "../../node_modules/.cache/siteledger")

export class Older implements Disposable {
  readonly #folder: string

  constructor() {
    mkdirSync(cache, { recursive: true })
    this.#folder = mkdtempSync(join(cache, "older-"))
    const bundle = readFileSync(join(import.meta.dirname, `Older/${version}.json.br`))
    const files = JSON.parse(String(brotliDecompressSync(bundle))) as Readonly<Record<string, string>>
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#folder, name), text)
  }

  /** What Node runs. */
  get main(): string {
    return join(this.#folder, "main.cjs")
  }

  [Symbol.dispose](): void {
    removeFolder(this.#folder)
  }
}
