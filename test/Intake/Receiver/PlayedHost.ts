/**
 * A thread for the receiver that hands each group of deliveries to a store in the test's own thread, and answers them
 * once they are stored. If the thread ends by itself, none of the deliveries under way is answered.
 */
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import type { Delivery, Guest, Host } from "../../../src/Stores/Deliveries.ts"
import * as Packed from "../../../src/Stores/Packed.ts"

const threadFile = fileURLToPath(new URL("./playing-thread.ts", import.meta.url))

/** A group on its way, and what became of it. */
export interface Carried {
  readonly id: number
  readonly group: Packed.Packed
}

export interface Stored {
  readonly id: number
  readonly failure: string | undefined
}

const deliveriesIn = (group: Packed.Packed): ReadonlyArray<Delivery> =>
  Packed.unpacked(group).map(({ labels, ...rest }) => ({
    ...(JSON.parse(labels) as Omit<Delivery, "body" | "bodySha256">),
    ...rest
  }))

/** `receive`: resolves once they are stored. */
export const hostOver =
  (receive: (batch: ReadonlyArray<Delivery>) => Promise<unknown>): Host =>
  async (guest: Guest) => {
    const thread = new Worker(threadFile, { name: "receiver", workerData: guest, transferList: [guest.port] })
    let why: unknown = new Error("the receiver's thread has ended")
    thread.on("error", (cause) => (why = cause))
    const ended = new Promise<unknown>((resolve) => thread.once("exit", () => resolve(why)))
    thread.on("message", ({ group, id }: Carried) => {
      const answer = (failure: string | undefined): void => thread.postMessage({ id, failure } satisfies Stored, [])
      receive(deliveriesIn(group)).then(
        () => answer(undefined),
        (cause: unknown) => answer(cause instanceof Error ? cause.message : String(cause))
      )
    })
    return { ended }
  }
