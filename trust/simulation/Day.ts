/**
 * Plays one simulated day: the steps at their times, then calm until everything has arrived, and then the judgement.
 */
import { closeSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Accounting } from "./Accounting.ts"
import type { Violation } from "./Evidence.ts"
import { always, atTheEnd, isRefusing, stalled, unreleased, unsettled } from "./Judge.ts"
import { Machine } from "./Machine.ts"
import { emptyStore } from "./MemoryStore.ts"
import { emptyWarehouse } from "./MemoryWarehouse.ts"
import { Service } from "./Service.ts"
import { dayMs, hourMs, isBusy, minuteMs, offsetsMs, type Step, stepsOf } from "./Steps.ts"
import { type Process, start, type World } from "./Worker.ts"

export interface Played {
  readonly violations: ReadonlyArray<Violation>
  readonly hash: string
  readonly isBusy: boolean
  readonly steps: number
  readonly trace: ReadonlyArray<string>
}

/** How long timers are on time after something has happened. */
const preciseMs = 75_000
/** Longer than the time between two walks; by the replay, no event is in the future any more. */
const hopMs = 75 * minuteMs
const calmHops = 6
const crashHop = 3
const replayHop = 5
/** Longer than three pages take at the plan's pace. */
const calmMs = 30_000
/** Less than the calm takes, so that events which were served ahead of time are due by its end. */
const farMs = 7 * hourMs

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

class Day {
  readonly #world: World
  readonly #machine: Machine
  readonly violations: Array<Violation> = []
  #epochs = 0
  #ended = 0
  #downMs = 1_000
  #isPowerCut = false
  #wake: (() => void) | undefined
  #process: Process | undefined

  constructor(world: Omit<World, "onWritten">) {
    this.#machine = world.machine
    this.#world = { ...world, onWritten: () => this.#check("a write") }
    this.#machine.onKilled = () => this.#killed()
    world.accounting.isPosted = (key) => {
      const row = world.store.prepare("select sequence from ledger_entries where entry_id = ?").get(key)
      return row === undefined ? undefined : Number(row["sequence"])
    }
  }

  #check(when: string): void {
    for (const violation of always(this.#world)) this.violations.push(`after ${when}: ${violation}`)
  }

  #killed(): void {
    const { machine, service } = this.#world
    service.receive = undefined
    this.#process = undefined
    this.#wake = machine.after(0, this.#downMs, () => this.start())
  }

