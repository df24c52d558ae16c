/**
 * What Apply has done since the start, by name: events applied or quarantined, values that didn't fit, alarms. An event
 * that is delivered again counts once, and each of its alarms once, however often.
 */
import type { Alarm, Event, Reading } from "../../Domain/Event.ts"

interface Counted {
  readonly event: Event
  readonly reading: Pick<Reading, "misfits"> & { readonly reason: string | null }
  readonly alarms: ReadonlyArray<Alarm>
}

export class Counts {
  readonly #counts = new Map<string, number>()
  readonly #alarmed = new Set<string>()

  /** `isFresh`: false for what was applied before and is only counted by the inbox. */
  add(read: ReadonlyArray<Counted>, isFresh: (event: Event) => boolean = () => true): void {
    for (const { alarms, event, reading } of read) {
      if (isFresh(event)) {
        this.#add(reading.reason === null ? "applied" : "quarantined", 1)
        this.#add("misfits", reading.misfits)
      }
      for (const alarm of alarms) {
        const told = `${event.sequence} ${alarm}`
        if (!this.#alarmed.has(told)) this.#add(alarm, 1)
        this.#alarmed.add(told)
      }
    }
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }

  #add(name: string, amount: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount)
  }
}
