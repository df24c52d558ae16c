/**
 * What the simulated machine does later, ordered by time. Of two timers for the same moment, the one that was set first
 * comes first.
 */

/** Identifies a process of the simulated worker; 0 is the world around it. */
export type Epoch = number

export interface Task {
  readonly epoch: Epoch
  readonly run: () => void
}

export interface Timer extends Task {
  readonly atMs: number
}

export class Timers {
  #timers: Array<Timer> = []

  get first(): Timer | undefined {
    return this.#timers[0]
  }

  /** Returns a function that cancels it. */
  add(timer: Timer): () => void {
    let at = this.#timers.length
    while (at > 0 && (this.#timers[at - 1]?.atMs ?? 0) > timer.atMs) at--
    this.#timers.splice(at, 0, timer)
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
    }
  }

  firstOf(epoch: Epoch): Timer | undefined {
    return this.#timers.find((timer) => timer.epoch === epoch)
  }

  /** Removes and returns those that are due. */
  takeDue(nowMs: number): ReadonlyArray<Timer> {
    const later = this.#timers.findIndex(({ atMs }) => atMs > nowMs)
    return this.#timers.splice(0, later < 0 ? this.#timers.length : later)
  }

  dropOf(epoch: Epoch): void {
    this.#timers = this.#timers.filter((timer) => timer.epoch !== epoch)
  }
}
