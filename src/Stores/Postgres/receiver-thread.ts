/**
 * Receives deliveries in a thread of its own, with connections of its own, so that none waits for what the main thread does:
 * runs the guest it is given, and stores what that receives.
 */
import { workerData } from "node:worker_threads"
import type { PoolConfig } from "pg"
import type { Delivery, Guest, Labelled, RunGuest } from "../Deliveries.ts"
import * as Failure from "./Failure.ts"
import { type Knowing, knowing } from "./Knowing.ts"
import { promptMs, promptPool } from "./Prompt.ts"
import { receive } from "./Receive.ts"

export interface ThreadStart extends Guest {
  readonly config: PoolConfig
  /** Of the server, for messages. */
  readonly name: string
  readonly known: Knowing
}

const { config, data, known, module, name, port } = workerData as ThreadStart

/** One stores a group while the other one's commit is answered. */
const connections = 2

const pool = promptPool({ ...config, ...knowing(known) }, connections)

const deliveryOf = ({ body, bodySha256, labels }: Labelled): Delivery => ({
  ...(JSON.parse(labels) as Omit<Delivery, "body" | "bodySha256">),
  body,
  bodySha256
})

const { guest } = (await import(module)) as { readonly guest: RunGuest }
await guest(port, data, (batch) =>
  receive(pool, batch.map(deliveryOf)).catch((cause: unknown) => {
    throw new Error(Failure.of(cause, name).message)
  })
)
// A server that doesn't answer isn't waited for.
setTimeout(() => process.exit(), promptMs).unref()
await pool.end()
