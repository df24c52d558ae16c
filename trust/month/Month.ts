/**
 * A month of the firm, as it is played: opening certificates, events, what people answer and do, the closing of a month
 * in the middle of it, late events, and then the remaining entries to each accounting system in turn; with kills
 * throughout.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Seed from "../../sandbox/Seed.ts"
import { pause } from "../../bench/Waiting.ts"
import { WallClock } from "../WallClock.ts"
import type { Attack } from "../Goal.ts"
import { World } from "../World.ts"
import { Clerk } from "./Clerk.ts"
import { Delivery } from "./Delivery.ts"
import * as Events from "./Events.ts"
import { type Calendar, calendarAt, confirmAbove, currencies, ledgerFile, timezone } from "./Firm.ts"
import * as History from "./History.ts"
import { Killer } from "./Killer.ts"
import type { Phase } from "./Life.ts"
import { Office } from "./Office.ts"
import * as QuickBooks from "./QuickBooks.ts"
import type { System } from "./Systems.ts"
import * as Tryton from "./Tryton.ts"
import * as Xero from "./Xero.ts"

export interface Size {
  readonly ipcs: number
  readonly kills: number
}

export interface Played {
  readonly calendar: Calendar
  readonly history: History.History
  readonly office: Office
  readonly clerk: Clerk
  readonly delivery: Delivery
  readonly killer: Killer
  /** Sentences about holds that people should not have been asked about, and about entries that were never sent. */
  readonly violations: ReadonlyArray<string>
}

/** The share of the month's progress until all deliveries have arrived. */
const delivering = 0.75

const clerkMs = 400

/**
 * How many answers of the worker, at least `clerkMs` apart, may pass without a new entry being sent before that is an
 * error. Answers are counted, not time, so that a busy machine isn't taken for a stuck worker.
 */
const mostIdle = 600

/** How many such answers may pass before the next system gets its turn. */
const mostWaits = 15

/**
 * How far the worker's clock is put ahead after each turn, so that the month doesn't wait that long: for this time
 * siteledger doesn't repeat a request that Xero may have carried out without showing it.
 */
const turnMs = 120_000

class Month {
  readonly #history: History.History
  readonly #office: Office
  readonly #clerk: Clerk
  readonly #delivery: Delivery
  readonly #dice: Seed.Dice
  readonly #calendar: Calendar
  readonly #clock: WallClock
  readonly #tell: (sentence: string) => void
  /** How far the worker's clock is ahead. */
  #aheadMs = 0
  readonly violations: Array<string> = []
  /** The share of the entries that accounting has, from 0 to 1. */
  #sent = 0

  constructor(given: {
    readonly history: History.History
    readonly office: Office
    readonly clerk: Clerk
    readonly delivery: Delivery
    readonly dice: Seed.Dice
    readonly calendar: Calendar
    readonly clock: WallClock
    readonly tell: (sentence: string) => void
  }) {
    this.#history = given.history
    this.#office = given.office
    this.#clerk = given.clerk
    this.#delivery = given.delivery
    this.#dice = given.dice
    this.#calendar = given.calendar
    this.#clock = given.clock
    this.#tell = given.tell
  }

