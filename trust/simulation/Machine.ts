/**
 * The simulated machine: one list of tasks from which a seed picks the next, and two clocks that advance only when no
 * task is left.
 *
 * A process is an epoch. When it is killed, its tasks, timers and outstanding calls are dropped, and no finalizer runs.
 * Kysely's promises are microtasks without I/O, which are drained before the next task, so nothing outside the
 * simulation decides an order.
 */
import { hash } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { Effect, type Fiber, type Scheduler } from "effect"
import { type Random, seeded } from "../../test/Seeded.ts"
import { type Epoch, type Task, Timers } from "./Timers.ts"

export const startMs = Date.UTC(2026, 10, 20)

/** Ends a call whose process is dead, so that it never returns. */
export class Killed extends Error {
  override readonly name = "Killed"
}

/** Most days take a few thousand tasks. */
const mostTasks = 100_000

export class Machine {
  readonly random: Random
  readonly #lines: Array<string> = []
  #tasks: Array<Task> = []
  readonly #timers = new Timers()
  #steps = 0
  #outstanding = 0
  #budget = 50
  /** True time since the start. */
  nowMs = 0
  #wallMs = 0
  #setBackMs = 0
  /** When the machine booted, by true time. */
  bootedMs = 0
  boots = 1
  epoch: Epoch = 0
  /** After how many effects the process is killed; undefined: it isn't. */
  killIn: number | undefined
  /** Called when the process has been killed. */
  onKilled: () => void = () => undefined

  constructor(seed: number) {
    this.random = seeded(seed)
  }

  get steps(): number {
    return this.#steps
  }

  /** Everything that happened. */
  get lines(): ReadonlyArray<string> {
    return this.#lines
  }

