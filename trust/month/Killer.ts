/**
 * kill -9 of the firm's worker, spread over the month, each at a moment that an attacker would choose. Then the next
 * accounting system gets its turn.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { pause } from "../../bench/Waiting.ts"
import { shuffled } from "../Goal.ts"
import { moments } from "./Gate.ts"
import type { Office } from "./Office.ts"

/** Resolves when it is time to kill; a request that it holds back continues once `until` resolves. */
type Point = (until: Promise<unknown>) => Promise<unknown>

type Named = readonly [name: string, point: Point]

/** How long a kill waits for such a moment. */
const mostWaitMs = 8000
const pollMs = 20

export interface Killing {
  readonly office: Office
  readonly dice: Dice
  readonly kills: number
  /** From 0 to 1: the month's progress. */
  readonly progress: () => number
  readonly tell: (sentence: string) => void
}

export class Killer {
  readonly #killing: Killing
  readonly #points: ReadonlyArray<Named>
  #isHurried = false
  #isOver = false
  /** How often the worker was killed at each moment. */
  readonly killed = new Map<string, number>()

  constructor(killing: Killing) {
    const { dice, office } = killing
    this.#killing = killing
    this.#points = [
      ...moments.map(
        (moment) =>
          [`with an entry ${moment}`, (until: Promise<unknown>) => office.system.gate.reaches(moment, until)] as const
      ),
      ["at a random moment", () => pause(dice.below(1500))],
      [
        "as a person waits for an answer",
        () =>
          new Promise<void>((resolve) => {
            office.heard = resolve
          }).then(() => pause(dice.below(15)))
      ],
      [
        "as it starts",
        async () => {
          await office.alone(async () => {
            await office.stop()
            office.start()
          })
          await pause(dice.below(1200))
        }
      ]
    ]
  }

  get count(): number {
    return [...this.killed.values()].reduce((sum, each) => sum + each, 0)
  }

  /** The month is over: the remaining kills happen now. */
  hurry(): void {
    this.#isHurried = true
  }

  /** Kills no more, and starts no worker. */
  end(): void {
    this.#isOver = true
  }

  async run(): Promise<void> {
    const { dice, kills, progress } = this.#killing
    let order: Array<Named> = []
    for (let number = 0; number < kills; number++) {
      const from = (number + dice.below(1000) / 1000) / kills
      while (progress() < from && !this.#isHurried && !this.#isOver) await pause(pollMs)
      if (this.#isOver) return
      if (order.length === 0) order = shuffled(dice, this.#points)
      const [name, point] = order.pop() as Named
      await this.#kill(number + 1, name, point)
    }
  }

  async #kill(number: number, name: string, point: Point): Promise<void> {
    const { kills, office, progress, tell } = this.#killing
    const { system } = office
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    const isReached = await Promise.race([point(until).then(() => true), pause(mostWaitMs).then(() => false)])
    if (this.#isOver) return
    await office.alone(async () => {
      system.gate.forget()
      office.heard = () => undefined
      await office.kill()
      release()
      office.next()
      office.start()
    })
    const when = isReached ? name : "after waiting in vain for a moment"
    this.killed.set(when, (this.killed.get(when) ?? 0) + 1)
    tell(`kill ${number} of ${kills}, ${Math.round(progress() * 100)} % through, sending to ${system.name}: ${when}`)
    await office.verb("sink-replay")
  }
}
