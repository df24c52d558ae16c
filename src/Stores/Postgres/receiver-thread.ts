/**
 * Receives deliveries in a separate thread with its own connections, so that no delivery waits for the main thread.
 * Runs the guest that it is given, and stores what the guest receives.
 */
import { workerData } from "node:worker_threads"
import type { PoolConfig } from "pg"
import { restingAfter } from "../../Runtime/Rest.ts"
import type { Delivery, Guest, Labelled, RunGuest } from "../Deliveries.ts"
import * as Failure from "./Failure.ts"
import { type Knowing, knowing } from "./Knowing.ts"
import { promptMs, promptPool } from "./Prompt.ts"
import { receive } from "./Receive.ts"

export interface ThreadStart extends Guest {
  readonly config: PoolConfig
  /** The server's name, for messages. */
  readonly name: string
  readonly known: Knowing
}

const { config, data, known, module, name, port } = workerData as ThreadStart

/** One stores a group while the other one's commit is being answered. */
const connections = 2

const worked = restingAfter(60_000)

const pool = promptPool({ ...config, ...knowing(known) }, connections)

const deliveryOf = ({ body, bodySha256, labels }: Labelled): Delivery => ({
  ...(JSON.parse(labels) as Omit<Delivery, "body" | "bodySha256">),
  body,
  bodySha256
})

const run = async (): Promise<void> => {
  const { guest } = (await import(module)) as { readonly guest: RunGuest }
  worked()
  await guest(port, data, (batch) => {
    worked()
    return receive(pool, batch.map(deliveryOf)).catch((cause: unknown) => {
      throw new Error(Failure.of(cause, name).message)
    })
  })
  // Doesn't wait for a server that doesn't answer.
  setTimeout(() => process.exit(), promptMs).unref()
  await pool.end()
}

// If it fails, the thread ends, and its error says why.
void run()
