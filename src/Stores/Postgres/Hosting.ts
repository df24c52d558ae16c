/**
 * Starts the thread that receives and stores deliveries. It has its own connections to the server, which other workers
 * and people see under the worker's name and "receiver".
 */
import { Worker } from "node:worker_threads"
import type { PoolConfig } from "pg"
import { fileOf } from "../../Runtime/Module.ts"
import type { Host } from "../Deliveries.ts"
import type { Knowing } from "./Knowing.ts"
import type { ThreadStart } from "./receiver-thread.ts"

const threadFile = fileOf(new URL("./receiver-thread.ts", import.meta.url))

export const hostAt =
  (config: PoolConfig, name: string, known: Knowing): Host =>
  async (guest) => {
    const workerData: ThreadStart = { ...guest, config, name, known: { ...known } }
    const thread = new Worker(threadFile, { name: "receiver", workerData, transferList: [guest.port] })
    let why: unknown = new Error("the receiver's thread has ended")
    thread.on("error", (cause) => (why = cause))
    return { ended: new Promise((resolve) => thread.once("exit", () => resolve(why))) }
  }