  start(): void {
    const { machine, service, store } = this.#world
    this.#wake = undefined
    if (store.isTransaction) store.exec("rollback")
    this.#check("a crash")
    if (this.#isPowerCut) {
      machine.bootedMs = machine.nowMs
      machine.boots++
    }
    const epoch = (machine.epoch = ++this.#epochs)
    this.#isPowerCut = false
    this.#downMs = 1_000
    // The process's supervisor starts it again.
    const failed = (cause: unknown) => {
      machine.note(`ended ${epoch}: ${String(cause)}`)
      if (this.#world.failing.failures > 0 || ++this.#ended < 10) return machine.post(epoch, () => machine.kill())
      this.violations.push(`process ${epoch} ended: ${String(cause)}`)
    }
    start(
      this.#world,
      epoch,
      (process) => {
        const { inbox } = process
        this.#process = process
        machine.note(`started ${epoch}`)
        service.receive = (delivery, acknowledged) =>
          machine.call(
            epoch,
            () => inbox.offer(delivery),
            acknowledged,
            () => undefined
          )
      },
      failed
    )
  }

  /** Undefined if the worker isn't up, or writes are failing. */
  #isUp(): string | undefined {
    const { failing, stored } = this.#world
    const isUp = this.#process !== undefined && failing.failures === 0
    return isUp ? `${this.#epochs} ${stored.length}` : undefined
  }

  play(step: Step): void {
    const { accounting, failing, lake, machine, service } = this.#world
    machine.note(`step ${step.kind}`)
    if (step.kind === "event") service.say(step)
    else if (step.kind === "unreadable") {
      service.sayUnreadable(step)
      const offsetMs = step.replayAt === undefined ? undefined : offsetsMs[step.replayAt]
      // During its redelivery.
      if (offsetMs !== undefined) machine.after(0, step.delayMs + offsetMs, () => this.#replay())
    } else if (step.kind === "project") service.change(step)
    else if (step.kind === "clock") machine.setClock(Math.max(-farMs, Math.min(farMs, machine.wallMs + step.byMs)))
    else if (step.kind === "warehouse") Object.assign(failing, { failures: step.failures, refuses: step.refuses })
    else if (step.kind === "lake") lake.failures = step.failures
    else if (step.kind === "crash") {
      this.#downMs = step.downMs
      this.#isPowerCut = step.isPowerCut
      machine.killIn = step.effects
    } else if (step.kind === "service") {
      service.fault = step.how
      machine.after(0, step.forMs, () => (service.fault = undefined))
    } else {
      accounting.fault = step.how
      machine.after(0, step.forMs, () => (accounting.fault = undefined))
    }
  }

  /** A person has the quarantine read again. */
  #replay(): void {
    const { machine } = this.#world
    if (this.#process === undefined) return
    Effect.runFork(Effect.ignore(this.#process.apply.replay), { scheduler: machine.scheduler(machine.epoch) })
  }

  async run(steps: ReadonlyArray<Step>): Promise<void> {
    const { machine } = this.#world
    this.start()
    for (const step of steps) {
      if (step.atMs > machine.nowMs + preciseMs) {
        const quiet = this.#isUp()
        await machine.until(machine.nowMs + preciseMs)
        // Unless the worker was restarted meanwhile, or a delivery has just come.
        if (quiet === this.#isUp() && quiet !== undefined) this.violations.push(...unsettled(this.#world))
        await machine.until(step.atMs, true)
      } else if (step.atMs > machine.nowMs) await machine.until(step.atMs)
      this.play(step)
    }
    await machine.until(machine.nowMs + preciseMs)
    await machine.until(Math.max(dayMs, machine.nowMs), true)
    await this.#calm()
  }

  /** Faults end, clocks are right, and everything that is under way arrives, after one more crash. */
  async #calm(): Promise<void> {
    const { accounting, failing, lake, machine, service } = this.#world
    machine.setClock(0)
    machine.killIn = undefined
    accounting.fault = undefined
    service.fault = undefined
    Object.assign(failing, { failures: 0, refuses: undefined })
    lake.failures = 0
    // A pending crash, or a process that is still down, would outlast the calm.
    this.#wake?.()
    if (this.#wake !== undefined) this.start()
    this.#downMs = 1_000
    this.#isPowerCut = false
    for (let hop = 0; hop < calmHops; hop++) {
      await machine.until(machine.nowMs + calmMs)
      if (hop === replayHop) {
        this.violations.push(...unreleased(this.#world))
        // Without a replay, nothing applies the events that were refused.
        if (isRefusing(this.#world)) this.#replay()
      }
      if (hop === crashHop && this.#wake === undefined) {
        this.violations.push(...stalled(this.#world))
        machine.kill()
      }
      await machine.until(machine.nowMs + hopMs, true)
    }
    await machine.until(machine.nowMs + minuteMs)
    this.violations.push(...accounting.violations, ...(await atTheEnd(this.#world)))
  }
}

const descriptors = "/proc/self/fd"

/** Killed processes closed none of their files. */
const closeAll = (folder: string): void => {
  for (const descriptor of existsSync(descriptors) ? readdirSync(descriptors) : []) {
    const at = join(descriptors, descriptor)
    if (existsSync(at) && readlinkSync(at).startsWith(folder)) closeSync(Number(descriptor))
  }
}

/** Plays these steps of a seed's day. */
export const playSteps = async (seed: number, steps: ReadonlyArray<Step>): Promise<Played> => {
  const machine = new Machine(seed)
  const folder = mkdtempSync(join(memory, "day-"))
  mkdirSync(join(folder, "inbox"))
  const store = await emptyStore()
  const warehouse = emptyWarehouse()
  const day = new Day({
    machine,
    service: new Service(machine),
    accounting: new Accounting(machine),
    store,
    warehouse,
    folder,
    stored: [],
    failing: { failures: 0, refuses: undefined },
    exported: [],
    lake: { failures: 0 }
  })
  try {
    await day.run(steps)
  } catch (cause) {
    day.violations.push(`the day broke off: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  } finally {
    closeAll(folder)
    rmSync(folder, { recursive: true, force: true })
  }
  const { hash, lines, steps: count } = machine
  return { violations: day.violations, hash, isBusy: isBusy(steps), steps: count, trace: lines }
}

export const playSeed = (seed: number): Promise<Played> => playSteps(seed, stepsOf(seed))
