/**
 * Deliveries that arrive together share one commit, of up to 4 MB. The next commit starts as soon as the previous one
 * has returned, while its deliveries are answered.
 *
 * A delivery is reported as stored only after its commit has returned. If the commit fails, the whole group fails.
 * Imports no Effect, for the receiver's thread.
 */
import { withinBytes } from "../../Stores/Deliveries.ts"

export interface Waiting<Delivery> {
  readonly delivery: Delivery
  readonly body: Uint8Array
  readonly stored: () => void
  readonly failed: (cause: unknown) => void
}

export class Groups<Delivery> {
  readonly #receive: (batch: ReadonlyArray<Delivery>) => Promise<unknown>
  #waiting: Array<Waiting<Delivery>> = []
  #isFlushing = false

  constructor(receive: (batch: ReadonlyArray<Delivery>) => Promise<unknown>) {
    this.#receive = receive
  }

  offer(waiting: Waiting<Delivery>): void {
    this.#waiting.push(waiting)
    if (this.#isFlushing) return
    this.#isFlushing = true
    // After all requests of this turn of the event loop, so that they share the commit.
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, withinBytes(this.#waiting).length)
    const failure = await this.#failure(batch)
    this.#isFlushing = this.#waiting.length > 0
    // Before the answers, so that the disk works meanwhile.
    if (this.#isFlushing) void this.#flush()
    for (const { failed, stored } of batch) {
      if (failure === undefined) stored()
      else failed(failure.cause)
    }
  }

  /** Undefined if they are stored. */
  async #failure(batch: ReadonlyArray<Waiting<Delivery>>): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await this.#receive(batch.map(({ delivery }) => delivery))
      return undefined
    } catch (cause) {
      return { cause }
    }
  }
}
