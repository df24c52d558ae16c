/** Sends one request from a thread of its own, and wakes the main one with the status of the answer. */
import { workerData } from "node:worker_threads"
import { deliver } from "./Running.ts"

const { answered, port, request } = workerData as {
  readonly answered: Int32Array<SharedArrayBuffer>
  readonly port: number
  readonly request: string
}

const status = await deliver(port, request)
Atomics.store(answered, 0, status ?? -1)
Atomics.notify(answered, 0)