  get progress(): number {
    const all = this.#history.lives.reduce((sum, { happenings }) => sum + happenings.length, 0)
    return delivering * (this.#delivery.arrived / all) + (1 - delivering) * this.#sent
  }

  /** Delivers one half of the month while people do their work; then everything is applied, answered and done. */
  async #half(phase: Phase): Promise<void> {
    const events = Events.of(this.#history.lives, phase, this.#dice)
    let isOver = false
    const answering = async () => {
      for (; !isOver; await pause(clerkMs)) await this.#clerk.answer(false)
    }
    await Promise.all([this.#delivery.all(events).finally(() => (isOver = true)), answering()])
    for (let pending = 1; pending > 0; await pause(clerkMs)) ({ pending } = await this.#office.ledger())
    await this.#clerk.finish()
    await this.#clerk.act(phase)
    const left = await this.#clerk.finish()
    if (phase === 2) this.violations.push(...left)
  }

  async play(folder: string): Promise<void> {
    await this.#office.ledger()
    await this.#clerk.signOff(join(folder, "opening.csv"))
    await this.#half(1)
    this.#tell("all that comes in time is posted, answered and done")
    await this.#clerk.close(this.#calendar.closing)
    await this.#half(2)
    this.#tell(`${this.#calendar.closing} is closed, and what came later is posted, answered and done`)
  }

  /**
   * Gives each system its turn until every entry is in one. While one system pauses, another that could take more gets
   * its turn.
   */
  async drain(): Promise<void> {
    let [most, idle, waits] = [-1, 0, 0]
    for (;;) {
      const { entries, sink } = await this.#office.ledger()
      const { backlog, dead } = sink ?? { backlog: entries, dead: 0 }
      if (backlog + dead === 0) return
      const sent = entries - backlog - dead
      const isTaking = sent > most
      ;[idle, waits] = isTaking ? [0, 0] : [idle + 1, waits + 1]
      most = Math.max(most, sent)
      this.#sent = sent / entries
      if (idle > mostIdle) return void this.violations.push(await this.#unsent(backlog + dead, entries))
      if (isTaking || (waits <= mostWaits && backlog + dead > (await this.#stuck()))) await pause(clerkMs)
      else {
        this.#aheadMs += turnMs
        await this.#office.turn(() => this.#clock.set(this.#aheadMs))
        waits = 0
        this.#tell(`${sent} of ${entries} entries are sent; now to ${this.#office.system.name}`)
      }
    }
  }

  async #unsent(left: number, of: number): Promise<string> {
    const { stdout } = await this.#office.command("ledger", "sink", "dead")
    return `${left} of ${of} entries reach no accounting system: ${stdout.slice(0, 600)}`
  }

  /** Entries that aren't for the current system, and later entries of their IPCs, which wait behind them. */
  async #stuck(): Promise<number> {
    const dead = (await this.#office.verb("sink-dead")) as ReadonlyArray<{ readonly waiting_behind: number }>
    return dead.reduce((sum, { waiting_behind }) => sum + 1 + waiting_behind, 0)
  }
}

const diceFor = (attack: Attack) => {
  const seed = attack.dice.next()
  return (purpose: number) => Seed.dice(seed, purpose, 0)
}

/** The other systems join when they are ready: Tryton takes a minute. */
const opened = async (calendar: Calendar, diceOf: (purpose: number) => Seed.Dice) => {
  const [xero, quickBooks] = await Promise.all([Xero.open(diceOf(1)), QuickBooks.open(diceOf(2))])
  const tryton = (): Promise<System> =>
    Tryton.missing === undefined ? Tryton.openReal(calendar, diceOf(3)) : Tryton.openStandIn(calendar, diceOf(3))
  return { first: xero, second: quickBooks, third: tryton() }
}

/** `judge`: runs while the worker is still up. */
export const played = async <A>(
  attack: Attack,
  { ipcs, kills }: Size,
  tell: (sentence: string) => void,
  judge: (played: Played) => Promise<A>
): Promise<A> => {
  const calendar = calendarAt(Date.now())
  const diceOf = diceFor(attack)
  const history = History.make(ipcs, { dice: diceOf(4), calendar })
  const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-month-"))
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const clock = new WallClock(join(folder, "clock"))
  const { first, second, third } = await opened(calendar, diceOf)
  await using world = await World.open(attack, { hasSink: false })
  const office = new Office(world, first, {
    SITELEDGER_LEDGER_FILE: file("ledger.json", ledgerFile(history.sites, calendar)),
    SITELEDGER_FIELD_ALIASES: file("aliases.json", { paid_amount: "amount" }),
    SITELEDGER_LEDGER_CURRENCY: currencies(history.sites),
    SITELEDGER_LEDGER_TIMEZONE: timezone,
    SITELEDGER_LEDGER_CONFIRM_ABOVE: confirmAbove,
    SITELEDGER_LEDGER_SINK_STATUS: "posted",
    ...clock.environment
  })
  office.systems.push(second)
  const joined = third.then((system) => void office.systems.push(system))
  // If a system doesn't start, the error is reported where the system is awaited.
  joined.catch(() => undefined)
  const clerk = new Clerk(office, history.lives, diceOf(5))
  const delivery = new Delivery(world.sender, diceOf(6))
  const month = new Month({ history, office, clerk, delivery, dice: diceOf(7), calendar, clock, tell })
  const killer = new Killer({ office, dice: diceOf(8), kills, progress: () => month.progress, tell })
  const killing = killer.run()
  /** A kill that fails ends the month. */
  const beside = <B>(work: Promise<B>): Promise<B> =>
    Promise.race([work, killing.then(() => new Promise<never>(() => undefined))])
  try {
    office.start()
    await beside(month.play(folder))
    await joined
    await beside(month.drain())
    killer.hurry()
    await killing
    for (const { gate } of office.systems) gate.calm()
    await month.drain()
    return await judge({
      calendar,
      history,
      office,
      clerk,
      delivery,
      killer,
      violations: [...month.violations, ...office.ended]
    })
  } finally {
    killer.end()
    delivery.end()
    await killing.catch(() => undefined)
    await office.kill()
    await Promise.allSettled([first, second, third].map(async (system) => (await system).close()))
    rmSync(folder, { recursive: true, force: true })
  }
}
