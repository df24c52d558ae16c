/**
 * The firm's one worker, which is killed and started again, each time with the next accounting system, because a worker
 * sends to one at a time. Entries for another system wait there until a person replays them.
 */
import { type Environment, type Finished, run, said, type Status, Worker } from "../../bench/WorkerProcess.ts"
import { pause } from "../../bench/Waiting.ts"
import type { World } from "../World.ts"
import type { System } from "./Systems.ts"

/** The worker refuses, and says why. */
export class Refusal extends Error {
  override readonly name = "Refusal"
}

const againMs = 100
/** For a start or two on a very busy machine. */
const patienceMs = 600_000
const noDatabase = /PostgreSQL at .* doesn't answer: /

/** A verb that a person runs beside the worker may briefly hold the lock of the data directory. */
const isLocked = /another|lock/i

export type Ledger = NonNullable<Status["ledger"]> & {
  readonly holds: number
  readonly openFrom: string | null
  readonly sink: { readonly backlog: number; readonly dead: number } | null
}

export class Office {
  readonly world: World
  /** In the order of their turns; another may join them. */
  readonly systems: Array<System>
  /** The system whose turn it is. */
  system: System
  readonly #environment: Environment
  #worker: Worker | undefined
  #changing: Promise<unknown> = Promise.resolve()
  /** Called as soon as a person has sent a request, before its answer. */
  heard: () => void = () => undefined
  peakMb = 0
  /** Workers that ended by themselves, in words. */
  readonly ended: Array<string> = []

  constructor(world: World, first: System, environment: Environment) {
    this.world = world
    this.systems = [first]
    this.system = first
    this.#environment = environment
  }

  /** The worker's settings, with the system that it sends to. */
  get settings(): Environment {
    return { ...this.#environment, ...this.system.environment() }
  }

  start(): void {
    this.#worker = this.world.start(this.settings)
  }

  /** Nothing is sent to the previous system until its turn comes again. */
  next(): void {
    const { system, systems } = this
    this.system = systems[(systems.indexOf(system) + 1) % systems.length] as System
  }

  /** Only one change at a time may end the worker and start another. */
  alone<A>(change: () => Promise<A>): Promise<A> {
    const changed = this.#changing.then(change)
    this.#changing = changed.catch(() => undefined)
    return changed
  }

  /** Changes the system as an operator would. */
  async turn(whileDown: () => void): Promise<void> {
    await this.alone(async () => {
      await this.stop()
      whileDown()
      this.next()
      this.start()
    })
    await this.verb("sink-replay")
  }

  async kill(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.peakMb = Math.max(this.peakMb, worker?.peakMb ?? 0)
    await worker?.kill()
  }

  /** Returns its exit code. */
  async stop(): Promise<number | null> {
    const worker = this.#worker
    this.#worker = undefined
    this.peakMb = Math.max(this.peakMb, worker?.peakMb ?? 0)
    return (await worker?.stop()) ?? null
  }

  /**
   * A worker that has ended by itself is started again, and reported unless it only found the data directory in use.
   */
  #alive(): Worker | undefined {
    const worker = this.#worker
    if (worker?.hasEnded !== true) return worker
    const last = worker.log.trim().slice(-300)
    if (!isLocked.test(last)) this.ended.push(`a worker ended with ${worker.exitCode}: ${last}`)
    this.start()
    return this.#worker
  }

  /** Asks until there is an answer. */
  async #eventually<A>(what: string, ask: (worker: Worker) => Promise<A | undefined>): Promise<A> {
    for (const from = performance.now(); performance.now() - from < patienceMs; await pause(againMs)) {
      const worker = this.#alive()
      const answer = worker === undefined ? undefined : await ask(worker)
      if (answer !== undefined) return answer
    }
    throw new Error(`not within ${patienceMs / 1000} s: ${what}`)
  }

  async ledger(): Promise<Ledger & { readonly pending: number }> {
    const { inbox, ledger } = await this.#eventually("the status", (worker) => worker.status())
    return { ...(ledger as Ledger), pending: inbox.pending }
  }

  /** Repeated as long as the answer gets lost, or says that the database doesn't answer; a refusal is thrown. */
  verb(name: string, payload: object = {}): Promise<unknown> {
    return this.#eventually(name, async (worker) => {
      const answering = worker.answer(name, payload)
      this.heard()
      const answer = await answering
      if (answer === undefined || noDatabase.test(answer.body)) return undefined
      if (answer.status !== 200) throw new Refusal(said(answer))
      return JSON.parse(answer.body) as unknown
    })
  }

  /** Runs a command as a person types it, with a worker up or not. */
  command(...words: ReadonlyArray<string>): Promise<Finished> {
    const finished = run({ ...this.world.environment, ...this.settings }, words)
    this.heard()
    return finished
  }
}
