/**
 * A thread for the receiver where the engine has none: it hands over each group of deliveries, and answers them once they
 * are stored. If it ends by itself, none of what was on its way is answered.
 */
import { Worker } from "node:worker_threads"
import { fileOf } from "../../Runtime/Module.ts"
import type { Delivery, Guest, Host } from "../../Stores/Deliveries.ts"
import * as Packed from "../../Stores/Packed.ts"
import type { Carried, OwnStart, Stored } from "./Messages.ts"

const threadFile = fileOf(new URL("./receiver-thread.ts", import.meta.url))

const deliveriesIn = (group: Packed.Packed): ReadonlyArray<Delivery> =>
  Packed.unpacked(group).map(({ labels, ...rest }) => ({
    ...(JSON.parse(labels) as Omit<Delivery, "body" | "bodySha256">),
    ...rest
  }))

/** `receive`: resolves once they are stored. */
export const hostOver =
  (receive: (batch: ReadonlyArray<Delivery>) => Promise<unknown>): Host =>
  async ({ data, port }: Guest) => {
    const workerData: OwnStart = { data, port }
    const thread = new Worker(threadFile, { name: "receiver", workerData, transferList: [port] })
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
