/**
 * The worker as a separate process, as an operator runs it: started with an environment, watched through its admin
 * listener, stopped by signals. A test learns from it only over HTTP, its exit code and its stderr.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import type { StatusReport } from "../src/Operate/AdminApi/StatusReport.ts"
import { valueOf } from "./Exposition.ts"
import { temporaryFolder } from "./Folders.ts"
import { compileCache, main, traced } from "./GlobalSetup/Main.ts"
import { leaks } from "./Marked.ts"

/**
 * The end of a long wait is noticed a little later, because each poll costs the worker 4 ms and the server 3 ms of CPU.
 */
const pollMs = { first: 20, most: 250, growth: 1.25 }
const patienceMs = 50_000

export type Environment = Readonly<Record<string, string>>

// Below the ephemeral range: a worker that is down for a moment must find its port free again. Each test process starts
// at a different port.
const ports = { first: 12_000, count: 20_000, next: process.pid * 97 }

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const probe = createServer()
    probe.once("error", () => done(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)))
  })

export const freePort = async (): Promise<number> => {
  const port = ports.first + (ports.next++ % ports.count)
  return (await isFree(port)) ? port : freePort()
}

/** Asks until the answer is there: a test waits for a state, never for a time. */
export const until = async <A>(what: string, ask: () => Promise<A | undefined>): Promise<A> => {
  const deadline = Date.now() + patienceMs
  for (let ms = pollMs.first; Date.now() < deadline; ms = Math.min(pollMs.most, ms * pollMs.growth)) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await new Promise((done) => setTimeout(done, ms))
  }
  throw new Error(`Not within ${patienceMs / 1000} s: ${what}`)
}

/** The environment of every test's worker. */
export const environment = async (service: {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}): Promise<Environment & { readonly SITELEDGER_DATA_DIR: string }> => {
  const port = await freePort()
  return {
    SITELEDGER_BASE_URL: service.baseUrl,
    SITELEDGER_AUTH_URL: service.authUrl,
    SITELEDGER_CLIENT_ID: service.clientId,
    SITELEDGER_CLIENT_SECRET: service.clientSecret,
    SITELEDGER_SCOPES: "projects.read",
    SITELEDGER_WEBHOOK_URL: `http://127.0.0.1:${port}/hooks/construction`,
    SITELEDGER_WEBHOOK_LISTEN: `127.0.0.1:${port}`,
    SITELEDGER_ADMIN_LISTEN: "127.0.0.1:0",
    SITELEDGER_DATA_DIR: temporaryFolder(),
    LOG_LEVEL: "Info",
    LOG_FORMAT: "logfmt",
    NO_COLOR: "1",
    PATH: process.env["PATH"] ?? "",
    NODE_COMPILE_CACHE: compileCache
  }
}

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a verb; `output` grows as it prints. */
export const launch = (environment: Environment, ...verb: ReadonlyArray<string>) => launchOf(main, environment, ...verb)

const launchOf = (program: string, environment: Environment, ...verb: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...verb], {
    env: { ...environment }
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += String(chunk)))
  return { child, output }
}

/** No secret of the service may be found anywhere. */
const refuseLeaks = (environment: Environment, texts: Readonly<Record<string, string>>): void => {
  const found = leaks(environment["SITELEDGER_DATA_DIR"] ?? "", texts)
  if (found.length > 0) throw new Error(`A secret was found in ${found.join(", ")}`)
}

/** Runs a verb to its end. */
export const run = (environment: Environment, ...verb: ReadonlyArray<string>): Promise<Finished> =>
  runOf(main, environment, ...verb)

/** The same for another program. */
export const runOf = async (
  program: string,
  environment: Environment,
  ...verb: ReadonlyArray<string>
): Promise<Finished> => {
  const { child, output } = launchOf(program, environment, ...verb)
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  refuseLeaks(environment, output)
  return { code, signal, stdout: output.stdout, stderr: traced(output.stderr) }
}

export class RunningWorker {
  readonly environment: Environment
  readonly #child: ChildProcess
  readonly #output: { readonly stdout: string; readonly stderr: string }
  readonly #ended: Promise<[number | null, NodeJS.Signals | null]>

  private constructor(environment: Environment, { child, output }: ReturnType<typeof launch>) {
    this.environment = environment
    this.#child = child
    this.#output = output
    this.#ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  }

  /** Default: this version. */
  static start(environment: Environment, program = main): RunningWorker {
    return new RunningWorker(environment, launchOf(program, environment, "start"))
  }

  get stderr(): string {
    return traced(this.#output.stderr)
  }

  get #end(): string {
    return `code ${this.#child.exitCode}, signal ${this.#child.signalCode}`
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** The admin listener's address and token, from the worker's note; undefined until it exists. */
  note(): { readonly admin: string; readonly token: string; readonly pid: number } | undefined {
    const path = join(this.environment["SITELEDGER_DATA_DIR"] ?? "", "worker.json")
    try {
      const note = JSON.parse(readFileSync(path, "utf8")) as { admin: string; token: string; pid: number }
      return note.pid === this.#child.pid ? note : undefined
    } catch {
      // Not there yet, or a killed worker's note that is being withdrawn just now.
      return undefined
    }
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const note = this.note()
    if (note === undefined) return undefined
    return fetch(note.admin + path, init).catch(() => undefined)
  }

  /** Waits until Status is as wanted; fails at once if the worker ends instead. */
  async status(what: string, isWanted: (report: StatusReport) => boolean = () => true): Promise<StatusReport> {
    let last: StatusReport | undefined
    try {
      return await until(what, async () => {
        if (this.hasEnded) throw new Error(`The worker ended (${this.#end}): ${this.stderr}`)
        const answer = await this.fetch("/status")
        if (answer?.status !== 200) return undefined
        const text = await answer.text()
        refuseLeaks({}, { status: text })
        last = JSON.parse(text) as StatusReport
        return isWanted(last) ? last : undefined
      })
    } catch (cause) {
      throw new Error(`${String(cause)}\nlast status: ${JSON.stringify(last)}\n${this.stderr.slice(-2000)}`, { cause })
    }
  }

  live(): Promise<StatusReport> {
    return this.status("the worker is live", ({ phase }) => phase === "live")
  }

  /** The metrics as Prometheus would get them; "" once the worker has ended. */
  async scrape(): Promise<string> {
    if (this.hasEnded) return ""
    return until("its metrics", async () => (this.hasEnded ? "" : (await this.fetch("/metrics"))?.text()))
  }

  /** Undefined: it has no such series. */
  async metric(name: string, labels?: string): Promise<number | undefined> {
    return valueOf(await this.scrape(), name, labels)
  }

  async verb(name: string, payload: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const authorization = `Bearer ${this.note()?.token ?? ""}`
    const answer = await this.fetch(`/verbs/${name}`, {
      method: "POST",
      headers: { authorization },
      body: JSON.stringify(payload)
    })
    return answer?.json()
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Finished> {
    this.#child.kill(signal)
    const [code, by] = await this.#ended
    refuseLeaks(this.environment, this.#output)
    return { code, signal: by, stdout: this.#output.stdout, stderr: this.stderr }
  }
}

/** Rows of a DuckDB file that no process holds, as JSON values (decimals and big integers as text). */
export const query = async (file: string, sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as ReadonlyArray<Record<string, unknown>>
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}
