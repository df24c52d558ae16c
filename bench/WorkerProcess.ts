/**
 * A worker as a separate process, as an operator runs it: it is observed only through its admin listener, its exit code
 * and its log.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Used from "./Used.ts"
import { text, until } from "./Waiting.ts"

export type Environment = Readonly<Record<string, string>>

const patienceMs = 120_000
/** Copying a large store, or emptying it before a rebuild, takes minutes. */
const verbMs = 600_000

export const program = join(import.meta.dirname, "../bin/siteledger")

/** The fields of `GET /status` that are read. */
export interface Status {
  readonly phase: string
  readonly reasons: ReadonlyArray<string>
  readonly reasonDetails: ReadonlyArray<unknown>
  readonly inbox: { readonly pending: number; readonly quarantined: number; readonly oldestPendingAgeMs: number }
  readonly api: { readonly usedLastMinute: number }
  readonly backfill: Readonly<
    Record<
      string,
      | { readonly proof: string; readonly rows: number; readonly pagesDone: number; readonly at: string | null }
      | undefined
    >
  >
  readonly subscription: { readonly verifiedAt: string | null }
  readonly ledger: {
    readonly entries: number
    readonly postedMs: { readonly p99: number | null }
    readonly sink: { readonly backlog: number } | null
  }
  readonly published: { readonly at: string | null }
}

/** Degraded is live, too: if no delivery comes, a worker is degraded after a minute. */
export const isUp = ({ phase }: Pick<Status, "phase">): boolean => phase === "live" || phase === "degraded"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** In the form in which a sentence quotes it. */
export const said = ({ body, status }: Answer): string => `${status} ${body.slice(0, 300)}`

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a verb to its end; after this time it is killed. */
export const run = async (
  environment: Environment,
  verb: ReadonlyArray<string>,
  mostMs = 300_000
): Promise<Finished> => {
  const child = spawn(program, [...verb], {
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: mostMs,
    killSignal: "SIGKILL"
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, ...output }
}

export class Worker {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #dataDir: string
  /** Everything that it has logged. */
  log = ""
  /** Its answer to the last verb that it refused. */
  refusal = ""

  constructor(environment: Environment) {
    this.#dataDir = environment["SITELEDGER_DATA_DIR"] ?? ""
    this.#child = spawn(program, ["start"], { env: { ...environment }, stdio: ["ignore", "pipe", "pipe"] })
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.log += String(chunk)))
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.log += String(chunk)))
    this.#ended = once(this.#child, "close")
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  get exitCode(): number | null {
    return this.#child.exitCode
  }

  /** Processor time of all its threads so far, in ms; 0 without /proc. */
  get cpuMs(): number {
    return Used.cpuMicros(this.pid) / 1000
  }

  /** Bytes that it has handed to the file system. */
  get written(): number {
    return Used.written(this.pid)
  }

  /** Resident memory in MB; 0 without /proc. */
  get residentMb(): number {
    return Used.residentMb(this.pid)
  }

  get peakMb(): number {
    return Used.peakMb(this.pid)
  }

  /** The admin listener's address and token; undefined until they exist. */
  note(): { readonly admin: string; readonly token: string } | undefined {
    try {
      const note = JSON.parse(readFileSync(join(this.#dataDir, "worker.json"), "utf8")) as {
        readonly admin: string
        readonly token: string
        readonly pid: number
      }
      return note.pid === this.pid ? note : undefined
    } catch {
      return undefined
    }
  }

  async #ask(path: string, init: RequestInit = {}, mostMs = patienceMs): Promise<Response | undefined> {
    const note = this.note()
    if (note === undefined) return undefined
    const headers = { authorization: `Bearer ${note.token}` }
    return fetch(note.admin + path, { ...init, headers, signal: AbortSignal.timeout(mostMs) }).catch(() => undefined)
  }

  async status(): Promise<Status | undefined> {
    const answer = await this.#ask("/status")
    if (answer?.status !== 200) return undefined
    return (await answer.json().catch(() => undefined)) as Status | undefined
  }

  /** Fails at once if the worker ends first. If the state isn't reached in time, the error shows the status. */
  async reaches(what: string, isReached: (status: Status) => boolean = () => true): Promise<Status> {
    let last: Status | undefined
    const reached = async () => {
      if (this.hasEnded)
        throw new Error(`the worker ended (code ${this.exitCode}) before ${what}: ${this.log.slice(-500)}`)
      last = await this.status()
      return last !== undefined && isReached(last) ? last : undefined
    }
    return until(what, reached).catch((cause: unknown) => {
      if (this.hasEnded) throw cause
      throw new Error(`${text(cause)}; /status says ${JSON.stringify(last) ?? "nothing"}`)
    })
  }

  /** Its answer to a verb, whether it did it or not; undefined: no complete answer came. */
  async answer(name: string, payload: object = {}): Promise<Answer | undefined> {
    const answer = await this.#ask(`/verbs/${name}`, { method: "POST", body: JSON.stringify(payload) }, verbMs)
    const body = await answer?.text().catch(() => undefined)
    return answer === undefined || body === undefined ? undefined : { status: answer.status, body }
  }

  /** Its answer if the status was 200; otherwise undefined. */
  async verb(name: string, payload: object = {}): Promise<unknown> {
    const answer = await this.answer(name, payload)
    if (answer?.status === 200) return JSON.parse(answer.body) as unknown
    this.refusal = answer === undefined ? "no answer" : said(answer)
    return undefined
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended
  }

  /** Stops it by SIGTERM; returns its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM")
    await this.#ended
    return this.exitCode
  }
}
