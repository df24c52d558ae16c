/**
 * A real trytond for a test file or an attack: Debian's packages tryton-server and tryton-modules-account, on loopback, with
 * an SQLite database in a folder of its own. The database without any company, which takes trytond half a minute, is made
 * once and kept beside the packages. The server ends with this process, however that ends.
 *
 * If trytond isn't installed, `missing` says so, and the tests that need it are skipped visibly.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { temporaryFolder } from "../../Folders.ts"
import { eventually } from "../../Radosgw/Daemons.ts"

const where = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const [trytond, admin] = [where("trytond"), where("trytond-admin")]

export const missing =
  trytond === undefined || admin === undefined
    ? "trytond isn't installed (Debian: tryton-server tryton-modules-account)"
    : undefined

export const password = "hush-Quiet7Tryton"

const run = async (program: string, parameters: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = {}) =>
  (await promisify(execFile)(program, parameters, { env: { ...process.env, ...environment } })).stdout

const untilClosed = `"$@" </dev/null & daemon=$!; cat >/dev/null; kill -9 "$daemon"; wait`

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address() as { readonly port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}

/** What Tryton's own Python is, from the first line of its program. */
const pythonOf = (program: string): string => readFileSync(program, "utf8").split("\n", 1)[0]?.slice(2).trim() ?? ""

export type Context = Readonly<Record<string, unknown>>

interface Made {
  readonly company: number
  /** In the order of the years that were asked for. */
  readonly fiscalyears: ReadonlyArray<number>
}

export interface RealOptions {
  /** Of the fiscal years, all of whose periods are open (default: 2026, with a month and a journal that are closed). */
  readonly years?: ReadonlyArray<number>
}

const name = "books"

/** It loads all its modules first, which takes minutes where there is hardly any time for it. */
const mostStartMs = 300_000

const kept = join(import.meta.dirname, "../../../node_modules/.cache/siteledger")

/** Writes trytond's configuration into a folder, for databases that lie there. */
const configured = (folder: string, ...sections: ReadonlyArray<string>): string => {
  const file = join(folder, "trytond.conf")
  writeFileSync(file, [`[database]\nuri = sqlite://\npath = ${folder}`, ...sections, ""].join("\n"))
  return file
}

/** The file of a database that has the modules and an administrator, and no company yet. */
const blank = async (trytondAdmin: string): Promise<string> => {
  const version = (await run(trytondAdmin, ["--version"])).trim().replaceAll(/[^\w.-]/g, "-")
  const file = join(kept, `${version}.sqlite`)
  if (existsSync(file)) return file
  const folder = temporaryFolder()
  const on = ["-c", configured(folder), "-d", name]
  const made = join(folder, `${name}.sqlite`)
  writeFileSync(made, "")
  writeFileSync(join(folder, "password"), `${password}\n`)
  await run(trytondAdmin, [...on, "--all", "--email", "a@example.com"], { TRYTONPASSFILE: join(folder, "password") })
  await run(trytondAdmin, [...on, "-u", "account", "--activate-dependencies"])
  mkdirSync(kept, { recursive: true })
  // Whole, or not there: another process may make it at the same time.
  copyFileSync(made, `${file}.${process.pid}`)
  renameSync(`${file}.${process.pid}`, file)
  return file
}

export class RealTryton {
  readonly url: URL
  readonly #shell: ChildProcess
  readonly company: number
  readonly fiscalyears: ReadonlyArray<number>
  #authorization = ""

  private constructor(url: URL, shell: ChildProcess, { company, fiscalyears }: Made) {
    this.url = url
    this.#shell = shell
    this.company = company
    this.fiscalyears = fiscalyears
  }

  static async open({ years = [] }: RealOptions = {}): Promise<RealTryton> {
    if (trytond === undefined || admin === undefined) throw new Error(missing)
    const folder = temporaryFolder()
    const port = await freePort()
    const configuration = configured(folder, `[web]\nlisten = 127.0.0.1:${port}`, "[session]\nmax_attempt = 100")
    copyFileSync(await blank(admin), join(folder, `${name}.sqlite`))
    const made = await run(pythonOf(trytond), [
      join(import.meta.dirname, "set-up.py"),
      configuration,
      name,
      password,
      ...years.map(String)
    ])
    const program = [trytond, "-c", configuration, "-d", name]
    const shell = spawn("/bin/sh", ["-c", untilClosed, "sh", ...program], { stdio: ["pipe", "ignore", "ignore"] })
    const url = new URL(`http://127.0.0.1:${port}/${name}`)
    const opened = new RealTryton(url, shell, JSON.parse(made.trim().split("\n").at(-1) ?? "") as Made)
    await eventually("trytond", () => opened.#login(), mostStartMs)
    return opened
  }

  async close(): Promise<void> {
    const ended = once(this.#shell, "close")
    this.#shell.stdin?.end()
    await ended
  }

  /** As the administrator, in the company in euros. */
  async call(method: string, params: ReadonlyArray<unknown>, context: Context = {}): Promise<unknown> {
    return this.#ask(`model.${method}`, [...params, { company: this.company, language: "en", ...context }])
  }

  async rows<A>(model: string, domain: unknown, fields: ReadonlyArray<string>, context: Context = {}) {
    return (await this.call(`${model}.search_read`, [domain, 0, null, null, fields], context)) as ReadonlyArray<A>
  }

  async #login(): Promise<void> {
    const [id, token] = (await this.#ask("common.db.login", ["admin", { password }, "en"])) as [number, string]
    this.#authorization = `Session ${Buffer.from(`admin:${id}:${token}`).toString("base64")}`
  }

  async #ask(method: string, params: ReadonlyArray<unknown>): Promise<unknown> {
    const answer = await fetch(`${this.url.href}/`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: this.#authorization },
      body: JSON.stringify({ id: 1, method, params })
    })
    const text = await answer.text()
    const { error, result } = JSON.parse(text) as { readonly error?: unknown; readonly result?: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
}
