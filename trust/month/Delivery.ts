/**
 * The service delivers its events, signed, a few at a time: each is repeated until it is answered with 2xx, and some
 * are sent once more after that. An event that must come after others waits for them.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { pause } from "../../bench/Waiting.ts"
import type { Sender } from "../Sender.ts"
import type { Event } from "./Events.ts"
import type { Happening } from "./Life.ts"

const lanes = 12
const againMs = 150
/** The share of events that are delivered twice. */
const repeated = 0.08
/** Limits the rate, so that a month takes a while. */
const pace = { least: 30, most: 250, seconds: 100 }

export class Delivery {
  readonly #sender: Sender
  readonly #dice: Dice
  readonly #there = new Set<Happening>()
  #isOver = false
  attempts = 0

  constructor(sender: Sender, dice: Dice) {
    this.#sender = sender
    this.#dice = dice
  }

  /** How many events have arrived. */
  get arrived(): number {
    return this.#there.size
  }

  /** Delivers no more. */
  end(): void {
    this.#isOver = true
  }

  async all(events: ReadonlyArray<Event>): Promise<void> {
    const queue = [...events]
    const perSecond = Math.min(pace.most, Math.max(pace.least, events.length / pace.seconds))
    let under = 0
    const lane = async (): Promise<void> => {
      while (!this.#isOver && (queue.length > 0 || under > 0)) {
        const event = queue.shift()
        if (event === undefined || !event.after.every((each) => this.#there.has(each))) {
          if (event !== undefined) queue.push(event)
          await pause(againMs)
          continue
        }
        under++
        const status = await this.#sender.attempt(event)
        under--
        this.attempts++
        if (status < 200 || status >= 300) {
          queue.splice(this.#dice.below(queue.length + 1), 0, event)
          await pause(againMs)
          continue
        }
        this.#there.add(event.happening)
        if (this.#dice.chance(repeated)) queue.splice(this.#dice.below(queue.length + 1), 0, event)
        await pause((1000 * lanes) / perSecond)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
}