  get hash(): string {
    return hash("sha256", this.#lines.join("\n"), "hex")
  }

  get wallNowMs(): number {
    return startMs + this.nowMs + this.#wallMs
  }

  /** How far the wall clock is ahead of true time. */
  get wallMs(): number {
    return this.#wallMs
  }

  /** By how much the wall clock has been set back so far, in total. */
  get setBackMs(): number {
    return this.#setBackMs
  }

  setClock(aheadMs: number): void {
    this.#setBackMs += Math.max(0, this.#wallMs - aheadMs)
    this.#wallMs = aheadMs
  }

  note(what: string): void {
    this.#lines.push(`${this.nowMs} ${what}`)
  }

  isAlive(epoch: Epoch): boolean {
    return epoch === 0 || epoch === this.epoch
  }

  post(epoch: Epoch, run: () => void): void {
    if (this.isAlive(epoch)) this.#tasks.push({ epoch, run })
  }

  /** Returns a function that cancels it. */
  after(epoch: Epoch, delayMs: number, run: () => void): () => void {
    return this.#timers.add({ epoch, run, atMs: this.nowMs + Math.max(0, delayMs) })
  }

  /** An effect of a process on the outside: the process may be killed between any two of them. */
  boundary(epoch: Epoch, what: string): void {
    if (!this.isAlive(epoch)) throw new Killed()
    this.note(what)
    if (this.killIn === undefined || epoch === 0 || --this.killIn > 0) return
    this.kill()
    throw new Killed()
  }

  /** The same boundary as an effect, which never ends if the process is killed here. */
  gate(epoch: Epoch, what: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      try {
        this.boundary(epoch, what)
        return Effect.void
      } catch {
        return Effect.never
      }
    })
  }

  /** A power cut or kill -9: nothing of the process runs any more. */
  kill(): void {
    const dead = this.epoch
    this.note(`killed ${dead}`)
    this.killIn = undefined
    this.epoch = -1
    this.#outstanding = 0
    this.#tasks = this.#tasks.filter(({ epoch }) => epoch !== dead)
    this.#timers.dropOf(dead)
    this.onKilled()
  }

  /** A call into code that uses promises. Its answer is a task, which never comes if the process dies. */
  call<A>(epoch: Epoch, run: () => Promise<A>, done: (value: A) => void, failed: (cause: unknown) => void): void {
    if (!this.isAlive(epoch)) return
    this.#outstanding++
    const settled = (answer: () => void) => {
      if (!this.isAlive(epoch)) return
      this.#outstanding--
      this.#answer(epoch, answer)
    }
    const answered = async (): Promise<void> => {
      try {
        const value = await run()
        settled(() => done(value))
      } catch (cause) {
        if (!(cause instanceof Killed)) settled(() => failed(cause))
      }
    }
    void answered()
  }

  /** The same call as an effect. */
  effect<A, E>(epoch: Epoch, run: () => Promise<A>, toError: (cause: unknown) => E): Effect.Effect<A, E> {
    return Effect.callback<A, E>((resume) => {
      this.call(
        epoch,
        run,
        (value) => resume(Effect.succeed(value)),
        (cause) => resume(Effect.fail(toError(cause)))
      )
    })
  }

  /** A call without promises, whose answer is delayed all the same. */
  sync<A, E>(epoch: Epoch, run: () => A, toError: (cause: unknown) => E): Effect.Effect<A, E> {
    return Effect.callback<A, E>((resume) => {
      try {
        const value = run()
        this.#answer(epoch, () => resume(Effect.succeed(value)))
      } catch (cause) {
        if (!(cause instanceof Killed)) this.post(epoch, () => resume(Effect.fail(toError(cause))))
      }
    })
  }

  /** Disks mostly answer at once, but any disk is slow now and then. */
  #answer(epoch: Epoch, answer: () => void): void {
    if (epoch === 0 || !this.random.chance(0.06)) this.post(epoch, answer)
    else this.after(epoch, 1 + this.random.below(40), answer)
  }

  scheduler(epoch: Epoch): Scheduler.Scheduler {
    const shouldYield = (fiber: Fiber.Fiber<unknown, unknown>): boolean => {
      if (fiber.currentOpCount < this.#budget) return false
      this.#budget = 20 + this.random.below(200)
      return true
    }
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (run) => this.post(epoch, run),
      flush: () => undefined
    }
    return { executionMode: "async", shouldYield, makeDispatcher: () => dispatcher }
  }

  /** Runs everything that can run now. */
  async settle(): Promise<void> {
    for (let turns = 0; ;) {
      // Now and then another task runs while a call is outstanding, so that calls overlap.
      if (this.#outstanding > 0 && (this.#tasks.length === 0 || this.random.chance(0.7))) {
        if (++turns > mostTasks) throw new Error("A call of the store doesn't return")
        await setImmediate()
        continue
      }
      const task = this.#pick()
      if (task === undefined) return
      if (++this.#steps > mostTasks) throw new Error("The day doesn't end")
      task.run()
    }
  }

  /** Runs until this time, timer by timer; `isLeaping`: the machine slept, so all of them are late. */
  async until(ms: number, isLeaping = false): Promise<void> {
    await this.settle()
    while (true) {
      const next = this.#timers.first
      if (isLeaping && this.nowMs < ms) {
        const world = this.#timers.firstOf(0)
        this.nowMs = Math.max(this.nowMs, Math.min(ms, world?.atMs ?? ms))
      } else if (next === undefined || next.atMs > ms) break
      else this.nowMs = Math.max(this.nowMs, next.atMs)
      for (const { epoch, run } of this.#timers.takeDue(this.nowMs)) this.post(epoch, run)
      await this.settle()
    }
    this.nowMs = Math.max(this.nowMs, ms)
  }

  #pick(): Task | undefined {
    const last = this.#tasks.length - 1
    if (last < 0) return undefined
    const at = last === 0 ? 0 : this.random.below(last + 1)
    const picked = this.#tasks[at]
    const moved = this.#tasks.pop()
    if (at < last && moved !== undefined) this.#tasks[at] = moved
    return picked
  }
}
